//! Accounts and sessions. Every change of them goes through here, so that cached sessions and open sockets never
//! outlive a change.

mod attempts;
mod cache;
mod vaults;

use std::sync::Arc;

use heliograph_shared::socket::DeviceUser;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::{Account, AccountId, NewAccount, ProfileChange};
use heliograph_storage::blobs::BlobId;
use heliograph_storage::passwords::Passwords;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{NewSession, Refreshed, Session, SessionId};
use heliograph_storage::{self as storage, Storage};
use tokio_util::task::TaskTracker;

use crate::bus::Bus;
use crate::bus::notice::Notice;
use crate::clock::Clock;
use crate::error::Error;
use crate::live::beam::commit::Beams;
use crate::live::beam::hub::Hub;
use crate::live::sockets::Sockets;
use crate::people::public;
use crate::people::throttle::{Target, Throttle};
use crate::people::tokens::{Token, Tokens};
use crate::random;
pub use attempts::{Attempt, Proof};
use cache::Cache;

/// Name of the secret from which the successors of refresh tokens are derived.
const REFRESH_SECRET: &str = "refresh";
/// Name of the secret that proves known devices.
const DEVICE_SECRET: &str = "device";
/// Name of the secret from which the salts of usernames follow that nobody has.
const STRETCH_SECRET: &str = "stretch";

/// Accounts and sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Logins(Arc<Inner>);

/// The parts that a change of an account or session affects.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The database.
    pub storage: Storage,
    /// The open sockets, which end with their sessions.
    pub sockets: Arc<Sockets>,
    /// The live beams, which show changed accounts.
    pub hub: Hub,
    /// Deletes an account with its content in beams.
    pub beams: Beams,
    /// The wall clock and the steady clock.
    pub clock: Clock,
    /// The way to the other nodes of the server.
    pub bus: Bus,
    /// Tasks that must finish before the server ends.
    pub tasks: TaskTracker,
}

#[derive(Debug)]
struct Inner {
    around: Surroundings,
    passwords: Passwords,
    refresh_secret: Secret,
    device_secret: Secret,
    stretch_secret: Secret,
    cache: Cache,
    tries: Throttle,
}

impl Logins {
    /// Reads or creates the secrets.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Random`].
    pub async fn open(around: Surroundings) -> Result<Self, Error> {
        let storage = &around.storage;
        let fresh = || random::bytes().map(Secret::new);
        let refresh_secret = storage.secret(REFRESH_SECRET, fresh()?).await?;
        let device_secret = storage.secret(DEVICE_SECRET, fresh()?).await?;
        let stretch_secret = storage.secret(STRETCH_SECRET, fresh()?).await?;
        let passwords = Passwords::new(random::bytes()?)?;
        let cache = Cache::default();
        let tries = Throttle::default();
        let inner = Inner {
            around,
            passwords,
            refresh_secret,
            device_secret,
            stretch_secret,
            cache,
            tries,
        };
        Ok(Self(Arc::new(inner)))
    }

