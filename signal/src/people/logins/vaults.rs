//! Vaults of accounts (E17): how a password is stretched that opens one, and the change of both together.

use heliograph_shared::api::vaults::{LoginWay, Vault};
use heliograph_shared::names::{Password, Username};
use heliograph_storage::sessions::Session;

use super::Logins;
use crate::error::Error;
use crate::people::stretching::made_up;

impl Logins {
    /// How the password of a username is stretched, whether or not anybody has it (H53).
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn way(&self, username: &Username) -> Result<LoginWay, Error> {
        let stretch = match self.storage().stretch_of(username).await? {
            Some(known) => known,
            None => made_up(username, &self.0.stretch_secret)?,
        };
        Ok(LoginWay { stretch })
    }

    /// Writes the vault of the session's account together with its password. Ends its other sessions and closes their sockets.
    ///
    /// # Errors
    /// [`Error::Outdated`], [`Error::Busy`], [`Error::Storage`].
    pub async fn change_vault(
        &self,
        session: &Session,
        password: Password,
        vault: Vault,
    ) -> Result<(), Error> {
        let hash = self.hash(password).await?;
        let (account, session) = (session.account.id, session.id);
        let work = move |logins: Self| async move {
            let changed = logins.storage().change_vault(account, session, &hash, &vault).await;
            logins.forget_sessions(changed?);
            Ok(())
        };
        self.to_the_end(work).await
    }
}
