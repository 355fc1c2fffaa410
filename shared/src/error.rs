//! The error codes, over HTTP and on the websocket. The texts beside them are for people.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// The code of an error, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request or message is malformed or invalid.
    BadRequest,
    /// The type of a websocket message is unknown.
    UnknownType,
    /// The request or message is too large.
    TooLarge,
    /// The call needs a login.
    Unauthorized,
    /// The caller may see it but not do this.
    Forbidden,
    /// It does not exist, or the caller may not see it.
    NotFound,
    /// The path does not support the method.
    MethodNotAllowed,
    /// Too many requests. `Retry-After` says when to try again.
    TooFast,
    /// The device that the message is for is not in the beam.
    DeviceGone,
    /// The relay's bound for this device is reached. Want the chunks again later.
    RelayFull,
    /// The request came too slowly.
    Timeout,
    /// The disk or a quota is full.
    NoRoom,
    /// A service that the server depends on fails.
    BadGateway,
    /// A bug in the server. Its log has the details.
    Internal,
    /// The server has no capacity now. Try again.
    Unavailable,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 15] = [
        Self::BadRequest,
        Self::UnknownType,
        Self::TooLarge,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::TooFast,
        Self::DeviceGone,
        Self::RelayFull,
        Self::Timeout,
        Self::NoRoom,
        Self::BadGateway,
        Self::Internal,
        Self::Unavailable,
    ];
}
