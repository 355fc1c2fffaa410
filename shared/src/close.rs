//! The close codes of the websocket, and how the client reacts to each.

use ts_rs::TS;

/// Close codes of the websocket (RFC 6455, section 7.4; 4000 to 4999 are ours).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, TS)]
pub enum CloseCode {
    /// Nothing came for 60 s. The client reconnects.
    Idle,
    /// The bytes violate the websocket protocol. The client reconnects.
    Protocol,
    /// A text was not UTF-8. The client reconnects.
    NotUtf8,
    /// A message exceeds 1 MiB. The client reconnects and does not send it again.
    TooLarge,
    /// The server restarts. The client reconnects.
    Restart,
    /// The server has no capacity. The client reconnects.
    Overload,
    /// Another socket joined with the same device token (a duplicated tab). The client takes a new token and
    /// reconnects.
    Replaced,
    /// The outbox of this device filled up. The client reconnects and syncs.
    TooSlow,
    /// A text is not a JSON object with a `type`. The client reconnects.
    BadMessage,
    /// The session ended. Final: the client asks to log in.
    SessionEnded,
    /// The beam key is wrong, or access was revoked. Final: the client says so.
    Forbidden,
    /// The beam expired or was deleted. Final: the client offers a new one.
    Ended,
    /// No `auth` came within 10 s. The client reconnects.
    AuthTimeout,
    /// The beam has the maximum number of devices. The client says so and retries slowly.
    BeamFull,
    /// Connections or joins came too fast. The client waits and retries.
    TooFast,
}

impl CloseCode {
    /// Every code, for the bindings and the tests.
    pub const ALL: [Self; 15] = [
        Self::Idle,
        Self::Protocol,
        Self::NotUtf8,
        Self::TooLarge,
        Self::Restart,
        Self::Overload,
        Self::Replaced,
        Self::TooSlow,
        Self::BadMessage,
        Self::SessionEnded,
        Self::Forbidden,
        Self::Ended,
        Self::AuthTimeout,
        Self::BeamFull,
        Self::TooFast,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::Idle => 1001,
            Self::Protocol => 1002,
            Self::NotUtf8 => 1007,
            Self::TooLarge => 1009,
            Self::Restart => 1012,
            Self::Overload => 1013,
            Self::Replaced => 4001,
            Self::TooSlow => 4008,
            Self::BadMessage => 4400,
            Self::SessionEnded => 4401,
            Self::Forbidden => 4403,
            Self::Ended => 4404,
            Self::AuthTimeout => 4408,
            Self::BeamFull => 4409,
            Self::TooFast => 4429,
        }
    }

    /// Whether the client must not reconnect by itself.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::SessionEnded | Self::Forbidden | Self::Ended)
    }
}
