//! Decides when links to a device are dead: something is wanted on them and no chunk of any file has arrived for too long
//! (L2).

use std::time::Duration;

/// Silence after which a link is dead. One frame of 64 KiB takes as long at 64 kbit/s.
pub const STALL: Duration = Duration::from_secs(8);
/// Silence after which nothing more is waited for on a link that is to end anyway (L6).
const QUIET: Duration = Duration::from_secs(2);
/// So many links of a bundle may share the narrowest way before each of them is given more time.
const SHARING: u32 = 4;

/// When one link last gave a sign of life.
#[derive(Clone, Copy, Debug, Default)]
pub struct StallClock {
    last_sign: Duration,
}

impl StallClock {
    /// Restarts the clock: a chunk arrived, or the first `want` was sent.
    pub fn touch(&mut self, now: Duration) {
        self.last_sign = now;
    }

    /// Whether what is expected still comes, so that a link that is to end may wait for it.
    #[must_use]
    pub fn is_carrying(&self, now: Duration) -> bool {
        self.silence(now) <= QUIET
    }

    /// Whether nothing has arrived for so long that a link which shares its way with no other is dead.
    #[must_use]
    pub fn is_silent(&self, now: Duration) -> bool {
        self.is_stalled(now, 1)
    }

    /// Whether the link is dead. `sharing` is the number of links that share its way, itself included.
    #[must_use]
    pub fn is_stalled(&self, now: Duration, sharing: u32) -> bool {
        self.silence(now) > STALL * sharing.max(SHARING) / SHARING
    }

    fn silence(&self, now: Duration) -> Duration {
        now.saturating_sub(self.last_sign)
    }
}
