//! The server's side of a websocket (RFC 6455): the handshake, and reading and writing frames. No rules of a beam, no
//! timers, no tasks.
//!
//! This is the hot path of the relay and the fan-out. A payload is read into the buffer in which it is forwarded, and
//! written beside its header in one system call. An idle socket holds no buffer. `make bench` compares it with the two
//! fastest general libraries.

mod closing;
mod handshake;
mod head;
mod memory;
mod pool;
mod reader;
mod writer;

use bytes::{Bytes, BytesMut};

pub use closing::Closing;
pub use handshake::{NotAHandshake, accept};
pub use memory::{Memory, Unbounded};
pub use pool::Pool;
pub use reader::Reader;
pub use tungstenite::Utf8Bytes;
pub use writer::Writer;

/// A message to send. Cloning shares the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A text message.
    Text(Utf8Bytes),
    /// A binary message.
    Binary(Bytes),
    /// A ping with an empty payload.
    Ping,
    /// The answer to a ping, with the ping's payload.
    Pong(Bytes),
    /// A close frame, with or without a code (section 7.4). It must be the last message.
    Close(Option<u16>),
}

impl Message {
    /// A text message.
    #[must_use]
    pub fn text(text: impl Into<Utf8Bytes>) -> Self {
        Self::Text(text.into())
    }

    /// Length of the payload in bytes.
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

/// A received message. Fragments are already joined.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A text message.
    Text(Utf8Bytes),
    /// A binary message, in a buffer that can be changed in place.
    Binary(BytesMut),
    /// A ping. Answer it with [`Message::Pong`] and the same payload.
    Ping(Bytes),
    /// A pong. Its payload is dropped.
    Pong,
    /// A close frame, with or without a code. Answer it with [`Message::Close`] and the same code (section 5.5.1).
    Close(Option<u16>),
}

/// Why a stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The connection ended without a close frame.
    Lost,
    /// A message exceeds the reader's limit.
    TooLarge,
    /// There is no memory for the rest of a message.
    Spent,
    /// The bytes violate the protocol.
    Protocol,
    /// A text, or the reason in a close frame, is not UTF-8.
    NotUtf8,
}

impl Broken {
    /// The close code to send (section 7.4.1); `None` when the connection is gone.
    #[must_use]
    pub const fn close_code(self) -> Option<u16> {
        match self {
            Self::Lost => None,
            Self::Protocol => Some(1002),
            Self::NotUtf8 => Some(1007),
            Self::TooLarge => Some(1009),
            Self::Spent => Some(1013),
        }
    }
}
