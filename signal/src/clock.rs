//! The only module that reads the machine's clocks.

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
}

impl Clock {
    /// A clock that shows `from` now and follows tokio's clock.
    #[must_use]
    pub fn running(from: Millis) -> Self {
        Self::Running { since: Instant::now(), from }
    }

    /// Wall clock time. It may jump.
    #[must_use]
    pub fn now(&self) -> Millis {
        match self {
            Self::System => system_now(),
            Self::Running { since, from } => *from + since.elapsed(),
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
