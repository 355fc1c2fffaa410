//! The live channel's messages, named by direction (PROTOCOL.md, section S).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::api::accounts::PublicUser;
use crate::api::beams::{LinkAccess, Role};
use crate::error::ErrorCode;
use crate::ids::{DeviceId, DeviceToken, ItemId};

pub use crate::json::Json;

/// What a device sends.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message (S1).
    Auth {
        /// The beam key, or null.
        message: Option<String>,
        /// Absent from plain devices (S3).
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        extra: Option<AuthExtra>,
    },
    /// Shares an item, or replaces the one with the same id (S7, S9).
    ShareClipboard {
        /// The content: any JSON value.
        #[ts(type = "unknown")]
        message: Json,
        /// The kind of item.
        extra: String,
        /// The item's id.
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<ItemId>,
    },
    /// Deletes items by content, or one by id (S10).
    DeleteNote {
        /// The content.
        #[ts(type = "unknown")]
        message: Json,
        /// Only this item.
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<ItemId>,
    },
    /// Takes the beam into the account of the logged-in creator, or renames it (S21, S23).
    SaveBeam {
        /// The beam's name.
        #[ts(type = "unknown")]
        message: Json,
    },
    /// Asks for a page of the live items (S11).
    Sync {
        /// From where.
        message: SyncFrom,
    },
    /// Removes a device for good (S25).
    RemoveDevice {
        /// The device.
        message: DeviceId,
    },
    /// For another device, unread (S12).
    Signal {
        /// Opaque.
        #[ts(type = "unknown")]
        message: Json,
        /// To whom.
        extra: SignalTo,
    },
}

/// What our clients say of themselves in `auth` (S3).
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AuthExtra {
    /// Version of this protocol: 1.
    #[serde(default)]
    pub v: u32,
    /// What the device can do.
    #[serde(default)]
    pub caps: Vec<Cap>,
    /// "Chrome on Android".
    #[serde(default)]
    pub name: Option<String>,
    /// Makes the device the same one after a reconnect (S5).
    #[serde(default)]
    pub device_token: Option<DeviceToken>,
}

/// What a device can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// Speaks frames: takes and gives files, directly or through the relay.
    Files,
    /// Has WebRTC.
    Rtc,
    /// Something newer than this server.
    #[serde(other)]
    Unknown,
}

/// Where a `sync` page starts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
pub struct SyncFrom {
    /// After this item; null for the first.
    #[serde(default)]
    pub after: Option<u64>,
}

/// The addressee of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignalTo {
    /// The device.
    pub to: DeviceId,
}

/// The sender of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignalFrom {
    /// The device.
    pub from: DeviceId,
}

/// What the server sends.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The device is in.
    AuthSuccess {
        /// A word for people who read the wire.
        message: String,
    },
    /// What a device of ours must know (S4).
    Welcome {
        /// All of it.
        message: Welcome,
    },
    /// Who is here, in the order in which they joined (S6).
    AuthedUsers {
        /// The devices.
        message: Vec<Device>,
    },
    /// An item was shared or replaced (S7 to S9).
    RecClipboard(LiveItem),
    /// Items were deleted (S10).
    DeleteNote {
        /// The content.
        #[ts(type = "unknown")]
        message: Json,
        /// Only this item.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<ItemId>,
    },
    /// A page of live items (S11).
    Sync {
        /// The page.
        message: SyncPage,
    },
    /// From another device (S12).
    Signal {
        /// Opaque.
        #[ts(type = "unknown")]
        message: Json,
        /// From whom.
        extra: SignalFrom,
    },
    /// The beam is in an account now; what was shared is stored (S21).
    BeamSaved {
        /// The beam, as this device sees it.
        message: SavedBeam,
    },
    /// The beam has another name (S23).
    BeamRenamed {
        /// The name.
        message: String,
    },
    /// What this device may has changed, or what the link allows (S24).
    AccessChanged {
        /// The beam, as this device sees it now.
        message: SavedBeam,
    },
    /// These devices may no longer be here; links to them end (S25).
    DevicesRemoved {
        /// The devices.
        message: Vec<DeviceId>,
    },
    /// A message was refused; the socket stays (S14).
    Error {
        /// A sentence for a person.
        message: String,
        /// The same for a program.
        extra: ErrorCode,
        /// The item whose share or deletion was refused (S14).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        id: Option<ItemId>,
        /// The device that a refused signal or relay frame was for (S12, R2, R3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to: Option<DeviceId>,
    },
}

/// What a device of ours must know of its beam and its server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Welcome {
    /// This device.
    pub device_id: DeviceId,
    /// Servers for `RTCPeerConnection`.
    pub ice_servers: Vec<IceServer>,
    /// When the beam ends, by the server's clock; null for a saved one.
    pub expires_at: Option<i64>,
    /// The server's clock.
    pub now: i64,
    /// Whether this device came with the right key.
    pub creator: bool,
    /// What is known of the beam if it is a saved one.
    pub saved: Option<SavedBeam>,
}

/// A saved beam, as one device sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedBeam {
    /// Its name.
    pub beam_name: String,
    /// What this device may (B6).
    pub role: Role,
    /// What the link allows (B5).
    pub link_access: LinkAccess,
}

/// As `RTCIceServer` of the W3C's WebRTC has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IceServer {
    /// `stun:` and `turn:` addresses.
    pub urls: Vec<String>,
    /// For TURN.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// For TURN.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
}

/// A device in the beam.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Device {
    /// Its id.
    pub device_id: DeviceId,
    /// "Chrome on Android"; a plain device has "Another device".
    pub name: String,
    /// What it can do; empty for a plain device.
    pub caps: Vec<Cap>,
    /// Who is logged in there (B7): its fields stand beside the device's.
    #[serde(flatten, default)]
    #[ts(flatten)]
    pub user: DeviceUser,
}

/// Who is logged in at a device, beside the device's own fields: all of them, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DeviceUser {
    /// Unique without case.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Given name.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// Family name.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Address of the picture, relative to the origin.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_picture: Option<String>,
}

impl From<PublicUser> for DeviceUser {
    fn from(user: PublicUser) -> Self {
        let PublicUser { username, first_name, last_name, profile_picture } = user;
        Self {
            username: Some(username),
            first_name: Some(first_name),
            last_name: Some(last_name),
            profile_picture,
        }
    }
}

/// An item as the server keeps and sends it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LiveItem {
    /// The content, byte for byte.
    #[ts(type = "unknown")]
    pub message: Json,
    /// The kind.
    pub extra: String,
    /// The item.
    pub id: ItemId,
    /// Its place in the order of the beam.
    pub seq: u64,
    /// Who shared it.
    pub from: DeviceId,
    /// When, by the server's clock.
    pub at: i64,
}

/// A page of live items.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SyncPage {
    /// Names this memory of the beam.
    pub epoch: String,
    /// The first item that the server still has room for; older ones were let go, not deleted.
    pub oldest: u64,
    /// In order.
    pub items: Vec<LiveItem>,
    /// Ask again after this one; null at the end.
    pub next: Option<u64>,
}
