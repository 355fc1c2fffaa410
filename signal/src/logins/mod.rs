//! Who is logged in. The one place that changes accounts and logins, so that what is remembered of them, and the
//! sockets that they opened, never outlive a change.

mod cache;

use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::names::{Password, Username};
use heliograph_storage::Storage;
use heliograph_storage::accounts::{Account, AccountId, NewAccount, ProfileChange};
use heliograph_storage::blobs::BlobId;
use heliograph_storage::passwords::Passwords;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{NewSession, Refreshed, Session, SessionId};
use tokio::time::Instant;

use crate::app::App;
use crate::clock::millis;
use crate::error::Error;
use crate::random;
use crate::throttle::Throttle;
use crate::tokens::{Token, Tokens};
use cache::Cache;

/// Name of the secret from which a refresh token's successors are made.
const SECRET: &str = "refresh";

/// Accounts and logins.
#[derive(Debug)]
pub struct Logins {
    storage: Storage,
    passwords: Passwords,
    secret: Secret,
    cache: Cache,
    /// By username.
    tries: Throttle,
}

impl Logins {
    /// `trust` says how long what was read once is believed: for ever where nobody else writes.
    ///
    /// # Errors
    /// When the tables or the machine's randomness fail.
    pub async fn open(storage: Storage, trust: Duration) -> Result<Self, Error> {
        let secret = storage.secret(SECRET, random::bytes()?).await?;
        let passwords = Passwords::new(random::bytes()?)?;
        let cache = Cache::new(millis(trust));
        Ok(Self { storage, passwords, secret, cache, tries: Throttle::default() })
    }

    /// The login of an access token, if it is good at this time.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn find(&self, access: &Token, now: i64) -> Result<Option<Arc<Session>>, Error> {
        let token = access.hash();
        let moment = match self.cache.find(&token, now) {
            Ok(session) => return Ok(Some(session)),
            Err(moment) => moment,
        };
        let session = self.storage.find_session(token, now).await?.map(Arc::new);
        if let Some(session) = &session {
            self.cache.remember(token, session, now, moment);
        }
        Ok(session)
    }

    /// Whose username and password this is. An unknown name takes as long as a wrong password.
    ///
    /// # Errors
    /// [`Error::TooFast`], [`Error::Busy`], [`Error::Storage`].
    pub async fn check(
        &self,
        username: &Username,
        password: Password,
        now: Instant,
    ) -> Result<Option<Account>, Error> {
        let check = async {
            let (account, hash) = self.storage.find_credentials(username).await?.unzip();
            let is_right = self.passwords.is(password, hash).await?;
            Ok(account.filter(|_| is_right))
        };
        self.attempt(&username.key(), now, check).await
    }

    /// Whether this is the account's password.
    ///
    /// # Errors
    /// [`Error::TooFast`], [`Error::Busy`], [`Error::Storage`].
    pub async fn is_password_of(
        &self,
        account: &Account,
        password: Password,
        now: Instant,
    ) -> Result<bool, Error> {
        let check = async {
            let hash = self.storage.find_password_hash(account.id).await?;
            Ok(self.passwords.is(password, hash).await?.then_some(()))
        };
        let name = account.username.to_ascii_lowercase();
        Ok(self.attempt(&name, now, check).await?.is_some())
    }

    /// One try of a password at a name: counted before its outcome is known, held against the name when it was wrong.
    async fn attempt<T>(
        &self,
        name: &str,
        now: Instant,
        check: impl Future<Output = Result<Option<T>, Error>>,
    ) -> Result<Option<T>, Error> {
        self.tries.begin(name, now).map_err(Error::TooFast)?;
        let outcome = check.await;
        match &outcome {
            Ok(Some(_)) => self.tries.succeeded(name),
            Ok(None) => {}
            Err(_) => self.tries.take_back(name),
        }
        outcome
    }

    /// What is stored of a password.
    ///
    /// # Errors
    /// [`Error::Busy`].
    pub async fn hash(&self, password: Password) -> Result<String, Error> {
        Ok(self.passwords.hash(password, random::bytes()?).await?)
    }

    /// Makes an account that is logged in.
    ///
    /// # Errors
    /// [`Error::Storage`]; a conflict when the username is taken.
    pub async fn register(&self, account: &NewAccount, now: i64) -> Result<Tokens, Error> {
        let (session, tokens) = new_session(account.id, now)?;
        self.storage.create_account(account, &session).await?;
        Ok(tokens)
    }

    /// Logs somebody in whose password was right.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn begin(&self, account: AccountId, now: i64) -> Result<Tokens, Error> {
        let (session, tokens) = new_session(account, now)?;
        self.storage.open_session(&session).await?;
        Ok(tokens)
    }

    /// The login of a refresh token.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn find_by_refresh(&self, refresh: &Token) -> Result<Option<SessionId>, Error> {
        Ok(self.storage.find_refreshable(refresh.hash()).await?)
    }

    /// Forgets tries of passwords that are long ago.
    pub fn sweep(&self, now: Instant) {
        self.tries.sweep(now);
    }

    /// Whether a login has not ended. A socket asks after it was bound to its login (`Sockets::belongs_to`): before, the
    /// login's end would not have found it.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn is_open(&self, session: SessionId) -> Result<bool, Error> {
        Ok(self.storage.is_open(session).await?)
    }
}

