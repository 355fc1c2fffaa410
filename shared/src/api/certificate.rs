//! What a page is told about the certificate that its server made for itself.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::time::Millis;

/// Response of `GET /api/certificate` (H51): the certificate that the server made for itself, about which browsers warn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct OwnCertificate {
    /// Its SHA-256: pairs of digits with colons, as browsers show it.
    pub fingerprint: String,
    /// The names that it is for.
    pub names: Vec<String>,
    /// The addresses that it is for.
    pub addresses: Vec<String>,
    /// The last moment at which it is valid, in milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    pub ends: Millis,
    /// The certificate itself, without its key.
    pub pem: String,
}
