//! Bytes and times as fractional numbers, for rates in bytes a millisecond.

use std::time::Duration;

/// Milliseconds.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Bytes. Beyond 2^53 it is not exact.
#[expect(clippy::cast_precision_loss, reason = "a rate is no more exact than this")]
pub const fn bytes(count: u64) -> f64 {
    count as f64
}

/// The whole bytes of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "that is what it is for"
)]
pub const fn whole(bytes: f64) -> u64 {
    bytes as u64
}