    /// The session of an access token; `None` if the token is not valid now.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn find(&self, access: &Token) -> Result<Option<Arc<Session>>, Error> {
        let (token, now) = (access.hash(), self.now());
        let moment = match self.0.cache.find(&token, now) {
            // While a notice may have been missed, the tables decide.
            Ok(session) if self.0.around.bus.is_assured() => return Ok(Some(session)),
            Ok(_) => return Ok(self.storage().find_session(token, now).await?.map(Arc::new)),
            Err(moment) => moment,
        };
        let session = self.storage().find_session(token, now).await?.map(Arc::new);
        if let Some(session) = &session {
            self.0.cache.remember(token, session, now, moment);
        }
        Ok(session)
    }

    /// Creates an account and a session.
    ///
    /// # Errors
    /// [`Error::Storage`]; a conflict when the username is taken.
    pub async fn register(&self, account: &NewAccount) -> Result<Tokens, Error> {
        let (account, (session, tokens)) = (account.clone(), self.new_session(account.id)?);
        let work = |logins: Self| async move {
            logins.storage().create_account(&account, &session).await?;
            Ok(tokens)
        };
        self.to_the_end(work).await
    }

    /// Creates a session for a user who proved the password. The oldest sessions of an account with too many end.
    ///
    /// # Errors
    /// [`Error::WrongCredentials`] when the password was replaced meanwhile or the account is gone, [`Error::Storage`].
    pub async fn begin(&self, Proof { account, hash }: &Proof) -> Result<Tokens, Error> {
        let ((session, tokens), hash) = (self.new_session(account.id)?, hash.clone());
        let work = |logins: Self| async move {
            match logins.storage().open_session(&session, &hash).await {
                Ok(ended) => logins.forget_sessions(ended).await,
                Err(storage::Error::Missing) => return Err(Error::WrongCredentials),
                Err(error) => return Err(error.into()),
            }
            Ok(tokens)
        };
        self.to_the_end(work).await
    }

    fn new_session(&self, account: AccountId) -> Result<(NewSession, Tokens), Error> {
        let now = self.now();
        let tokens = Tokens::fresh(&self.0.refresh_secret)?;
        let id = SessionId::from_random(random::bytes()?);
        Ok((NewSession { id, account, tokens: tokens.record(now), created_at: now }, tokens))
    }

    /// The session of a refresh token.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn find_by_refresh(&self, refresh: &Token) -> Result<Option<SessionId>, Error> {
        Ok(self.storage().find_refreshable(refresh.hash()).await?)
    }

    /// Ends the sessions that have expired by now, and closes their sockets.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn end_expired(&self, now: Millis) -> Result<(), Error> {
        let work = move |logins: Self| async move {
            let ended = logins.storage().forget_old_sessions(now).await?;
            logins.forget_sessions(ended).await;
            Ok(())
        };
        self.to_the_end(work).await
    }

    /// The current state of a session's account; `None` when the session has ended. A socket calls it after
    /// `Sockets::belongs_to`, because an end or a change of name before that did not find the socket.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn account_of(&self, session: SessionId) -> Result<Option<Account>, Error> {
        Ok(self.storage().account_of(session).await?)
    }

    /// Exchanges a refresh token for its successors (H16); `None` when it is not valid, or when the access token beside
    /// it belongs to another session: one of the two was then planted.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn refresh(
        &self,
        old: Token,
        access: Option<Token>,
    ) -> Result<Option<Tokens>, Error> {
        let own = Tokens::with(old, &self.0.refresh_secret)?.access;
        if access.is_some_and(|access| access != own) {
            return Ok(None);
        }
        let tokens = Tokens::after(&old, &self.0.refresh_secret)?;
        let work = |logins: Self| async move {
            let (now, storage) = (logins.now(), logins.storage());
            let refreshed = storage.refresh_session(old.hash(), &tokens.record(now), now).await?;
            if let Refreshed::Replayed(session) = refreshed {
                tracing::warn!("a refresh token was reused; its session has ended");
                logins.forget_sessions([session]).await;
            }
            Ok((refreshed == Refreshed::Renewed).then_some(tokens))
        };
        self.to_the_end(work).await
    }

    /// Ends a session and closes its sockets.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn end(&self, session: SessionId) -> Result<(), Error> {
        let work = |logins: Self| async move {
            let ended = logins.storage().end_session(session).await;
            logins.forget_sessions([session]).await;
            Ok(ended?)
        };
        self.to_the_end(work).await
    }

    /// Changes the given fields of a profile and returns the account.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the account is gone, [`Error::Storage`]; a conflict when the username is taken.
    pub async fn change_profile(
        &self,
        account: AccountId,
        change: ProfileChange,
    ) -> Result<Account, Error> {
        let work = |logins: Self| async move {
            let changed = logins.storage().change_profile(account, &change).await;
            logins.tell(&Notice::AccountChanged(account)).await;
            logins.show(changed?).await
        };
        self.to_the_end(work).await
    }

    /// Changes the picture of an account and returns the account.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the account is gone, [`Error::Storage`].
    pub async fn change_picture(
        &self,
        account: AccountId,
        picture: BlobId,
    ) -> Result<Account, Error> {
        let work = |logins: Self| async move {
            let (storage, now) = (logins.storage(), logins.now());
            let changed = storage.change_picture(account, Some(picture), now).await;
            logins.tell(&Notice::AccountChanged(account)).await;
            logins.show(changed?).await
        };
        self.to_the_end(work).await
    }

    /// Deletes an account and its content (H15). Closes its sockets and ends its beams.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn delete_account(&self, account: AccountId) -> Result<(), Error> {
        let logins = self.clone();
        let end_logins = move || async move { logins.forget_account(account).await };
        self.0.around.beams.delete_account(account, self.now(), end_logins).await
    }

    /// Shows the changed account to the beams in which its devices are (S6). Another change may overtake this one, so
    /// what was shown is compared with what is stored: whoever shows last then shows the newest.
    async fn show(&self, changed: Option<Account>) -> Result<Account, Error> {
        let account = changed.ok_or(Error::Unauthorized)?;
        let mut newest = Some(account.clone());
        let mut shown = None;
        while let Some(now) = newest.filter(|now| shown.as_ref() != Some(now)) {
            let user = DeviceUser::from(public(&now));
            self.tell(&Notice::UserChanged(now.id, user)).await;
            newest = self.storage().find_account(now.id).await?;
            shown = Some(now);
        }
        Ok(account)
    }

    /// Forgets all sessions of an account and closes their sockets. Those that have not ended are found again.
    async fn forget_account(&self, account: AccountId) {
        self.tell(&Notice::AccountEnded(account)).await;
    }

    async fn forget_sessions(&self, sessions: impl IntoIterator<Item = SessionId>) {
        let sessions: Vec<_> = sessions.into_iter().collect();
        if !sessions.is_empty() {
            self.tell(&Notice::SessionsEnded(sessions)).await;
        }
    }

    /// Heeds a notice, and has every other node heed it.
    async fn tell(&self, notice: &Notice) {
        self.heed(notice).await;
        self.0.around.bus.tell_others(notice).await;
    }

    /// Does what a notice asks for on this node.
    pub async fn heed(&self, notice: &Notice) {
        let Surroundings { sockets, hub, clock, .. } = &self.0.around;
        match notice {
            Notice::SessionsEnded(sessions) => {
                for session in sessions {
                    self.0.cache.forget_session(*session);
                    sockets.end_session(*session);
                }
            }
            Notice::AccountEnded(account) => {
                self.0.cache.forget_account(*account);
                sockets.end_account(*account);
            }
            Notice::AccountChanged(account) => self.0.cache.forget_account(*account),
            Notice::UserChanged(account, user) => {
                for beam in sockets.change_user(*account, user) {
                    hub.change_user(beam, *account, user.clone()).await;
                }
            }
            Notice::Tried(target) => {
                if let Some(target) = Target::parse(target) {
                    // The node that let it pass has decided.
                    let _ = self.0.tries.begin(&target, clock.steady());
                }
            }
            Notice::TryTakenBack(target) => {
                if let Some(target) = Target::parse(target) {
                    self.0.tries.take_back(&target);
                }
            }
            Notice::TriesForgotten(target) => {
                if let Some(target) = Target::parse(target) {
                    self.0.tries.succeeded(&target);
                }
            }
            Notice::Beam(beam, news) => hub.heed(*beam, *news).await,
            Notice::Taken(_) => {}
        }
    }

    /// Notices may have been missed: nothing remembered counts any more, and the sockets of sessions that have ended close.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn catch_up(&self) -> Result<(), Error> {
        self.0.cache.forget_all();
        let Surroundings { sockets, hub, .. } = &self.0.around;
        let sessions: Vec<_> = sockets.sessions().into_iter().collect();
        let lasting = self.storage().lasting(&sessions).await?;
        for ended in sessions.into_iter().filter(|session| !lasting.contains(session)) {
            sockets.end_session(ended);
        }
        hub.refresh_all_soon();
        Ok(())
    }

    /// Runs the work in its own task, so that a client which disconnects cannot interrupt it between a change and what
    /// follows from it.
    async fn to_the_end<T, F>(&self, work: impl FnOnce(Self) -> F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let task = self.0.around.tasks.spawn(work(self.clone()));
        task.await.unwrap_or(Err(Error::Internal))
    }

    fn storage(&self) -> &Storage {
        &self.0.around.storage
    }

    fn now(&self) -> Millis {
        self.0.around.clock.now()
    }
}
