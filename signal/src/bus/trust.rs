//! Until when a node may act on what it remembers. A node that stands still, as one does whose machine is suspended, has
//! missed what the others said meanwhile, and another one may drive its beams. So a node acts only for a while after it
//! was last heard, by a clock that goes on while it stands.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

/// The end of that time.
#[derive(Debug, Default)]
pub(super) struct Trust {
    until: Mutex<Option<Instant>>,
    longer: Notify,
}

impl Trust {
    /// Acts until then, if that is longer than so far.
    pub fn extend(&self, to: Instant) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = (*until).max(Some(to));
        drop(until);
        self.longer.notify_waiters();
    }

    /// Until when.
    pub fn until(&self) -> Option<Instant> {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn holds(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    /// Waits until it holds.
    pub async fn held(&self) {
        loop {
            let longer = self.longer.notified();
            if self.holds(Instant::now()) {
                return;
            }
            longer.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_node_that_stood_still_waits_until_it_is_heard_again() {
        let trust = Trust::default();
        assert_eq!(trust.held().now_or_never(), None);
        trust.extend(Instant::now() + 3 * SECOND);
        assert_eq!(trust.held().now_or_never(), Some(()));

        tokio::time::advance(3 * SECOND).await;
        let mut held = Box::pin(trust.held());
        assert_eq!(held.as_mut().now_or_never(), None);
        trust.extend(Instant::now() + SECOND);

        assert_eq!(held.now_or_never(), Some(()));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_comes_late_makes_the_time_no_shorter() {
        let (trust, now) = (Trust::default(), Instant::now());
        trust.extend(now + 3 * SECOND);
        trust.extend(now + SECOND);
        assert!(trust.holds(now + 2 * SECOND));
    }
}
