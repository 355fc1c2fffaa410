//! The only module that reads the machine's clocks.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use heliograph_shared::time::Millis;
use tokio::time::Instant;

/// Tells the time: wall clock time for people and database rows, steady time for pauses and rates.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Starts at a given time and follows tokio's clock, which tests can pause and advance.
    Running {
        /// The start, on tokio's clock.
        since: Instant,
        /// Wall clock time at the start.
        from: Millis,
    },
    /// The one that several nodes have in common.
    Shared(&'static Shared),
}

/// What a common clock showed last, and when. Whatever the machine's own clock shows does not count.
#[derive(Debug)]
pub struct Shared(Mutex<(Instant, Millis)>);

impl Shared {
    /// The common clock showed this at that moment.
    pub fn set(&self, at: Instant, shown: Millis) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (at, shown);
    }

    fn now(&self) -> Millis {
        let (at, shown) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown + at.elapsed()
    }
}

impl Clock {
    /// A clock that shows `from` now and follows tokio's clock.
    #[must_use]
    pub fn running(from: Millis) -> Self {
        Self::Running { since: Instant::now(), from }
    }

    /// A clock in common with others, which showed this at that moment. It stays in memory until the process ends.
    #[must_use]
    pub fn shared(at: Instant, shown: Millis) -> Self {
        Self::Shared(Box::leak(Box::new(Shared(Mutex::new((at, shown))))))
    }

    /// Wall clock time. It may jump.
    #[must_use]
    pub fn now(&self) -> Millis {
        match self {
            Self::System => system_now(),
            Self::Running { since, from } => *from + since.elapsed(),
            Self::Shared(shared) => shared.now(),
        }
    }

    /// Steady time: it never jumps.
    #[must_use]
    pub fn steady(&self) -> Instant {
        Instant::now()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the edge")]
fn system_now() -> Millis {
    // A clock before 1970 reads as the epoch.
    Millis::new(0) + SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_common_clock_goes_on_from_what_it_showed_last() {
        let clock = Clock::shared(Instant::now(), Millis::new(1_000));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(clock.now(), Millis::new(6_000));
        let Clock::Shared(shared) = clock else { unreachable!("it is made so") };
        shared.set(Instant::now(), Millis::new(7_000));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), Millis::new(8_000));
    }
}
