//! Bodies of the HTTP calls.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::ErrorCode;
use crate::ids::{BeamId, BeamKey};

/// Answer of `POST /api/beams/create/` (H1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ErrorBody {
    /// A sentence for a person.
    pub detail: String,
    /// The same for a program.
    pub code: ErrorCode,
}
