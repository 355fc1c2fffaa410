//! Bodies of the calls about saved beams, their shares and their notes.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use super::accounts::PublicUser;
use crate::ids::{BeamId, DeviceId, ItemId, ShareId};
use crate::json::Json;
use crate::time::Millis;

/// The level of a share (B6). Each level includes the one before.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    TS,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Receives and reads items.
    #[default]
    Read,
    /// Also shares items, and deletes its own stored notes.
    Write,
    /// Also deletes any note, renames the beam, sets link access, and manages read and write shares.
    Admin,
}

/// The access that the link alone gives (B5).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LinkAccess {
    /// No access.
    None,
    /// Receiving and reading items.
    Read,
    /// Also sharing items.
    #[default]
    Write,
}

/// The role of a user or device in a saved beam.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Receives and reads items.
    Read,
    /// Also shares items.
    Write,
    /// Also manages the beam.
    Admin,
    /// Also manages admin shares, and deletes the beam.
    Owner,
}

impl Role {
    /// Whether this role may share items.
    #[must_use]
    pub fn may_write(self) -> bool {
        self >= Self::Write
    }

    /// Whether this role may rename the beam, set link access, renew the link, remove devices and delete any note.
    #[must_use]
    pub fn may_manage(self) -> bool {
        self >= Self::Admin
    }

    /// Whether this role may create, change or remove shares of this level (B6).
    #[must_use]
    pub fn may_grant(self, level: Level) -> bool {
        match level {
            Level::Read | Level::Write => self.may_manage(),
            Level::Admin => self == Self::Owner,
        }
    }
}

impl From<Level> for Role {
    fn from(level: Level) -> Self {
        match level {
            Level::Read => Self::Read,
            Level::Write => Self::Write,
            Level::Admin => Self::Admin,
        }
    }
}

impl LinkAccess {
    /// The role that the link alone gives; `None` without access.
    #[must_use]
    pub const fn role(self) -> Option<Role> {
        match self {
            Self::None => None,
            Self::Read => Some(Role::Read),
            Self::Write => Some(Role::Write),
        }
    }
}

/// An entry of My Beams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Beam {
    /// The beam's id.
    pub beam_id: BeamId,
    /// Its name.
    pub beam_name: String,
    /// When the beam was created, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub created_at: Millis,
    /// The link access.
    pub link_access: LinkAccess,
}

/// Response of `GET /api/beams/` (H20), newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Beams {
    /// The caller's own beams.
    pub beams: Vec<Beam>,
}

/// A beam that another user shares with the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct SharedBeam {
    /// The share's id.
    pub id: ShareId,
    /// The beam.
    pub beam: Beam,
    /// The beam's owner.
    pub owner: PublicUser,
    /// The caller's level.
    pub share_type: Level,
}

/// Response of `GET /api/beams/shared-with-me/` (H21), newest share first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct SharedBeams {
    /// The beams that others share with the caller.
    pub shared_beams: Vec<SharedBeam>,
}

/// A share of a beam, as the beam's owner and admins see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamShare {
    /// The share's id.
    pub id: ShareId,
    /// The beam.
    pub beam: Beam,
    /// The recipient's username.
    pub shared_with: String,
    /// The recipient, as others see the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub shared_with_user: Option<PublicUser>,
    /// The recipient's level.
    pub share_type: Level,
}

/// Response of `GET /api/beams/my-shares/` (H22), newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct MyShares {
    /// The shares of the caller's own beams.
    pub my_shared_beams: Vec<BeamShare>,
}

/// Body of `POST /api/beams/share/` (H23).
#[derive(Clone, Debug, Deserialize, TS, ToSchema)]
pub struct NewShare {
    /// The beam's id.
    pub beam_id: BeamId,
    /// The recipient's username, matched without case.
    pub username: String,
    /// The recipient's level; `read` when absent.
    #[serde(default)]
    #[ts(optional, as = "Option<Level>")]
    pub share_type: Level,
}

/// Body of `PUT /api/beams/update-share/{shareId}/` (H24).
#[derive(Clone, Copy, Debug, Deserialize, TS, ToSchema)]
pub struct ShareChange {
    /// The new level.
    pub share_type: Level,
}

/// Response of `GET /api/beams/{beam_id}/` (H26).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamDetails {
    /// The beam.
    pub beam: Beam,
    /// The caller's role in it.
    pub role: Role,
    /// The beam's owner.
    pub owner: PublicUser,
    /// Its shares; empty unless the caller may manage them.
    pub shares: Vec<BeamShare>,
}

/// Body of `PUT /api/beams/{beam_id}/` (H27). Absent fields stay as they are.
#[derive(Clone, Debug, Default, Deserialize, TS, ToSchema)]
pub struct BeamChange {
    /// The new name.
    #[ts(optional)]
    pub beam_name: Option<String>,
    /// The new link access.
    #[ts(optional)]
    pub link_access: Option<LinkAccess>,
}

/// A note of a saved beam, in the response of `GET /api/notes/beam_notes/` (H30), oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS, ToSchema)]
pub struct Note {
    /// The item's id.
    pub id: ItemId,
    /// The content, as it was sent.
    #[ts(type = "unknown")]
    #[schema(value_type = serde_json::Value)]
    pub content: Json,
    /// The content's `title`, if the content is an object with one.
    pub title: Option<String>,
    /// The content's rich text, if the content is an object with one.
    #[ts(type = "unknown")]
    #[schema(value_type = serde_json::Value)]
    pub json_content: Option<Json>,
    /// The kind of item: text, image, audio, video, `lexi_note`, or another one that its sender named.
    pub note_type: String,
    /// The item's sequence number in the beam.
    pub seq: u64,
    /// The device that shared it.
    pub from: DeviceId,
    /// When it was shared, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub created_at: Millis,
    /// Whether the caller's account shared it.
    pub mine: bool,
}
