//! What a live beam writes to the tables, one write at a time, and how a write ends.

use heliograph_shared::decode::Subject;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{Json, LiveItem};
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::NewNote;

use super::request::Speaker;
use super::terms::Terms;

/// A change of the tables. One at a time, so that their order is the beam's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Takes the beam into an account.
    Save {
        /// Its owner from then on.
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
    /// Removes a device.
    RemoveDevice(DeviceId),
}

/// How a write ended.
#[derive(Debug)]
pub enum Written {
    /// It is stored.
    Done,
    /// It is not stored: it contradicts what is stored (saved by somebody else, deleted, no longer allowed).
    Refused,
    /// It is not stored: the owner's quota is full.
    Full,
    /// It is not stored: the tables cannot be written now.
    Unavailable,
    /// It may be stored or not, for the connection broke. This is what the tables hold now.
    Reloaded(Box<Terms>),
}

/// A write that is under way.
#[derive(Debug)]
pub(super) struct Pending {
    pub by: Speaker,
    pub subject: Subject,
    pub effect: Effect,
}

/// What is told once a write is stored.
#[derive(Debug)]
pub(super) enum Effect {
    Saved { owner: AccountId, name: BeamName },
    Renamed(BeamName),
    Shared(LiveItem),
    Deleted { ids: Vec<ItemId>, message: Json, id: Option<ItemId> },
    Removed(DeviceId),
}
