//! The speed of a transfer.

use std::time::Duration;

use crate::measures::{bytes as float, millis};

/// Weight of the newest sample in the moving average: smooth enough to read, quick enough to follow a change.
const NEWEST: f64 = 0.3;
/// Without a byte for so long, nothing moves. On the slowest links that are usable, chunks come more often.
const STILL: Duration = Duration::from_secs(4);

#[derive(Clone, Copy, Debug)]
struct Sample {
    bytes: u64,
    at: Duration,
    moved_at: Duration,
    per_second: f64,
}

/// The speed of one transfer.
#[derive(Debug, Default)]
pub struct Speed(Option<Sample>);

impl Speed {
    /// Bytes a second; 0 while nothing moves. `bytes` are all that have moved by now.
    pub fn sample(&mut self, bytes: u64, now: Duration) -> f64 {
        let Some(last) = self.0 else {
            self.0 = Some(Sample { bytes, at: now, moved_at: now, per_second: 0.0 });
            return 0.0;
        };
        let elapsed = now.saturating_sub(last.at);
        if elapsed.is_zero() {
            return last.per_second;
        }
        let current = float(bytes.saturating_sub(last.bytes)) * 1_000.0 / millis(elapsed);
        let is_first = last.per_second == 0.0;
        let average = last.per_second * (1.0 - NEWEST) + current * NEWEST;
        let per_second = if is_first { current } else { average };
        let moved_at = if bytes > last.bytes { now } else { last.moved_at };
        self.0 = Some(Sample { bytes, at: now, moved_at, per_second });
        // The average alone would fall for a minute, and promise ever later ends.
        if now.saturating_sub(moved_at) < STILL { per_second } else { 0.0 }
    }
}
