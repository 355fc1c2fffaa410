//! Devices: how one describes itself when it joins, and how the others see it (S3, S6).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::api::accounts::PublicUser;
use crate::ids::{DeviceId, DeviceToken};

/// The device's description of itself in `auth` (S3).
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AuthExtra {
    /// Version of these extensions to the protocol: 1.
    #[serde(default)]
    pub v: u32,
    /// The device's capabilities.
    #[serde(default)]
    pub caps: Vec<Cap>,
    /// The device's name, such as "Chrome on Android".
    #[serde(default)]
    pub name: Option<String>,
    /// Keeps the device the same one after a reconnect (S5).
    #[serde(default)]
    pub device_token: Option<DeviceToken>,
}

/// A capability of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// Understands frames: sends and receives files, directly or through the relay.
    Files,
    /// Supports WebRTC.
    Rtc,
    /// Seals what it shares (E1).
    E2e1,
    /// Connects by QUIC to others that do (L7).
    Quic,
    /// A capability that this server does not know.
    #[serde(other)]
    Unknown,
}

impl Cap {
    /// Those that this server knows.
    pub const KNOWN: [Self; 4] = [Self::Files, Self::Rtc, Self::E2e1, Self::Quic];
}

/// A device in the beam.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Device {
    /// The device's id.
    pub device_id: DeviceId,
    /// The device's name, such as "Chrome on Android"; "Another device" for a plain device.
    pub name: String,
    /// The device's capabilities; empty for a plain device.
    pub caps: Vec<Cap>,
    /// The logged-in user (B7), whose fields are flattened into the device's.
    #[serde(flatten, default)]
    #[ts(flatten)]
    pub user: DeviceUser,
}

/// The fields of the user who is logged in on a device: all of them, or none.
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
