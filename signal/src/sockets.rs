//! The sockets that are open now, so that the server's end can close them all without a stampede (S19).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_shared::close::CloseCode;

use crate::beam::ConnectionId;
use crate::outbox::Outbox;

/// Time over which many sockets are closed, so that their devices do not all come back at once.
const SPREAD: Duration = Duration::from_secs(10);
/// Pause between two groups.
const STEP: Duration = Duration::from_millis(10);
/// Sockets of one group, as long as that is enough to be done within [`SPREAD`].
const GROUP: usize = 5;

/// Every open socket.
#[derive(Debug, Default)]
pub struct Sockets(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    outboxes: HashMap<ConnectionId, Arc<Outbox>>,
    ending: bool,
}

impl Sockets {
    /// A new socket. At the server's end it is closed at once.
    #[must_use]
    pub fn open(&self) -> (ConnectionId, Arc<Outbox>) {
        let mut open = self.lock();
        open.last += 1;
        let (connection, outbox) = (ConnectionId(open.last), Arc::<Outbox>::default());
        if open.ending {
            outbox.close(CloseCode::Restart);
        }
        open.outboxes.insert(connection, outbox.clone());
        (connection, outbox)
    }

    /// The socket is gone.
    pub fn closed(&self, connection: ConnectionId) {
        self.lock().outboxes.remove(&connection);
    }

    /// How many are open.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().outboxes.len()
    }

    /// Closes all of them: a few at once, many over at most ten seconds.
    pub async fn close_all(&self) {
        let outboxes: Vec<_> = {
            let mut open = self.lock();
            open.ending = true;
            open.outboxes.values().cloned().collect()
        };
        let steps = usize::try_from(SPREAD.as_millis() / STEP.as_millis()).unwrap_or(1);
        let group = outboxes.len().div_ceil(steps).max(GROUP);
        // An interval makes up for what a busy machine is late: the end has a time of its own.
        let mut steps = tokio::time::interval(STEP);
        for outboxes in outboxes.chunks(group) {
            steps.tick().await;
            for outbox in outboxes {
                outbox.close(CloseCode::Restart);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    async fn time_to_close(count: usize) -> Duration {
        let sockets = Sockets::default();
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
    async fn s19_who_comes_during_the_end_is_closed_at_once() {
        let sockets = Sockets::default();
        sockets.close_all().await;
        assert_eq!(sockets.open().1.closing().await, CloseCode::Restart);
    }
}
