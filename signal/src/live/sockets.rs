//! The open sockets, so that a shutdown can close them all without a stampede of reconnects (S19).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::DeviceUser;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::sessions::SessionId;

use crate::budget::Budget;
use crate::live::beam::ConnectionId;
use crate::live::outbox::Outbox;
use crate::live::rates::{Rates, Turns};
use crate::live::shared_texts::SharedTexts;
use crate::tally::Tally;

/// Longest time over which a shutdown closes sockets, so that the devices do not all reconnect at once.
const SPREAD: Duration = Duration::from_secs(10);
/// Pause between two groups of sockets.
const STEP: Duration = Duration::from_millis(10);
/// Sockets closed at a time, if that is enough to finish within [`SPREAD`].
const GROUP: usize = 5;

/// The open sockets.
#[derive(Debug)]
pub struct Sockets {
    all: Mutex<All>,
    budget: Arc<Budget>,
    texts: Arc<SharedTexts>,
    rates: Arc<Rates>,
    counts: Arc<Tally>,
}

#[derive(Debug, Default)]
struct All {
    last: u64,
    sockets: HashMap<ConnectionId, Open>,
    ending: bool,
}

#[derive(Debug)]
struct Open {
    outbox: Arc<Outbox>,
    login: Option<Login>,
}

/// The login of a socket, and the socket's beam.
#[derive(Debug)]
struct Login {
    session: SessionId,
    account: AccountId,
    beam: BeamId,
    /// The user's public fields, if they changed since the socket was opened.
    user: Option<DeviceUser>,
}

impl Sockets {
    /// No open sockets. Their queues will be charged to this budget, and relay at these rates.
    #[must_use]
    pub fn new(budget: Arc<Budget>, rates: Arc<Rates>, counts: Arc<Tally>) -> Self {
        let texts = SharedTexts::new(budget.clone());
        Self { all: Mutex::default(), budget, texts, rates, counts }
    }

    /// Registers a new socket. During a shutdown it is closed at once.
    #[must_use]
    pub fn open(&self) -> (ConnectionId, Arc<Outbox>) {
        let mut all = self.lock();
        all.last += 1;
        let (budget, texts) = (self.budget.clone(), self.texts.clone());
        let (turns, counts) = (Turns::new(self.rates.clone()), self.counts.clone());
        let outbox = Arc::new(Outbox::new(budget, texts, turns, counts));
        self.counts.sockets_opened.one();
        let connection = ConnectionId(all.last);
        if all.ending {
            outbox.close(CloseCode::Restart);
        }
        all.sockets.insert(connection, Open { outbox: outbox.clone(), login: None });
        (connection, outbox)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().sockets.len()
    }

    /// Removes a socket.
    pub fn closed(&self, connection: ConnectionId) {
        self.lock().sockets.remove(&connection);
    }

    /// Ties the socket to a session, whose end closes it. Call `Logins::account_of` afterwards to see that the session
    /// still exists: an end before this call did not find the socket.
    pub fn belongs_to(
        &self,
        connection: ConnectionId,
        beam: BeamId,
        session: SessionId,
        account: AccountId,
    ) {
        if let Some(open) = self.lock().sockets.get_mut(&connection) {
            open.login = Some(Login { session, account, beam, user: None });
        }
    }

    /// Changes how an account's devices are shown, and returns the beams in which they are or will soon be.
    #[must_use]
    pub fn change_user(&self, account: AccountId, user: &DeviceUser) -> HashSet<BeamId> {
        let mut all = self.lock();
        let logins = all.sockets.values_mut().filter_map(|open| open.login.as_mut());
        let own = logins.filter(|login| login.account == account);
        own.map(|login| {
            login.user = Some(user.clone());
            login.beam
        })
        .collect()
    }

