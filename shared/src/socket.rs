//! The messages of the websocket, by direction (PROTOCOL.md, section S).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::api::beams::{LinkAccess, Role};
use crate::error::ErrorCode;
use crate::ids::{DeviceId, ItemId};
use crate::limits::Limits;
use crate::time::Millis;

pub use crate::arrangement::{Arrange, Arranged, Placed};
pub use crate::device::{AuthExtra, Cap, Device, DeviceUser};
pub use crate::join_policy::JoinPolicy;
pub use crate::json::Json;
pub use crate::relay::RelayUse;

/// A message from a device.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message (S1).
    Auth {
        /// The beam key, or null.
        message: Option<String>,
        /// Details of the device; absent from plain devices (S3).
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
        /// The only other device that gets it (S33).
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<DeviceId>,
    },
    /// Deletes items by content, or one by id (S10).
    DeleteNote {
        /// The content.
        #[ts(type = "unknown")]
        message: Json,
        /// An envelope that says who deletes a sealed item (E4).
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        extra: Option<String>,
        /// The item, to delete only that one.
        #[ts(optional)]
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<ItemId>,
    },
    /// Saves the beam in the account of the logged-in creator, or renames it (S21, S23).
    SaveBeam {
        /// The beam's name.
        #[ts(type = "unknown")]
        message: Json,
    },
    /// Keeps an unsaved beam's items on the server for a while, or no longer (S30).
    Keep {
        /// For how long from now; null to keep them no longer.
        message: Option<KeepTime>,
    },
    /// Asks for a page of the live items (S11).
    Sync {
        /// Where the page starts.
        message: SyncFrom,
    },
    /// Changes the shared arrangement (S35).
    Arrange {
        /// The change.
        message: Arrange,
    },
    /// Removes a device permanently (S25).
    RemoveDevice {
        /// The device's id.
        message: DeviceId,
    },
    /// Tells what this device holds of a memory that the server has lost (S28).
    Held {
        /// The items, and what the device knows of the others.
        message: Held,
    },
    /// Brings back an item that the server wanted (S28).
    Restore {
        /// The item as it was.
        message: LiveItem,
    },
    /// Gives this device another name (S32).
    RenameDevice {
        /// The name.
        message: String,
    },
    /// Forwarded to another device unread (S12).
    Signal {
        /// Opaque to the server.
        #[ts(type = "unknown")]
        message: Json,
        /// The receiver.
        extra: SignalTo,
    },
    /// The ways in to a sealed beam, forwarded as a signal is (E6).
    E2e {
        /// Opaque to the server.
        #[ts(type = "unknown")]
        message: Json,
        /// The receiver.
        extra: SignalTo,
    },
}

/// For how long an unsaved beam can be kept (P26).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum KeepTime {
    /// One hour.
    #[serde(rename = "1h")]
    Hour,
    /// One day: as long as an unsaved beam lives.
    #[serde(rename = "24h")]
    Day,
}

impl KeepTime {
    /// The time.
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::Hour => Duration::from_hours(1),
            Self::Day => Duration::from_hours(24),
        }
    }
}

/// The start of a `sync` page.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
pub struct SyncFrom {
    /// Sequence number of the item before the page; null for the first page.
    #[serde(default)]
    pub after: Option<u64>,
}

/// What a device holds of a memory that the server has lost (S28).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Held {
    /// Ranges of sequence numbers, both ends included: of each, the device holds every item that was not deleted.
    #[serde(default)]
    pub known: Vec<(u64, u64)>,
    /// The items.
    pub items: Vec<HeldItem>,
}

/// An item that a device holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeldItem {
    /// The item's id.
    pub id: ItemId,
    /// Its sequence number.
    pub seq: u64,
}

/// The receiver of what the server forwards unread (S12, E6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignalTo {
    /// The device's id.
    pub to: DeviceId,
}

/// The sender of what the server forwards unread (S12, E6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignalFrom {
    /// The device's id.
    pub from: DeviceId,
}

