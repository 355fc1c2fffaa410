//! Bodies of the calls about stored files.

use crate::time::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// Response of `POST /api/upload/` (H40).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct UploadedFile {
    /// The file's id. Whoever knows it may read the file (A9).
    pub id: String,
    /// Address of the file, relative to the origin.
    pub url: String,
    /// The file's name, cleaned.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// The file's media type, checked against its first bytes.
    #[serde(rename = "type")]
    pub kind: String,
    /// When the file expires, in milliseconds since the Unix epoch; null for an account's file.
    #[schema(value_type = Option<i64>)]
    pub expires_at: Option<Millis>,
}

/// Response of `GET /api/beams/{beam_id}/files/` (F13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct FileRoom {
    /// Bytes of the largest file that could be stored now.
    pub largest: u64,
    /// Bytes that all further files may have together.
    pub free: u64,
}
