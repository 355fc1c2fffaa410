//! Frees the disk of what nobody goes on with.

use super::error::FileError;
use super::journal::Journal;
use super::received::remove_part;

/// What nobody has gone on with for so many milliseconds is removed: seven days, as in the browser.
const UNUSED_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Removes old entries with what lies on the disk by them. Finished files stay.
pub fn sweep(journal: &Journal, now: i64) -> Result<(), FileError> {
    for item in journal.items()? {
        let Some(entry) = journal.read(item) else { continue };
        if now.saturating_sub(entry.used_at) <= UNUSED_MS {
            continue;
        }
        // One that a program goes on with stays.
        let Ok(_lock) = journal.lock(item) else { continue };
        let is_old = |entry: &super::journal::Entry| now.saturating_sub(entry.used_at) > UNUSED_MS;
        if let Some(entry) = journal.read(item).filter(is_old) {
            remove_part(&entry);
            journal.remove(item);
        }
    }
    journal.tidy()
}
