//! Bodies of the calls about stored files.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// Answer of `POST /api/upload/` (H40).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct UploadedFile {
    /// Names the file; whoever knows it may read it (A9).
    pub id: String,
    /// Where it can be fetched, relative to the origin.
    pub url: String,
    /// Its name, cleaned.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Its media type, checked against its first bytes.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it ends, in milliseconds since the Unix epoch; null for a file of an account.
    pub expires_at: Option<i64>,
}
