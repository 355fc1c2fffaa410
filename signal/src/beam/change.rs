//! What can be changed in a beam, who asks for it, and what must be stored before anybody is told.

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{Json, LiveItem};
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::NewNote;

use super::ConnectionId;

/// A wish to change the beam, as the edge has read it.
#[derive(Clone, Debug)]
pub enum Change {
    /// S7, S9.
    Share {
        /// The content.
        message: Json,
        /// The kind.
        extra: String,
        /// The item: the sender's choice or a fresh one.
        id: ItemId,
    },
    /// S10, S26.
    Delete {
        /// The content.
        message: Json,
        /// Only this item.
        id: Option<ItemId>,
    },
    /// S21, S23.
    Save(BeamName),
    /// S25.
    RemoveDevice(DeviceId),
}

/// Whose wish it is. It holds although the device may be gone when its turn comes.
#[derive(Clone, Copy, Debug)]
pub struct Speaker {
    /// The socket that is told if it is refused.
    pub connection: ConnectionId,
    /// The device.
    pub device: DeviceId,
    /// Came with the right key.
    pub creator: bool,
    /// Who is logged in there.
    pub account: Option<AccountId>,
}

/// What the tables are told. One at a time, so that their order is the beam's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Takes the beam into an account.
    Save {
        /// Whose it will be.
        owner: AccountId,
        /// Its name.
        name: BeamName,
        /// What was shared so far.
        notes: Vec<NewNote>,
    },
    /// Gives it another name.
    Rename {
        /// Who does it.
        actor: AccountId,
        /// The name.
        name: BeamName,
    },
    /// Stores a note, or puts it in the place of another.
    Put(NewNote),
    /// Deletes notes.
    Delete(Vec<ItemId>),
    /// Sends a device away.
    RemoveDevice(DeviceId),
}

/// Why something was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// It stands against what is stored: saved by somebody else, deleted, not allowed any more.
    Refused,
    /// The tables cannot be written now.
    Unavailable,
}

/// A change that is being stored, to be told when it is.
#[derive(Debug)]
pub(super) struct Pending {
    pub by: Speaker,
    pub change: Stored,
}

/// What is true once it is stored.
#[derive(Debug)]
pub(super) enum Stored {
    Saved { owner: AccountId, name: BeamName },
    Renamed(BeamName),
    Shared(LiveItem),
    Deleted { ids: Vec<ItemId>, message: Json, id: Option<ItemId> },
    Removed(DeviceId),
}
