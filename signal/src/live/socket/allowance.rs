//! Rate limits of one socket (S15).

use std::time::Duration;

use heliograph_shared::limits::{
    MESSAGE_BURST, MESSAGES_PER_SECOND, TEXT_KIB_BURST, TEXT_KIB_PER_SECOND,
};
use tokio::time::Instant;

use crate::limit::{Bucket, Rate};

/// Messages of one socket (S15).
const MESSAGES: Rate = Rate {
    burst: MESSAGE_BURST,
    every: Duration::from_micros(1_000_000 / MESSAGES_PER_SECOND as u64),
};
/// Text of one socket, in KiB (S15). Separate from the messages, because each text is queued for every other device.
const TEXT: Rate = Rate {
    burst: TEXT_KIB_BURST,
    every: Duration::from_micros(1_000_000 / TEXT_KIB_PER_SECOND as u64),
};

/// The remaining allowance of a socket (S15).
pub(super) struct Allowance {
    messages: Bucket,
    text: Bucket,
}

impl Allowance {
    /// A full allowance.
    pub(super) fn full(now: Instant) -> Self {
        Self { messages: Bucket::full(now), text: Bucket::full(now) }
    }

    /// Counts one message of this many bytes, or returns the time until it is allowed.
    pub(super) fn take(&mut self, bytes: usize, now: Instant) -> Result<(), Duration> {
        let kib = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).min(TEXT.burst);
        // Both buckets are charged or neither, so that a retry after a wait does not count twice.
        let mut text = self.text;
        text.take_many(TEXT, kib, now)?;
        self.messages.take(MESSAGES, now)?;
        self.text = text;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn s15_two_mib_of_text_come_at_once_and_then_one_a_second() {
        let now = now();
        let mut allowance = Allowance::full(now);
        for _ in 0..8 {
            assert_eq!(allowance.take(256 * 1024, now), Ok(()));
        }
        let wait = allowance.take(256 * 1024, now).unwrap_err();
        assert!(wait > Duration::from_millis(245) && wait < Duration::from_millis(255), "{wait:?}");
        assert_eq!(allowance.take(256 * 1024, now + wait), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn s15_short_messages_are_limited_by_their_number_alone() {
        let now = now();
        let mut allowance = Allowance::full(now);
        for _ in 0..MESSAGE_BURST {
            assert_eq!(allowance.take(20, now), Ok(()));
        }
        assert!(allowance.take(20, now).is_err());
    }

    /// The current time on tokio's clock.
    fn now() -> Instant {
        tokio::time::sleep(Duration::ZERO).deadline()
    }
}
