//! `tokio-websockets`. It queues messages up to a threshold and writes the queue with one call.

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio_websockets::{Config, Limits, Message, ServerBuilder, WebSocketStream};

use super::{Codec, MAX_MESSAGE_BYTES, Read, Write};
use crate::Failure;

/// Bytes that it may queue: a whole batch.
const QUEUE: usize = MAX_MESSAGE_BYTES;

pub struct TokioWebsockets;

type Reader = SplitStream<WebSocketStream<TcpStream>>;
type Writer = SplitSink<WebSocketStream<TcpStream>, Message>;

impl Codec for TokioWebsockets {
    const NAME: &str = "tokio-websockets";
    type Message = Message;
    type Reader = Reader;
    type Writer = Writer;

    fn split(stream: TcpStream) -> (Reader, Writer) {
        let builder = ServerBuilder::new()
            .config(Config::default().flush_threshold(QUEUE))
            .limits(Limits::default().max_payload_len(Some(MAX_MESSAGE_BYTES)));
        let (writer, reader) = builder.serve(stream).split();
        (reader, writer)
    }

    fn is_text(message: &Message) -> bool {
        message.is_text()
    }
}

impl Read<Message> for Reader {
    async fn next(&mut self) -> Option<Message> {
        let message = futures_util::StreamExt::next(self).await?.ok()?;
        (message.is_text() || message.is_binary()).then_some(message)
    }
}

impl Write<Message> for Writer {
    async fn write(&mut self, batch: &mut Vec<Message>) -> Result<(), Failure> {
        for message in batch.drain(..) {
            self.feed(message).await?;
        }
        Ok(self.flush().await?)
    }
}
