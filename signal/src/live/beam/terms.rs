//! What a live beam takes from the tables when it wakes, and again when it cannot know what they hold.

use std::collections::HashSet;

use heliograph_shared::ids::DeviceId;
use heliograph_storage::saved_beams::Access;

use super::items::Items;

/// What a beam is when it comes to life.
#[derive(Debug)]
pub struct Terms {
    /// Names this memory of the beam (S11).
    pub epoch: String,
    /// Until when it lives, and whose it is.
    pub status: Status,
    /// What it holds.
    pub items: Items,
    /// The devices that were removed (S25).
    pub removed: HashSet<DeviceId>,
}

/// Until when a beam lives, and whose it is.
#[derive(Clone, Debug)]
pub enum Status {
    /// Until its time, in memory.
    Unsaved {
        /// When it ends, in milliseconds since the Unix epoch.
        expires_at: i64,
        /// Whether there is a row of it.
        recorded: bool,
    },
    /// In somebody's account.
    Saved(Access),
    /// Over: deleted, or under another id.
    Ended,
}
