//! The minimum rate of a sender: a slow one is waited for, a stalled one is not.

use std::time::Duration;

/// Time in which a sender must deliver [`LEAST_BYTES`] before it counts as stalled.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes in that time: 1 KiB a second, less than a phone at the edge of its network sends.
const LEAST_BYTES: usize = 30 * 1024;

/// Measures one sender: the time spent waiting for it, and the bytes that it delivered. Time in which the server stores
/// bytes instead of waiting does not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    waited: Duration,
    brought: usize,
}

impl Pace {
    /// How much longer to wait for the sender.
    #[must_use]
    pub fn patience(&self) -> Duration {
        PATIENCE.saturating_sub(self.waited)
    }

    /// Records bytes that came after waiting this long.
    pub fn came(&mut self, bytes: usize, waited: Duration) {
        self.waited += waited;
        self.brought += bytes;
        if self.brought >= LEAST_BYTES {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_a_kib_a_second_is_enough_and_a_byte_now_and_then_is_not() {
        let (mut slow, mut dripping) = (Pace::default(), Pace::default());
        for _ in 0..1_000 {
            slow.came(2 * 1024, Duration::from_millis(1_900));
            assert!(slow.patience() > Duration::ZERO);
        }
        for _ in 0..30 {
            assert!(dripping.patience() > Duration::ZERO);
            dripping.came(1, Duration::from_secs(1));
        }
        assert_eq!(dripping.patience(), Duration::ZERO);
    }
}
