//! What a device asks of its beam, and who asks.

use heliograph_shared::decode::Subject;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::names::{BeamName, Kind};
use heliograph_shared::socket::Json;
use heliograph_storage::accounts::AccountId;

use super::ConnectionId;

/// A request to change the beam, as the edge has read it.
#[derive(Clone, Debug)]
pub enum Request {
    /// S7, S9.
    Share {
        /// The content.
        message: Json,
        /// The kind.
        kind: Kind,
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

impl Request {
    /// What an error about it names (S14).
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Share { id, .. } => Subject::item(*id),
            Self::Delete { id, .. } => Subject { id: *id, to: None },
            Self::RemoveDevice(device) => Subject::device(*device),
            Self::Save(_) => Subject::default(),
        }
    }

    /// Bytes of content that wait with it; its other fields are small.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Share { message, .. } | Self::Delete { message, .. } => message.get().len(),
            Self::Save(_) | Self::RemoveDevice(_) => 0,
        }
    }
}

/// Who asks. It holds although the device may be gone when the request has its turn.
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
