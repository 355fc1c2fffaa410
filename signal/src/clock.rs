//! The only place that asks what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Tells the time: the wall clock for what people and rows see, and a steady one for pauses and rates.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The machine's own.
    System,
    /// Runs with tokio's time from a given moment, so that tests can pause it and set it.
    Running {
        /// When it was started.
        since: Instant,
        /// What it said then.
        from: i64,
    },
}

impl Clock {
    /// A clock that says `from` now and goes with tokio's time.
    #[must_use]
    pub fn running(from: i64) -> Self {
        Self::Running { since: Instant::now(), from }
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub fn now(&self) -> i64 {
        match self {
            Self::System => system_now(),
            Self::Running { since, from } => from + millis(since.elapsed()),
        }
    }

    /// A time that never jumps.
    #[must_use]
    pub fn steady(&self) -> Instant {
        Instant::now()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the edge")]
fn system_now() -> i64 {
    // A machine whose clock stands before 1970 has nobody to talk to.
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// A duration as the wire and the tables have it.
#[must_use]
pub fn millis(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
