//! Vaults of accounts (E17): how a password is stretched that opens one, and the change of both together.

use heliograph_shared::api::vaults::{LoginWay, Vault};
use heliograph_shared::names::{Password, Username};
use heliograph_storage as storage;
use heliograph_storage::sessions::SessionId;

use super::{Logins, Proof};
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

    /// Writes the vault of an account together with its password, in the session in which its password was proved. Ends its other
    /// sessions and closes their sockets.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the password was replaced or the session has ended meanwhile, [`Error::Outdated`],
    /// [`Error::Busy`], [`Error::Storage`].
    pub async fn change_vault(
        &self,
        session: SessionId,
        proof: Proof,
        password: Password,
        vault: Vault,
    ) -> Result<(), Error> {
        let hash = self.hash(password).await?;
        let Proof { account, hash: proved } = proof;
        let work = move |logins: Self| async move {
            let storage = logins.storage();
            match storage.change_vault(account.id, session, &proved, &hash, &vault).await {
                Ok(ended) => logins.forget_sessions(ended).await,
                Err(storage::Error::Missing) => return Err(Error::Unauthorized),
                Err(error) if error.is_refusal() => return Err(error.into()),
                Err(error) => {
                    // It may be changed all the same.
                    logins.forget_account(account.id).await;
                    return Err(error.into());
                }
            }
            Ok(())
        };
        self.to_the_end(work).await
    }
}
