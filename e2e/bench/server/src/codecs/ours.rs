//! The product's codec.

use std::sync::{Arc, LazyLock};

use heliograph_websocket::{Event, Message, Pool, Reader, Writer};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::{Codec, MAX_MESSAGE_BYTES, Read, Write};
use crate::Failure;

/// One pool for all sockets, as in the product.
static POOL: LazyLock<Arc<Pool>> = LazyLock::new(Arc::default);

pub struct Ours;

impl Codec for Ours {
    const NAME: &str = "ours";
    type Message = Message;
    type Reader = Reader<OwnedReadHalf>;
    type Writer = Writer<OwnedWriteHalf>;

    fn split(stream: TcpStream) -> (Self::Reader, Self::Writer) {
        let (reading, writing) = stream.into_split();
        let reader = Reader::new(reading, MAX_MESSAGE_BYTES, POOL.clone());
        (reader, Writer::new(writing, POOL.clone()))
    }

    fn is_text(message: &Message) -> bool {
        matches!(message, Message::Text(_))
    }
}

impl Read<Message> for Reader<OwnedReadHalf> {
    async fn next(&mut self) -> Option<Message> {
        match Self::next(self).await.ok()? {
            Event::Text(text) => Some(Message::Text(text)),
            Event::Binary(bytes) => Some(Message::Binary(bytes.freeze())),
            _ => None,
        }
    }
}

impl Write<Message> for Writer<OwnedWriteHalf> {
    async fn write(&mut self, batch: &mut Vec<Message>) -> Result<(), Failure> {
        Ok(Self::write(self, batch).await?)
    }
}
