//! The only module that reads the machine's clocks.

use std::time::{SystemTime, UNIX_EPOCH};

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
        /// Wall clock time at the start, in milliseconds since the Unix epoch.
        from: i64,
    },
}

impl Clock {
    /// A clock that shows `from` (milliseconds since the Unix epoch) now and follows tokio's clock.
    #[must_use]
    pub fn running(from: i64) -> Self {
        Self::Running { since: Instant::now(), from }
    }

    /// Wall clock time in milliseconds since the Unix epoch. It may jump.
    #[must_use]
    pub fn now(&self) -> i64 {
        match self {
            Self::System => system_now(),
            Self::Running { since, from } => from + millis(since.elapsed()),
        }
    }

    /// Steady time: it never jumps.
    #[must_use]
    pub fn steady(&self) -> Instant {
        Instant::now()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the edge")]
fn system_now() -> i64 {
    // A clock before 1970 reads as the epoch.
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// A duration in whole milliseconds, as the protocol and the database count it; saturates at `i64::MAX`.
#[must_use]
pub fn millis(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
