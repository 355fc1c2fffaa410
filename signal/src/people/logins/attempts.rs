//! Proving a password: the attempts, which are counted before their outcome is known, and the devices on which somebody
//! has succeeded before.

use heliograph_shared::names::{Password, Username};
use heliograph_storage::accounts::{Account, AccountId};

use super::Logins;
use crate::bus::notice::Notice;
use crate::error::Error;
use crate::people::known_devices::KnownDevice;
use crate::people::throttle::Target;
use crate::random;

/// An attempt to prove the password of an account, or of a username that does not exist.
#[derive(Clone)]
pub struct Attempt {
    /// The account and the hash of its password; `None` without an account.
    credentials: Option<(Account, String)>,
    target: Target,
}

/// A password that was right, until it is replaced: what follows from it names the hash, which is compared again. Without `Debug`,
/// so that no log can contain it.
#[derive(Clone)]
pub struct Proof {
    /// The account.
    pub account: Account,
    /// The hash of its password.
    pub(super) hash: String,
}

impl Attempt {
    /// The account, if somebody logged in to it on this device before.
    #[must_use]
    pub fn account_on_known_device(&self) -> Option<AccountId> {
        let (account, _) = self.credentials.as_ref()?;
        matches!(self.target, Target::Device(_)).then_some(account.id)
    }
}

impl Logins {
    /// An attempt to log in. `device` is the device's proof of an earlier login.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn attempt_login(
        &self,
        username: &Username,
        device: Option<KnownDevice>,
    ) -> Result<Attempt, Error> {
        let credentials = self.storage().find_credentials(username).await?;
        let target = match &credentials {
            Some((account, _)) => self.target(account.id, device),
            None => Target::Nobody(username.key()),
        };
        Ok(Attempt { credentials, target })
    }

    /// An attempt of a logged-in user to prove the password again.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn attempt_again(
        &self,
        account: &Account,
        device: Option<KnownDevice>,
    ) -> Result<Attempt, Error> {
        let hash = self.storage().find_password_hash(account.id).await?;
        let target = self.target(account.id, device);
        Ok(Attempt { credentials: hash.map(|hash| (account.clone(), hash)), target })
    }

    /// Attempts on known devices are counted separately, so that guesses from elsewhere do not lock the owner out.
    fn target(&self, account: AccountId, device: Option<KnownDevice>) -> Target {
        let nonce = device.and_then(|device| device.nonce_for(account, &self.0.device_secret));
        nonce.map_or(Target::Account(account), Target::Device)
    }

    /// Checks the password of an attempt; `None` if it is wrong. An unknown username takes as long as a wrong password.
    /// The attempt is counted before the check. A right password clears the count; an attempt that cannot be checked is
    /// taken back. One whose call is given up before the check stays counted: otherwise guesses in calls that hang up
    /// would not count.
    ///
    /// # Errors
    /// [`Error::TooFast`], [`Error::Busy`].
    pub async fn check(
        &self,
        attempt: Attempt,
        password: Password,
    ) -> Result<Option<Proof>, Error> {
        let Attempt { credentials, target } = attempt;
        let tries = &self.0.tries;
        tries.begin(&target, self.0.around.clock.steady()).map_err(Error::TooFast)?;
        let bus = &self.0.around.bus;
        bus.tell_others_soon(Notice::Tried(target.text()));
        let hash = credentials.as_ref().map(|(_, hash)| hash.clone());
        match self.0.passwords.is(password, hash).await {
            Ok(true) => {
                tries.succeeded(&target);
                bus.tell_others_soon(Notice::TriesForgotten(target.text()));
                Ok(credentials.map(|(account, hash)| Proof { account, hash }))
            }
            Ok(false) => Ok(None),
            Err(error) => {
                tries.take_back(&target);
                bus.tell_others_soon(Notice::TryTakenBack(target.text()));
                Err(error.into())
            }
        }
    }

    /// The proof that a device gets at login: the one that it has, if it is valid, else a new one.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn known_device(
        &self,
        account: AccountId,
        shown: Option<KnownDevice>,
    ) -> Result<KnownDevice, Error> {
        let secret = &self.0.device_secret;
        let shown = shown.filter(|device| device.nonce_for(account, secret).is_some());
        shown.map_or_else(|| KnownDevice::fresh(account, secret), Ok)
    }

    /// Gives an account another password. Ends its sessions and closes their sockets.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the account is gone, [`Error::Busy`], [`Error::Storage`].
    pub async fn replace_password(
        &self,
        account: AccountId,
        password: Password,
    ) -> Result<(), Error> {
        let hash = self.hash(password).await?;
        let work = |logins: Self| async move {
            let replaced = logins.storage().replace_password(account, &hash).await;
            // After an error it may be replaced all the same.
            logins.forget_account(account).await;
            if replaced? { Ok(()) } else { Err(Error::Unauthorized) }
        };
        self.to_the_end(work).await
    }

    /// Hashes a password for the database.
    ///
    /// # Errors
    /// [`Error::Busy`].
    pub async fn hash(&self, password: Password) -> Result<String, Error> {
        Ok(self.0.passwords.hash(password, random::bytes()?).await?)
    }

    /// Forgets old password attempts.
    pub fn sweep(&self) {
        self.0.tries.sweep(self.0.around.clock.steady());
    }
}
