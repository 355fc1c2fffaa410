//! The only file that reads the machine's clocks.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::core::event::Now;

#[expect(clippy::disallowed_methods, reason = "this is the edge")]
pub fn now() -> Now {
    // A clock before 1970 reads as the epoch.
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Now { steady: Instant::now(), unix }
}
