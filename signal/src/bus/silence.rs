//! How long the bus has not answered.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A bus that does not answer for longer is not only being restarted. Whoever spreads devices over the nodes prefers others
/// then.
const LONG: Duration = Duration::from_secs(15);

/// Since when there has been no answer.
#[derive(Debug, Default)]
pub(super) struct Silence(Mutex<Option<Instant>>);

impl Silence {
    /// There is no answer. Returns whether there was one before.
    pub fn begins(&self) -> bool {
        let mut since = self.lock();
        let is_new = since.is_none();
        since.get_or_insert_with(Instant::now);
        is_new
    }

    /// There is an answer. Returns whether there was none before.
    pub fn ends(&self) -> bool {
        self.lock().take().is_some()
    }

    /// Whether there is none.
    pub fn is_on(&self) -> bool {
        self.lock().is_some()
    }

    /// Whether that has been so for long.
    pub fn is_long(&self) -> bool {
        self.lock().is_some_and(|since| since.elapsed() >= LONG)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silence_is_long_after_a_while_and_over_with_one_answer() {
        let silence = Silence::default();
        assert!(!silence.ends() && silence.begins() && !silence.begins());
        assert!(silence.is_on() && !silence.is_long());
        tokio::time::advance(LONG).await;
        assert!(silence.is_long());
        assert!(silence.ends() && !silence.is_on() && !silence.is_long());
    }
}
