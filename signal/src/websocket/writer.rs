//! Writes messages: headers and payloads of a whole batch in one system call, no payload copied.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::head::{self, Kind};
use super::{Message, Pool};

/// Pieces of one system call: what a batch of the outbox needs.
const SLICES: usize = 128;

/// The writing half of a websocket.
#[derive(Debug)]
pub struct Writer<W> {
    io: W,
    frames: VecDeque<Frame>,
    /// Bytes of the first frame that are written already.
    written: usize,
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Frame {
    head: [u8; 10],
    head_size: u8,
    payload: Bytes,
}

impl Frame {
    fn new(message: Message) -> Self {
        let (kind, payload) = match message {
            Message::Text(text) => (Kind::Text, text.into()),
            Message::Binary(bytes) => (Kind::Binary, bytes),
            Message::Ping => (Kind::Ping, Bytes::new()),
            Message::Pong(bytes) => (Kind::Pong, bytes),
            Message::Close(code) => (Kind::Close, Bytes::copy_from_slice(&code.to_be_bytes())),
        };
        let (head, head_size) = head::write(kind, payload.len());
        Self { head, head_size, payload }
    }

    fn head(&self) -> &[u8] {
        &self.head[..self.head_size.into()]
    }

    fn len(&self) -> usize {
        usize::from(self.head_size) + self.payload.len()
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// Nothing is written yet.
    #[must_use]
    pub fn new(io: W, pool: Arc<Pool>) -> Self {
        Self { io, frames: VecDeque::new(), written: 0, pool }
    }

    /// Writes the messages. When this is dropped half-way, the rest goes with the next call.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn write(&mut self, messages: impl Iterator<Item = Message>) -> io::Result<()> {
        self.frames.extend(messages.map(Frame::new));
        self.flush().await
    }

    /// Writes a last message and ends the connection in this direction. What was begun is finished first, what was
    /// not is dropped.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn end(&mut self, message: Option<Message>) -> io::Result<()> {
        self.frames.truncate(usize::from(self.written > 0));
        self.frames.extend(message.map(Frame::new));
        self.flush().await?;
        self.io.shutdown().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        while !self.frames.is_empty() {
            let count = poll_fn(|context| {
                let mut slices = [IoSlice::new(&[]); SLICES];
                let used = gather(&self.frames, self.written, &mut slices);
                Pin::new(&mut self.io).poll_write_vectored(context, &slices[..used])
            })
            .await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.advance(count);
        }
        // An idle socket holds nothing.
        self.frames = VecDeque::new();
        self.io.flush().await
    }

    fn advance(&mut self, count: usize) {
        self.written += count;
        while let Some(first) = self.frames.pop_front_if(|first| first.len() <= self.written) {
            self.written -= first.len();
            self.pool.give(first.payload);
        }
    }
}

/// What is not yet written, in order, as much as fits one system call.
fn gather<'a>(
    frames: &'a VecDeque<Frame>,
    written: usize,
    slices: &mut [IoSlice<'a>; SLICES],
) -> usize {
    let mut skip = written;
    let mut used = 0;
    for piece in frames.iter().flat_map(|frame| [frame.head(), &frame.payload[..]]) {
        let rest = piece.get(skip..).unwrap_or_default();
        skip = skip.saturating_sub(piece.len());
        if !rest.is_empty() && used < SLICES {
            slices[used] = IoSlice::new(rest);
            used += 1;
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    fn messages() -> Vec<Message> {
        (0..200_u16)
            .map(|n| match n % 4 {
                0 => Message::text("x".repeat(n.into())),
                1 => Message::Binary(vec![7; usize::from(n) * 10].into()),
                2 => Message::Ping,
                _ => Message::Pong(Bytes::from_static(b"here")),
            })
            .collect()
    }

    fn expected(messages: Vec<Message>) -> Vec<u8> {
        let frames = messages.into_iter().map(Frame::new);
        frames.flat_map(|frame| [frame.head(), &frame.payload].concat()).collect()
    }

    #[tokio::test]
    async fn a_batch_is_written_whole_however_little_is_taken_at_a_time() {
        for piece in [3, 1000, 1 << 20] {
            let (mut client, server) = tokio::io::duplex(piece);
            let writing = tokio::spawn(async move {
                let mut writer = Writer::new(server, Arc::default());
                writer.write(messages().into_iter()).await.unwrap();
                writer.end(Some(Message::Close(1012))).await.unwrap();
            });
            let mut bytes = Vec::new();
            client.read_to_end(&mut bytes).await.unwrap();
            writing.await.unwrap();
            let goodbye = [0x88, 2, 3, 0xf4].to_vec();
            assert!(bytes == [expected(messages()), goodbye].concat(), "in pieces of {piece}");
        }
    }

    #[tokio::test]
    async fn s16_a_goodbye_ends_what_was_begun_and_drops_the_rest() {
        let (mut client, server) = tokio::io::duplex(10);
        let mut writer = Writer::new(server, Arc::default());
        let batch = [Message::text("a".repeat(100)), Message::text("never")];
        // Nobody reads: it gets stuck within the first message.
        let stuck = tokio::time::timeout(
            std::time::Duration::from_millis(10),
            writer.write(batch.into_iter()),
        );
        assert!(stuck.await.is_err());

        let ending = tokio::spawn(async move { writer.end(Some(Message::Close(4008))).await });

        let mut bytes = Vec::new();
        client.read_to_end(&mut bytes).await.unwrap();
        ending.await.unwrap().unwrap();
        let whole = expected(vec![Message::text("a".repeat(100)), Message::Close(4008)]);
        assert_eq!(bytes, whole);
    }
}
