//! How much an allocation may relay.

use std::time::{Duration, Instant};

/// A bucket that fills with time. It holds what one second brings.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    rate: u64,
    tokens: u64,
    filled: Instant,
}

impl TokenBucket {
    /// A full bucket for `rate` bytes a second.
    #[must_use]
    pub fn new(rate: u64, now: Instant) -> Self {
        Self { rate, tokens: rate, filled: now }
    }

    /// Takes bytes out if they are there.
    pub fn take(&mut self, bytes: usize, now: Instant) -> bool {
        self.fill(now);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        match self.tokens.checked_sub(bytes) {
            Some(rest) => {
                self.tokens = rest;
                true
            }
            None => false,
        }
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.filled).min(Duration::from_secs(1));
        let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let brought = u128::from(self.rate) * u128::from(nanos) / 1_000_000_000;
        // Below one byte the time is kept, so that small steps add up.
        if brought > 0 {
            let brought = u64::try_from(brought).unwrap_or(u64::MAX);
            self.tokens = self.tokens.saturating_add(brought).min(self.rate);
            self.filled = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "any moment will do")]
    fn start() -> Instant {
        Instant::now()
    }

    #[test]
    fn a_second_of_data_passes_at_once_and_then_as_much_as_time_brings() {
        let start = start();
        let mut bucket = TokenBucket::new(1_000, start);
        assert!(bucket.take(600, start) && bucket.take(400, start));
        assert!(!bucket.take(1, start));
        assert!(!bucket.take(501, start + Duration::from_millis(500)));
        assert!(bucket.take(500, start + Duration::from_millis(500)));
    }

    #[test]
    fn a_long_pause_brings_one_second_of_data() {
        let start = start();
        let mut bucket = TokenBucket::new(1_000, start);
        let later = start + Duration::from_mins(1);
        assert!(bucket.take(1_000, later) && !bucket.take(1, later));
    }

    #[test]
    fn many_small_steps_bring_as_much_as_a_large_one() {
        let start = start();
        let mut bucket = TokenBucket::new(1_000, start);
        assert!(bucket.take(1_000, start));
        let step = |n: u32| start + Duration::from_micros(300) * n;
        let passed = (0..=10_000).filter(|&n| bucket.take(1, step(n))).count();
        assert!((2_200..=3_000).contains(&passed), "{passed}");
    }
}
