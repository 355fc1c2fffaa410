//! The requests of a device to its beam, and who makes them.

use heliograph_shared::decode::Subject;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::{BeamName, Kind};
use heliograph_shared::socket::{Arrange, Held, Json, KeepTime, LiveItem, ServerMessage};
use heliograph_storage::accounts::AccountId;

use super::ConnectionId;
use crate::address::Client;

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
        /// The only other device that gets it (S33).
        to: Option<DeviceId>,
    },
    /// Delete items (S10, S26).
    Delete(Deletion),
    /// Compare what the device holds of an earlier memory (S28).
    Held(Held),
    /// Bring back an item of an earlier memory (S28).
    Restore(LiveItem),
    /// Save or rename the beam (S21, S23).
    Save(BeamName),
    /// Change the shared arrangement (S35).
    Arrange(Arrange),
    /// Remove a device (S25).
    RemoveDevice(DeviceId),
    /// Keep the beam for so long, or no longer (S30).
    Keep(Option<KeepTime>),
}

/// A deletion, as one device asks for it and as the others are told of it.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// The content to delete.
    pub message: Json,
    /// What goes along, unread (E4).
    pub extra: Option<String>,
    /// Delete only this item.
    pub id: Option<ItemId>,
}

impl From<Deletion> for ServerMessage {
    fn from(Deletion { message, extra, id }: Deletion) -> Self {
        Self::DeleteNote { message, extra, id }
    }
}

impl Request {
    /// The item that an error names (S14).
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Share { id, .. } => Subject::item(*id),
            Self::Delete(deletion) => Subject { id: deletion.id, to: None },
            Self::RemoveDevice(device) => Subject::device(*device),
            // Nobody waits for an answer to a `restore`.
            Self::Save(_) | Self::Keep(_) | Self::Arrange(_) | Self::Held(_) | Self::Restore(_) => {
                Subject::default()
            }
        }
    }

    /// Bytes of content in the request. Its other fields are small.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Share { message, .. } => message.get().len(),
            Self::Delete(Deletion { message, extra, .. }) => {
                message.get().len() + extra.as_ref().map_or(0, String::len)
            }
            Self::Restore(item) => item.message.get().len() + item.extra.len(),
            Self::Held(held) => size_of_val(&*held.items) + size_of_val(&*held.known),
            Self::Arrange(change) => size_of_val(change.places.as_slice()),
            Self::Save(_) | Self::RemoveDevice(_) | Self::Keep(_) => 0,
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
    /// The client whose quota takes what the device asks to keep, if any ([`Client::of`]).
    pub client: Option<Client>,
}