/// A message from the server.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The device has joined.
    AuthSuccess {
        /// A greeting without meaning.
        message: String,
    },
    /// Tells a device about its beam and server (S4).
    Welcome {
        /// The details.
        message: Welcome,
    },
    /// The devices in the beam, in the order in which they joined (S6).
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
        /// The `extra` of the deletion (E4); absent where the server deletes, and for plain devices.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra: Option<String>,
        /// The item, if only that one was deleted.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<ItemId>,
    },
    /// A page of live items (S11).
    Sync {
        /// The page.
        message: SyncPage,
    },
    /// The device is asked to bring back these items (S28).
    Wanted {
        /// The items, oldest first.
        message: Vec<ItemId>,
    },
    /// A signal from another device (S12).
    Signal {
        /// Opaque to the server.
        #[ts(type = "unknown")]
        message: Json,
        /// The sender.
        extra: SignalFrom,
    },
    /// A message of another device about the ways in to a sealed beam (E6).
    E2e {
        /// Opaque to the server.
        #[ts(type = "unknown")]
        message: Json,
        /// The sender.
        extra: SignalFrom,
    },
    /// The beam was saved in an account, and its items are stored (S21).
    BeamSaved {
        /// The beam, as this device sees it.
        message: SavedBeam,
    },
    /// The beam was renamed (S23).
    BeamRenamed {
        /// The new name.
        message: String,
    },
    /// The role of this device or the link access changed (S24).
    AccessChanged {
        /// The beam, as this device sees it now.
        message: SavedBeam,
    },
    /// The keys that lie with the saved beam were written (S38).
    KeysChanged,
    /// The beam is kept from now on, for another time, or no longer (S30).
    Kept {
        /// Until when, and by whose wish; null when it is kept no longer.
        message: Option<Kept>,
    },
    /// ICE servers with new credentials, before those of `welcome` expire (S37).
    IceServers {
        /// They replace all earlier ones.
        message: Vec<IceServer>,
    },
    /// The shared arrangement has changed, or this device has joined while it is on (S35).
    Arranged {
        /// What is new.
        message: Arranged,
    },
    /// These devices may no longer be here; links to them end (S25).
    DevicesRemoved {
        /// The devices.
        message: Vec<DeviceId>,
    },
    /// A message was refused. The socket stays open (S14).
    Error {
        /// A sentence for a person.
        message: String,
        /// The code for programs.
        extra: ErrorCode,
        /// The item whose share or deletion was refused (S14).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        id: Option<ItemId>,
        /// The receiver of a refused signal, `e2e` or frame (S12, E6, R2, R3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to: Option<DeviceId>,
    },
}

/// The beam and the server, for a device that joined (S4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Welcome {
    /// The id of this device.
    pub device_id: DeviceId,
    /// Servers for `RTCPeerConnection`.
    pub ice_servers: Vec<IceServer>,
    /// When the beam expires, in milliseconds since the Unix epoch by the server's clock; null for a saved one.
    pub expires_at: Option<Millis>,
    /// The limits for this device. Servers of earlier versions do not tell them.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// The server's time, in milliseconds since the Unix epoch.
    pub now: Millis,
    /// Whether this device had the right beam key.
    pub creator: bool,
    /// The beam's name and access; null for an unsaved one.
    pub saved: Option<SavedBeam>,
    /// Until when an unsaved beam is kept; absent when it is not (S30).
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// True when the beam is empty because the server no longer has what was shared in it; else absent (S31).
    #[ts(as = "Option<bool>", optional)]
    #[serde(default, skip_serializing_if = "is_false")]
    pub forgotten: bool,
    /// Where files go through the server; absent for `fallback` (R6).
    #[ts(as = "Option<RelayUse>", optional)]
    #[serde(default, skip_serializing_if = "RelayUse::is_default")]
    pub relay: RelayUse,
    /// How devices without the link are let into a sealed beam; absent for `ask` (E13).
    #[ts(as = "Option<JoinPolicy>", optional)]
    #[serde(default, skip_serializing_if = "JoinPolicy::is_default")]
    pub join_policy: JoinPolicy,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// How an unsaved beam is kept (S30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Kept {
    /// When that ends, in milliseconds since the Unix epoch by the server's clock. The beam lives at least as long.
    pub until: Millis,
    /// The device that asked for it first. It may end it, and so may the creator.
    pub by: DeviceId,
}

/// A saved beam, as one device sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedBeam {
    /// Its name.
    pub beam_name: String,
    /// This device's role (B6).
    pub role: Role,
    /// The link access (B5).
    pub link_access: LinkAccess,
    /// Whether the device has its role by the link alone. It then deletes no stored notes (S26).
    pub by_link: bool,
}

/// An ICE server, in the form of `RTCIceServer` (W3C, WebRTC).
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

/// An item, as the server keeps and sends it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LiveItem {
    /// The content, as it was sent.
    #[ts(type = "unknown")]
    pub message: Json,
    /// The kind of item.
    pub extra: String,
    /// The item's id.
    pub id: ItemId,
    /// The item's sequence number in the beam.
    pub seq: u64,
    /// The device that shared it.
    pub from: DeviceId,
    /// When it was shared, in milliseconds since the Unix epoch by the server's clock.
    pub at: Millis,
    /// The only other device that gets it (S33).
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<DeviceId>,
}

/// A page of live items.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SyncPage {
    /// Names the server's memory of the beam. With the same epoch, a missing item from `oldest` on was deleted (S11).
    pub epoch: String,
    /// The first sequence number that cannot have been dropped for lack of room.
    pub oldest: u64,
    /// How many items this memory has dropped for lack of room (S17).
    pub dropped: u64,
    /// The items, oldest first.
    pub items: Vec<LiveItem>,
    /// Sequence number to ask for the next page with; null at the end.
    pub next: Option<u64>,
}