fn new_session(account: AccountId, now: i64) -> Result<(NewSession, Tokens), Error> {
    let tokens = Tokens::fresh()?;
    let id = SessionId::from_random(random::bytes()?);
    Ok((NewSession { id, account, tokens: tokens.record(now), created_at: now }, tokens))
}

/// Takes a refresh token for its successors (H16); none when it is none, or no longer.
///
/// # Errors
/// [`Error::Storage`].
pub async fn refresh(app: &Arc<App>, old: Token) -> Result<Option<Tokens>, Error> {
    let tokens = Tokens::after(&old, &app.logins.secret)?;
    let now = app.clock.now();
    let work = |app: Arc<App>| async move {
        let refreshed = app.storage.refresh_session(old.hash(), &tokens.record(now), now).await?;
        if let Refreshed::Replayed(session) = refreshed {
            tracing::warn!("a refresh token was used again long after; its login has ended");
            app.forget_session(session);
        }
        Ok((refreshed == Refreshed::Renewed).then_some(tokens))
    };
    to_the_end(app, work).await
}

/// Ends a login and closes its sockets.
///
/// # Errors
/// [`Error::Storage`].
pub async fn end(app: &Arc<App>, session: SessionId) -> Result<(), Error> {
    let work = |app: Arc<App>| async move {
        let ended = app.storage.end_session(session).await;
        app.forget_session(session);
        Ok(ended?)
    };
    to_the_end(app, work).await
}

/// Changes what is given of a profile, and says how the account is then.
///
/// # Errors
/// [`Error::Unauthorized`] when the account is gone, [`Error::Storage`]; a conflict when the username is taken.
pub async fn change_profile(
    app: &Arc<App>,
    account: AccountId,
    change: ProfileChange,
) -> Result<Account, Error> {
    let work = |app: Arc<App>| async move {
        let changed = app.storage.change_profile(account, &change).await;
        app.logins.cache.forget_account(account);
        changed?.ok_or(Error::Unauthorized)
    };
    to_the_end(app, work).await
}

/// Gives an account a picture that was made for it, and says how the account is then.
///
/// # Errors
/// [`Error::Unauthorized`] when the account is gone, [`Error::Storage`].
pub async fn change_picture(
    app: &Arc<App>,
    account: AccountId,
    picture: BlobId,
) -> Result<Account, Error> {
    let work = |app: Arc<App>| async move {
        let now = app.clock.now();
        let changed = app.storage.change_picture(account, Some(picture), now).await;
        app.logins.cache.forget_account(account);
        changed?.ok_or(Error::Unauthorized)
    };
    to_the_end(app, work).await
}

/// Deletes an account and everything of it (H15): its sockets close, and its beams end for everybody in them.
///
/// # Errors
/// [`Error::Storage`].
pub async fn delete_account(app: &Arc<App>, account: AccountId) -> Result<(), Error> {
    let work = |app: Arc<App>| async move {
        let beams = app.storage.delete_account(account, app.clock.now()).await;
        app.logins.cache.forget_account(account);
        let beams = beams?;
        app.sockets.end_account(account);
        for beam in beams {
            app.hub.refresh(beam).await;
        }
        Ok(())
    };
    to_the_end(app, work).await
}

impl App {
    fn forget_session(&self, session: SessionId) {
        self.logins.cache.forget_session(session);
        self.sockets.end_session(session);
    }
}

/// Does a piece of work although who asked for it may leave in the middle: what follows a change must not be left out.
async fn to_the_end<T, F>(app: &Arc<App>, work: impl FnOnce(Arc<App>) -> F) -> Result<T, Error>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Error>> + Send + 'static,
{
    app.tasks.spawn(work(app.clone())).await.unwrap_or(Err(Error::Internal))
}
