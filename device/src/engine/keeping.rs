//! When what is here of an unfinished file is entered into the journal: its chunks, and the hashes that were told of it.

use std::time::Duration;

use heliograph_shared::limits::LARGEST_BUDGET_BYTES;

/// An unfinished file is entered after so many bytes or so long. What a run that ends had received since then is requested again: no
/// more than the largest window (F4), even if the last entry was still under way.
const KEPT_BYTES: u64 = LARGEST_BUDGET_BYTES as u64 / 2;
const KEPT: Duration = Duration::from_secs(1);
/// Hashes are written all at once, 32 bytes for each MiB of the file, and so less often.
const HASHES_KEPT: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct Keeping {
    /// Bytes that are durable and not in the journal, and when it was written last.
    unkept: u64,
    kept_at: Duration,
    hashes_kept_at: Duration,
}

impl Keeping {
    /// Bytes became durable.
    pub const fn wrote(&mut self, bytes: u64) {
        self.unkept += bytes;
    }

    /// Whether an entry is due.
    pub fn is_due(&self, now: Duration) -> bool {
        let is_late = now.saturating_sub(self.kept_at) >= KEPT;
        self.unkept > 0 && (is_late || self.unkept >= KEPT_BYTES)
    }

    /// Whether an entry of the hashes is due, if there are new ones.
    pub fn are_hashes_due(&self, now: Duration) -> bool {
        now.saturating_sub(self.hashes_kept_at) >= HASHES_KEPT
    }

    pub const fn entered(&mut self, now: Duration) {
        self.unkept = 0;
        self.kept_at = now;
    }

    pub const fn entered_hashes(&mut self, now: Duration) {
        self.hashes_kept_at = now;
    }
}
