//! Bodies of the HTTP calls.

pub mod accounts;
pub mod beams;
pub mod uploads;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::error::ErrorCode;
use crate::ids::{BeamId, BeamKey};

/// Answer of `POST /api/beams/create/` (H1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct CreatedBeam {
    /// The beam.
    pub beam_id: BeamId,
    /// The creator's token; the server keeps only its hash.
    pub beam_key: BeamKey,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Milliseconds since the Unix epoch.
    pub expires_at: i64,
}

/// Answer of `GET /api/site` (H2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Site {
    /// The product's name.
    pub name: String,
    /// The product's version.
    pub version: String,
    /// The address that the operator gave, if any: origin without a trailing slash.
    pub public_url: Option<String>,
    /// An origin on the local network on which this server really listens, if any.
    pub network_url: Option<String>,
    /// Where the source code is.
    pub repository: String,
}

/// Body of every error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct ErrorBody {
    /// A sentence for a person.
    pub detail: String,
    /// The same for a program.
    pub code: ErrorCode,
}

/// Body of a refused form (A6): what is wrong, by field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);
