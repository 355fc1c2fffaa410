//! The requests of a device to its beam, and who makes them.

use heliograph_shared::decode::Subject;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::{BeamName, Kind};
use heliograph_shared::socket::{Arrange, Json};
use heliograph_storage::accounts::AccountId;

use super::ConnectionId;

/// A decoded request to change the beam.
#[derive(Clone, Debug)]
pub enum Request {
    /// Share or edit an item (S7, S9).
    Share {
        /// The content.
        message: Json,
        /// The kind.
        kind: Kind,
        /// The item's id: the sender's, or a fresh one.
        id: ItemId,
    },
    /// Delete items (S10, S26).
    Delete {
        /// The content to delete.
        message: Json,
        /// Delete only this item.
        id: Option<ItemId>,
    },
    /// Save or rename the beam (S21, S23).
    Save(BeamName),
    /// Change the shared arrangement (S35).
    Arrange(Arrange),
    /// Remove a device (S25).
    RemoveDevice(DeviceId),
}

impl Request {
    /// The item that an error names (S14).
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Share { id, .. } => Subject::item(*id),
            Self::Delete { id, .. } => Subject { id: *id, to: None },
            Self::RemoveDevice(device) => Subject::device(*device),
            Self::Save(_) | Self::Arrange(_) => Subject::default(),
        }
    }

    /// Bytes of content in the request. Its other fields are small.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Share { message, .. } | Self::Delete { message, .. } => message.get().len(),
            Self::Arrange(change) => size_of_val(change.places.as_slice()),
            Self::Save(_) | Self::RemoveDevice(_) => 0,
        }
    }
}

/// The author of a request. The request stays valid when the device leaves before its turn.
#[derive(Clone, Copy, Debug)]
pub struct Speaker {
    /// The socket that gets the refusal.
    pub connection: ConnectionId,
    /// The device.
    pub device: DeviceId,
    /// Whether the device had the right beam key.
    pub creator: bool,
    /// The account, if the device is logged in.
    pub account: Option<AccountId>,
}
