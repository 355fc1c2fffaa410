//! WebSocket frames for a server (RFC 6455), and nothing else: no rules of ours, no timers.
//!
//! Of our own, because the relay and the fan-out live here: a payload is read into the one buffer in which it is
//! forwarded, and written beside its header in one system call. A general library copies each payload three times, and
//! its read buffer either costs every idle socket its full size or makes large reads slow.

mod head;
mod pool;
mod reader;
mod writer;

use bytes::{Bytes, BytesMut};
use tokio_tungstenite::tungstenite::Utf8Bytes;

pub use pool::Pool;
pub use reader::Reader;
pub use writer::Writer;

/// What goes out. Cloning shares the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A text; the caller vouches for UTF-8 by its type.
    Text(Utf8Bytes),
    /// Bytes.
    Binary(Bytes),
    /// Asks for a pong.
    Ping,
    /// Answers a ping with what it carried.
    Pong(Bytes),
    /// The last message; the number is the close code.
    Close(u16),
}

impl Message {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<Utf8Bytes>) -> Self {
        Self::Text(text.into())
    }

    /// Bytes of the payload.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) | Self::Pong(bytes) => bytes.len(),
            Self::Ping => 0,
            Self::Close(_) => 2,
        }
    }

    /// Whether the payload is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What comes in, whole.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A text.
    Text(Utf8Bytes),
    /// Bytes, to be changed in place.
    Binary(BytesMut),
    /// Is to be answered by [`Message::Pong`].
    Ping(Bytes),
    /// Somebody is there.
    Pong,
    /// The other side says goodbye.
    Close,
}

/// Why nothing more can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The connection ended without a goodbye.
    Lost,
    /// A message is longer than it may be.
    TooLarge,
    /// What comes is not the protocol, or a text is no UTF-8.
    Malformed,
}
