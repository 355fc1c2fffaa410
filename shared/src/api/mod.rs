//! Bodies of the HTTP calls.

pub mod accounts;
pub mod beams;
pub mod certificate;
pub mod doctor;
pub mod keys;
pub mod uploads;
pub mod vaults;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::error::ErrorCode;
use crate::ids::{BeamId, BeamKey};
use crate::short_code::ShortCode;
use crate::time::Millis;

/// Response of `POST /api/beams/create/` (H1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct CreatedBeam {
    /// The beam's id.
    pub beam_id: BeamId,
    /// The creator's token. The server keeps only its hash.
    pub beam_key: BeamKey,
    /// When the beam was created, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub created_at: Millis,
    /// When the beam expires, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub expires_at: Millis,
}

/// Response of `POST /api/beams/{beam_id}/code/` (H33).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamCode {
    /// The code, without a gap.
    pub code: ShortCode,
    /// How long it still stands for the beam, in milliseconds.
    #[schema(value_type = i64)]
    pub expires_in: u64,
}

/// Response of `GET /api/codes/{code}/` (H34).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct CodeBeam {
    /// The beam that the code stands for.
    pub beam_id: BeamId,
}

/// Response of `GET /api/site` (H2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Site {
    /// The product's name.
    pub name: String,
    /// The product's version.
    pub version: String,
    /// The origin that the operator gave, without a trailing slash; null if none.
    pub public_url: Option<String>,
    /// The origin of this server on the local network; null unless it listens there.
    pub network_url: Option<String>,
    /// Whether the server made its certificate itself, so that browsers warn about it (H51). An older server does
    /// not say.
    #[ts(as = "Option<bool>")]
    pub self_signed: bool,
    /// Address of the source code.
    pub repository: String,
}

/// Body of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct ErrorBody {
    /// A sentence for a person.
    pub detail: String,
    /// The code for programs.
    pub code: ErrorCode,
}

/// Body of a refused form (A6): for each field, what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);
