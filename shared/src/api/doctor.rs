//! What the doctor is told by a server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::time::Millis;

/// Response of `GET /api/doctor` (H50): the server as its caller may see it, and the caller as the server sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Diagnosis {
    /// The name under which the server was asked, without a port.
    pub host: String,
    /// `http` or `https`, as far as the server knows.
    pub scheme: String,
    /// The caller's address, by which limits count; null if none is known.
    pub address: Option<String>,
    /// Whether a proxy says who the caller is.
    pub forwarding: Forwarding,
    /// The server's time, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub now: Millis,
    /// Whether the database can be written.
    pub database: bool,
    /// Whether the disk has room for files, as far as there is one.
    pub room: bool,
}

/// What a proxy says of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Forwarding {
    /// Nothing: there is none, or it is silent.
    None,
    /// It is believed.
    Believed,
    /// It is not among the trusted proxies.
    Ignored,
}
