//! The writes of a live beam, one at a time, and how a write ends.

use std::collections::HashSet;

use heliograph_shared::decode::Subject;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{Kept, LiveItem, Placed};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::notes::NewNote;

use super::behind::Unstored;
use super::content;
use super::earlier::Earlier;
use super::recovery::Findings;
use super::request::{Deletion, Speaker};
use super::terms::{Status, Terms};
use crate::address::Client;

/// A change to store. There is one at a time, so that the stored order is the beam's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Save the beam in an account.
    Save {
        /// Its owner.
        owner: AccountId,
        /// Its name.
        name: BeamName,
        /// Its items so far.
        notes: Vec<NewNote>,
        /// Where they lie, if their arrangement is shared.
        places: Option<Vec<Placed>>,
        /// What it knows of the items that it lacks.
        earlier: Earlier,
    },
    /// Rename the beam.
    Rename {
        /// The account that renames it.
        actor: AccountId,
        /// The name.
        name: BeamName,
    },
    /// Store a new or edited note of a saved beam.
    Put(NewNote),
    /// Keep the beam, or keep it for another time (S30).
    Keep {
        /// Until when, and by whose wish.
        kept: Kept,
        /// Whose quota it takes.
        client: Option<Client>,
        /// When the beam would expire.
        expires_at: Millis,
        /// Its items so far. They are stored if it is not kept yet, or no longer when they get there.
        notes: Vec<NewNote>,
        /// What it knows of the items that it lacks.
        earlier: Earlier,
    },
    /// Store a new, edited or restored note of a kept beam.
    PutKept(NewNote),
    /// Store what a kept beam has learnt of the items that it lacks.
    Learnt(Earlier),
    /// Keep the beam no longer.
    StopKeeping,
    /// Delete notes.
    Delete(Vec<ItemId>),
    /// Change the shared arrangement.
    Arrange {
        /// Whether it is on.
        shared: bool,
        /// New places.
        places: Vec<Placed>,
    },
    /// Remove a device.
    RemoveDevice {
        /// The device.
        device: DeviceId,
        /// Who asked, and is counted for it.
        client: Option<Client>,
    },
    /// Find out which of these files are gone. This takes the turn of a change, so that none stores their addresses
    /// meanwhile.
    FindGone(Vec<BlobId>),
}

/// How a write ended.
#[derive(Debug)]
pub enum Written {
    /// The change is stored.
    Done,
    /// Not stored: it conflicts with the stored state (saved by somebody else, deleted, no longer allowed).
    Refused,
    /// Not stored: the quota of the owner or of guests is full.
    Full,
    /// Not stored: the server's disk is full.
    DiskFull,
    /// Not stored: the database cannot be written now.
    Unavailable,
    /// Not stored: the address has asked for too much lately.
    TooFast,
    /// These files are gone.
    Gone(HashSet<BlobId>),
    /// Stored or not: the connection broke during the commit. The fresh stored state tells.
    Reloaded(Box<Terms>),
}

/// The write under way.
#[derive(Debug)]
pub(super) enum Pending {
    /// A device waits for it.
    Asked { by: Speaker, subject: Subject, effect: Effect },
    /// The devices know already.
    Behind(Unstored),
    /// Nothing is stored: the beam looks for these files, which may have gone.
    Looking(Vec<BlobId>),
}

/// The effect of a write, to tell the devices once it is stored.
#[derive(Debug)]
pub(super) enum Effect {
    Saved {
        owner: AccountId,
        name: BeamName,
    },
    Renamed(BeamName),
    Shared(LiveItem),
    /// An item came back (S28).
    Restored(LiveItem),
    /// A device knew that some of the items here were deleted (S28).
    Compared(Findings),
    Deleted {
        ids: Vec<ItemId>,
        deletion: Deletion,
    },
    Removed(DeviceId),
    Kept(Option<Kept>),
    Arranged {
        shared: bool,
        places: Vec<Placed>,
    },
}

impl Effect {
    /// Whether the effect concerns items, and not the beam as a whole.
    pub fn is_of_items(&self) -> bool {
        matches!(self, Self::Shared(_) | Self::Deleted { .. }) || self.is_recovery()
    }

    /// Whether it brings back what an earlier memory had. Nobody asked for that, so nobody is told that it failed.
    pub fn is_recovery(&self) -> bool {
        matches!(self, Self::Restored(_) | Self::Compared(_))
    }

    /// Whether the write stores every item of a beam that was in memory only.
    pub fn stores_all(&self) -> bool {
        matches!(self, Self::Kept(_) | Self::Saved { .. })
    }

    /// Whether the effect is in the stored state.
    pub fn is_in(&self, terms: &Terms) -> bool {
        let Terms { status, items, arrangement, removed, .. } = terms;
        match (self, status) {
            (Self::Saved { owner, .. }, Status::Saved(access)) => access.owner == *owner,
            (Self::Renamed(name), Status::Saved(access)) => access.name == name.as_str(),
            (
                Self::Shared(item) | Self::Restored(item),
                Status::Saved(_) | Status::Unsaved { kept: Some(_), .. },
            ) => items.find(item.id).is_some_and(|(stored, _)| stored.seq == item.seq),
            (
                Self::Deleted { ids, .. } | Self::Compared(Findings { deleted: ids, .. }),
                Status::Saved(_) | Status::Unsaved { .. },
            ) => ids.iter().all(|id| items.find(*id).is_none()),
            (Self::Kept(wanted), Status::Unsaved { kept, .. }) => kept == wanted,
            (Self::Arranged { shared, places }, Status::Saved(_)) => {
                arrangement.has(*shared, places)
            }
            (Self::Removed(device), _) => removed.contains(device),
            (Self::Kept(_), Status::Saved(_)) | (_, Status::Unsaved { .. } | Status::Ended) => {
                false
            }
        }
    }
}

/// An item as it is stored.
pub(super) fn note(item: &LiveItem, author: Option<AccountId>) -> NewNote {
    NewNote {
        id: item.id,
        seq: item.seq,
        content: item.message.get().to_owned(),
        upload: content::upload(&item.message),
        kind: item.extra.clone(),
        device: item.from,
        author,
        created_at: item.at,
    }
}
