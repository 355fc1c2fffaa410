//! What the devices know before the tables do. Each move of a drag would be a commit, so the places of a saved beam's notes
//! are stored together, [`WRITE_BEHIND`] after the first of them (S35), and so is what a kept beam learns of its lost
//! items (S28).

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use heliograph_shared::ids::ItemId;
use heliograph_shared::socket::Placed;
use heliograph_storage::blobs::BlobId;

/// How long the tables may be behind. A server that is killed loses no more than that.
pub(super) const WRITE_BEHIND: Duration = Duration::from_secs(1);

/// What is not stored yet, beside what the items have learnt, and what is not known yet.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The last places of the notes that were moved.
    pub moved: HashMap<ItemId, Placed>,
    /// Files that items name, and that may have gone with an earlier keeping of the beam (S30).
    pub doubtful: BTreeSet<BlobId>,
    /// Whether the caller was asked to tell when it is time to store.
    pub is_expected: bool,
    /// Whether it told while something else was being stored.
    pub is_due: bool,
}

/// What is being stored although the devices know it already.
#[derive(Debug)]
pub(super) enum Unstored {
    /// Where notes of a saved beam were moved to (S35).
    Places(Vec<Placed>),
    /// What a kept beam has learnt of the items that it lacks (S28).
    Learnt,
}
