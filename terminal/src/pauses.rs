//! Pauses before a server is tried again that was not reached.

use std::time::Duration;

/// The last one repeats.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_mins(1),
];

/// The pause after it was tried so often in vain before.
#[must_use]
pub fn pause_after(failures: usize) -> Duration {
    *PAUSES.get(failures).unwrap_or(&PAUSES[3])
}
