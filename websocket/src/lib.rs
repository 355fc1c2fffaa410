//! The server's side of a websocket (RFC 6455): the handshake, and frames read and written. It has no rules of a beam,
//! no timers and no tasks.
//!
//! The relay and the fan-out spend their time here. A payload is read into the one buffer in which it is forwarded, and
//! it is written beside its header in one system call; an idle socket holds no buffer. `make bench` measures it beside
//! the two fastest general libraries.

mod handshake;
mod head;
mod pool;
mod reader;
mod writer;

use bytes::{Bytes, BytesMut};

pub use handshake::{NotAHandshake, accept};
pub use pool::Pool;
pub use reader::Reader;
pub use tungstenite::Utf8Bytes;
pub use writer::Writer;

/// What goes out. Cloning shares the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A text; the type guarantees UTF-8.
    Text(Utf8Bytes),
    /// Bytes.
    Binary(Bytes),
    /// Asks for a pong.
    Ping,
    /// Answers a ping with the ping's payload.
    Pong(Bytes),
    /// The last message, with a close code (section 7.4) or without one.
    Close(Option<u16>),
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
            Self::Ping | Self::Close(None) => 0,
            Self::Close(Some(_)) => 2,
        }
    }

    /// Whether the payload is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What comes in: a data message is whole, whatever frames it came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A text.
    Text(Utf8Bytes),
    /// Bytes, to be changed in place.
    Binary(BytesMut),
    /// To be answered by [`Message::Pong`] with the same payload.
    Ping(Bytes),
    /// The answer to a ping; its payload is not kept.
    Pong,
    /// The other side closes, with a close code or without one. To be answered by [`Message::Close`] with the same code
    /// (section 5.5.1).
    Close(Option<u16>),
}

/// Why nothing more can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The connection ended without a close frame.
    Lost,
    /// A message is longer than the reader takes.
    TooLarge,
    /// The bytes break the protocol.
    Protocol,
    /// A text, or the reason in a close frame, is not UTF-8.
    NotUtf8,
}

impl Broken {
    /// The close code that tells the other side (section 7.4.1); none when there is nobody to tell.
    #[must_use]
    pub const fn close_code(self) -> Option<u16> {
        match self {
            Self::Lost => None,
            Self::Protocol => Some(1002),
            Self::NotUtf8 => Some(1007),
            Self::TooLarge => Some(1009),
        }
    }
}
