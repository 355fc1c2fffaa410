//! How fast a socket may say something (S15).

use std::time::Duration;

use heliograph_shared::limits::{
    MESSAGE_BURST, MESSAGES_PER_SECOND, TEXT_KIB_BURST, TEXT_KIB_PER_SECOND,
};
use tokio::time::Instant;

use crate::limit::{Bucket, Rate};

/// How often a socket may say something (S15).
const MESSAGES: Rate = Rate {
    burst: MESSAGE_BURST,
    every: Duration::from_micros(1_000_000 / MESSAGES_PER_SECOND as u64),
};
/// How much text a socket may send, in KiB (S15): what it says stands in the outbox of every other device.
const TEXT: Rate = Rate {
    burst: TEXT_KIB_BURST,
    every: Duration::from_micros(1_000_000 / TEXT_KIB_PER_SECOND as u64),
};

/// What a socket may still say now (S15).
pub(super) struct Allowance {
    messages: Bucket,
    text: Bucket,
}

impl Allowance {
    /// Nothing was said yet.
    pub(super) fn full(now: Instant) -> Self {
        Self { messages: Bucket::full(now), text: Bucket::full(now) }
    }

    /// Takes one message of so many bytes, or says how long it has to wait.
    pub(super) fn take(&mut self, bytes: usize, now: Instant) -> Result<(), Duration> {
        let kib = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).min(TEXT.burst);
        // The message is counted once its text is: a wait for either counts neither twice.
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

    /// The clock's now, without asking the system's.
    fn now() -> Instant {
        tokio::time::sleep(Duration::ZERO).deadline()
    }
}
