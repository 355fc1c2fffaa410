//! The codes that say what went wrong, over HTTP and on the socket. Texts beside them are for people.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// What went wrong, for a program to switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request or message cannot be read.
    BadRequest,
    /// The type of a socket message is not known.
    UnknownType,
    /// A message over the soft limit.
    TooLarge,
    /// Nobody is logged in, and somebody must be.
    Unauthorized,
    /// Known, and not allowed to.
    Forbidden,
    /// No such thing, or not yours to see.
    NotFound,
    /// The method is not one of this path.
    MethodNotAllowed,
    /// Too many requests; `Retry-After` says when.
    TooFast,
    /// The addressed device is not in the beam.
    DeviceGone,
    /// The relay holds as much as it may for this device; want again later.
    RelayFull,
    /// The request took too long.
    Timeout,
    /// The disk or the quota has no room for it.
    NoRoom,
    /// A service behind this one does not answer as it should.
    BadGateway,
    /// The server's fault; the log has it.
    Internal,
    /// The server cannot do it now; try again.
    Unavailable,
}
