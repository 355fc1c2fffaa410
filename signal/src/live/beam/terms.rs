//! The state that a live beam loads from the database when it wakes, and again after an uncertain write.

use std::collections::HashSet;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::Kept;
use heliograph_shared::time::Millis;
use heliograph_storage::saved_beams::Access;

use super::arrangement::Arrangement;
use super::items::Items;

/// The loaded state of a beam.
#[derive(Debug)]
pub struct Terms {
    /// Names this memory of the beam (S11).
    pub epoch: String,
    /// How long it lives, and who has access.
    pub status: Status,
    /// Its items.
    pub items: Items,
    /// Where they lie, if that is the same for everybody (S35).
    pub arrangement: Arrangement,
    /// The removed devices (S25).
    pub removed: HashSet<DeviceId>,
    /// Whether what was shared in it is no longer there (S31).
    pub forgotten: bool,
}

/// How long a beam lives, and who has access.
#[derive(Clone, Debug)]
pub enum Status {
    /// Lives until a fixed time: in memory, or also in the database while it is kept.
    Unsaved {
        /// Its end.
        expires_at: Millis,
        /// Whether the database knows that something was shared in it.
        recorded: bool,
        /// How it is kept, if somebody asked (S30).
        kept: Option<Kept>,
    },
    /// Saved in an account.
    Saved(Access),
    /// Deleted, or renewed under another id.
    Ended,
}
