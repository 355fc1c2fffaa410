//! Bodies of the calls about saved beams, their shares and their notes.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use super::accounts::PublicUser;
use crate::ids::{BeamId, DeviceId, ItemId, ShareId};
use crate::json::Json;

/// What a named share allows (B6); each level includes the one before.
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
    /// Receives and reads.
    #[default]
    Read,
    /// Also shares, and deletes own stored notes.
    Write,
    /// Also deletes any note, renames, sets link access, manages read and write shares.
    Admin,
}

/// What somebody may who only has the link (B5).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LinkAccess {
    /// Nothing.
    None,
    /// Receives and reads.
    Read,
    /// Also shares.
    #[default]
    Write,
}

/// What one person or device is to one saved beam.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Receives and reads.
    Read,
    /// Also shares.
    Write,
    /// Also manages.
    Admin,
    /// Also manages admins, and deletes the beam.
    Owner,
}

impl Role {
    /// Whether this role shares items.
    #[must_use]
    pub fn may_write(self) -> bool {
        self >= Self::Write
    }

    /// Whether this role renames, sets link access, renews the link, removes devices and deletes any note.
    #[must_use]
    pub fn may_manage(self) -> bool {
        self >= Self::Admin
    }

    /// Whether this role gives, changes or takes away shares of this level (B6).
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
    /// What the link alone makes of somebody, if anything.
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
    /// The beam.
    pub beam_id: BeamId,
    /// Its name.
    pub beam_name: String,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
    /// What the link allows.
    pub link_access: LinkAccess,
}

/// Answer of `GET /api/beams/` (H20), newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Beams {
    /// One's own.
    pub beams: Vec<Beam>,
}

/// A beam that somebody shared with the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct SharedBeam {
    /// The share.
    pub id: ShareId,
    /// The beam.
    pub beam: Beam,
    /// Whose it is.
    pub owner: PublicUser,
    /// What the caller may.
    pub share_type: Level,
}

/// Answer of `GET /api/beams/shared-with-me/` (H21), newest share first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct SharedBeams {
    /// Others' beams.
    pub shared_beams: Vec<SharedBeam>,
}

/// A share of a beam, as those see it who manage it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamShare {
    /// The share.
    pub id: ShareId,
    /// The beam.
    pub beam: Beam,
    /// The username of the person with whom it is shared.
    pub shared_with: String,
    /// That person, as others see people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub shared_with_user: Option<PublicUser>,
    /// What that person may.
    pub share_type: Level,
}

/// Answer of `GET /api/beams/my-shares/` (H22), newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct MyShares {
    /// The shares of one's own beams.
    pub my_shared_beams: Vec<BeamShare>,
}

/// Body of `POST /api/beams/share/` (H23).
#[derive(Clone, Debug, Deserialize, TS, ToSchema)]
pub struct NewShare {
    /// The beam.
    pub beam_id: BeamId,
    /// With whom.
    pub username: String,
    /// What that person may; read when absent.
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

/// Answer of `GET /api/beams/{beam_id}/` (H26).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamDetails {
    /// The beam.
    pub beam: Beam,
    /// What the caller is to it.
    pub role: Role,
    /// Whose it is.
    pub owner: PublicUser,
    /// Its shares; empty for those who do not manage them.
    pub shares: Vec<BeamShare>,
}

/// Body of `PUT /api/beams/{beam_id}/` (H27). What is absent stays.
#[derive(Clone, Debug, Default, Deserialize, TS, ToSchema)]
pub struct BeamChange {
    /// The new name.
    #[ts(optional)]
    pub beam_name: Option<String>,
    /// What the link allows from now on.
    #[ts(optional)]
    pub link_access: Option<LinkAccess>,
}

/// A note of a saved beam, in the list that `GET /api/notes/beam_notes/` answers (H30), oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS, ToSchema)]
pub struct Note {
    /// The item that it was.
    pub id: ItemId,
    /// The content, byte for byte.
    #[ts(type = "unknown")]
    #[schema(value_type = serde_json::Value)]
    pub content: Json,
    /// The title that the content has, if it is an object with one.
    pub title: Option<String>,
    /// The rich content that the content has, if it is an object with one.
    #[ts(type = "unknown")]
    #[schema(value_type = serde_json::Value)]
    pub json_content: Option<Json>,
    /// text, image, audio, video, `lexi_note`, or what its sender said.
    pub note_type: String,
    /// Its place in the order of the beam.
    pub seq: u64,
    /// The device that shared it.
    pub from: DeviceId,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Whether the caller shared it.
    pub mine: bool,
}
