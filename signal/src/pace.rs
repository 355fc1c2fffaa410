//! The least rate of a sender: slow is allowed, standing still is not.

use std::time::Duration;

/// Time in which a sender must bring [`LEAST_BYTES`] before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of such a time: 1 KiB a second. A telephone on the edge of its network is faster than that.
const LEAST_BYTES: usize = 30 * 1024;

/// How long a sender has been waited for, and what it brought meanwhile. The time in which nobody waits for it, because
/// what it brought is being stored, is not its fault and does not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    waited: Duration,
    brought: usize,
}

impl Pace {
    /// How long it may still be waited for.
    #[must_use]
    pub fn patience(&self) -> Duration {
        PATIENCE.saturating_sub(self.waited)
    }

    /// So many bytes came after so long.
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