    /// The public fields of a socket's user, if they changed since it was opened.
    #[must_use]
    pub fn user_of(&self, connection: ConnectionId) -> Option<DeviceUser> {
        self.lock().sockets.get(&connection)?.login.as_ref()?.user.clone()
    }

    /// The sessions of the sockets.
    #[must_use]
    pub fn sessions(&self) -> HashSet<SessionId> {
        let all = self.lock();
        let logins = all.sockets.values().filter_map(|open| open.login.as_ref());
        logins.map(|login| login.session).collect()
    }

    /// Closes the sockets of a session (S27).
    pub fn end_session(&self, session: SessionId) {
        self.end(|login| login.session == session);
    }

    /// Closes the sockets of all sessions of an account (S27).
    pub fn end_account(&self, account: AccountId) {
        self.end(|login| login.account == account);
    }

    fn end(&self, is_over: impl Fn(&Login) -> bool) {
        for open in self.lock().sockets.values() {
            if open.login.as_ref().is_some_and(&is_over) {
                open.outbox.close(CloseCode::SessionEnded);
            }
        }
    }

    /// Closes all sockets, a few at a time, within ten seconds.
    pub async fn close_all(&self) {
        let outboxes: Vec<_> = {
            let mut all = self.lock();
            all.ending = true;
            all.sockets.values().map(|open| open.outbox.clone()).collect()
        };
        let steps = usize::try_from(SPREAD.as_millis() / STEP.as_millis()).unwrap_or(1);
        let group = outboxes.len().div_ceil(steps).max(GROUP);
        // An interval catches up after delays, so a busy machine also finishes in time.
        let mut steps = tokio::time::interval(STEP);
        for outboxes in outboxes.chunks(group) {
            steps.tick().await;
            for outbox in outboxes {
                outbox.close(CloseCode::Restart);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::time::Instant;

    use super::*;

    async fn time_to_close(count: usize) -> Duration {
        let sockets = Sockets::new(Budget::unlimited(), Arc::default(), Arc::default());
        let outboxes: Vec<_> = (0..count).map(|_| sockets.open().1).collect();
        let start = Instant::now();
        sockets.close_all().await;
        for outbox in outboxes {
            assert_eq!(outbox.closing().await, CloseCode::Restart);
        }
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn s19_a_few_sockets_are_closed_at_once_and_many_over_ten_seconds() {
        assert!(time_to_close(5).await <= Duration::from_millis(20));
        assert!(time_to_close(1_000).await > Duration::from_secs(1));
        assert!(time_to_close(20_000).await <= SPREAD);
    }

    #[tokio::test]
    async fn s27_a_login_ends_with_its_own_sockets_and_no_others() {
        let sockets = Sockets::new(Budget::unlimited(), Arc::default(), Arc::default());
        let session = |n: u8| SessionId::from_random([n; 16]);
        let account = |n: u8| AccountId::from_random([n; 16]);
        let beam = BeamId::from_random([1; 16]);
        let opened: Vec<_> = (0..4).map(|_| sockets.open()).collect();
        for (index, (login, person)) in [(1, 1), (2, 1), (3, 2)].into_iter().enumerate() {
            sockets.belongs_to(opened[index].0, beam, session(login), account(person));
        }
        let is_closed = |index: usize| {
            let closing = std::pin::pin!(opened[index].1.closing()).now_or_never();
            closing.is_some_and(|code| code == CloseCode::SessionEnded)
        };

        sockets.end_session(session(1));
        assert_eq!([0, 1, 2, 3].map(is_closed), [true, false, false, false]);
        sockets.end_account(account(1));
        assert_eq!([0, 1, 2, 3].map(is_closed), [true, true, false, false]);
    }

    #[tokio::test]
    async fn s19_who_comes_during_the_end_is_closed_at_once() {
        let sockets = Sockets::new(Budget::unlimited(), Arc::default(), Arc::default());
        sockets.close_all().await;
        assert_eq!(sockets.open().1.closing().await, CloseCode::Restart);
    }
}
