//! Writes batches of messages with one system call each. Small payloads are copied behind their headers, because a
//! slice of its own costs a system call more than the copy; large ones are not.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::head::{self, Kind};
use super::{Message, Pool};

/// Largest payload that is copied, in bytes.
const COPIED: usize = 1024;
/// Most slices per system call; enough for a batch of the outbox.
const SLICES: usize = 128;

/// The writing half of a websocket.
#[derive(Debug)]
pub struct Writer<W> {
    io: W,
    frames: VecDeque<Frame>,
    /// The copied bytes of all frames, in order.
    copied: BytesMut,
    /// Bytes of the first frame that are already written.
    written: usize,
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Frame {
    /// Length of its part of [`Writer::copied`]: the header, and a small payload.
    copied: usize,
    /// The payload, if it is large.
    shared: Bytes,
}

impl Frame {
    fn new(message: Message, to: &mut BytesMut) -> Self {
        let (kind, payload) = match message {
            Message::Text(text) => (Kind::Text, text.into()),
            Message::Binary(bytes) => (Kind::Binary, bytes),
            Message::Ping => (Kind::Ping, Bytes::new()),
            Message::Pong(bytes) => (Kind::Pong, bytes),
            Message::Close(Some(code)) => {
                (Kind::Close, Bytes::copy_from_slice(&code.to_be_bytes()))
            }
            Message::Close(None) => (Kind::Close, Bytes::new()),
        };
        let before = to.len();
        let (head, head_size) = head::write(kind, payload.len());
        to.extend_from_slice(&head[..head_size.into()]);
        if payload.len() > COPIED {
            return Self { copied: to.len() - before, shared: payload };
        }
        to.extend_from_slice(&payload);
        Self { copied: to.len() - before, shared: Bytes::new() }
    }

    fn len(&self) -> usize {
        self.copied + self.shared.len()
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// A writer with an empty queue.
    #[must_use]
    pub fn new(io: W, pool: Arc<Pool>) -> Self {
        Self { io, frames: VecDeque::new(), copied: BytesMut::new(), written: 0, pool }
    }

    /// Writes the messages and empties the vector. If this future is dropped early, the next call writes the rest.
    ///
    /// # Errors
    /// The connection's error.
    pub async fn write(&mut self, messages: &mut Vec<Message>) -> io::Result<()> {
        self.copied.reserve(messages.iter().map(copied_bytes).sum());
        let frames = messages.drain(..).map(|message| Frame::new(message, &mut self.copied));
        self.frames.extend(frames);
        self.flush().await
    }

    /// Writes a last message. Frames that were begun are completed, others are dropped.
    ///
    /// # Errors
    /// The connection's error.
    pub async fn end(&mut self, message: Option<Message>) -> io::Result<()> {
        self.frames.truncate(usize::from(self.written > 0));
        self.copied.truncate(self.frames.front().map_or(0, |begun| begun.copied));
        self.frames.extend(message.map(|message| Frame::new(message, &mut self.copied)));
        self.flush().await
    }

    /// Shuts down the writing side.
    ///
    /// # Errors
    /// The connection's error.
    pub async fn shutdown(&mut self) -> io::Result<()> {
        self.io.shutdown().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        while !self.frames.is_empty() {
            let count = poll_fn(|context| {
                let mut slices = [IoSlice::new(&[]); SLICES];
                let used = gather(&self.frames, &self.copied, self.written, &mut slices);
                let io = Pin::new(&mut self.io);
                match &slices[..used] {
                    [one] => io.poll_write(context, one),
                    several => io.poll_write_vectored(context, several),
                }
            })
            .await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.advance(count);
        }
        // An idle socket holds no memory.
        self.frames = VecDeque::new();
        self.copied = BytesMut::new();
        self.io.flush().await
    }

    fn advance(&mut self, count: usize) {
        self.written += count;
        while let Some(first) = self.frames.pop_front_if(|first| first.len() <= self.written) {
            self.written -= first.len();
            self.copied.advance(first.copied);
            self.pool.give(first.shared);
        }
    }
}

/// Upper bound of the bytes that a message adds to the copied ones.
fn copied_bytes(message: &Message) -> usize {
    let payload = message.len();
    head::LONGEST_WRITTEN + if payload > COPIED { 0 } else { payload }
}

/// The slices that are not written yet, in order, as many as fit one system call.
fn gather<'a>(
    frames: &'a VecDeque<Frame>,
    copied: &'a [u8],
    written: usize,
    slices: &mut [IoSlice<'a>; SLICES],
) -> usize {
    let (mut skip, mut used) = (written, 0);
    let mut add = |piece: &'a [u8]| {
        let rest = piece.get(skip..).unwrap_or_default();
        skip = skip.saturating_sub(piece.len());
        if !rest.is_empty() && used < SLICES {
            slices[used] = IoSlice::new(rest);
            used += 1;
        }
    };
    // Copied bytes up to the next large payload form one slice.
    let (mut start, mut end) = (0, 0);
    for frame in frames {
        end += frame.copied;
        if !frame.shared.is_empty() {
            add(&copied[start..end]);
            add(&frame.shared);
            start = end;
        }
    }
    add(&copied[start..end]);
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

    /// Each frame by itself: header and payload.
    fn expected(messages: Vec<Message>) -> Vec<u8> {
        let frames = messages.into_iter().map(|message| {
            let mut bytes = BytesMut::new();
            let shared = Frame::new(message, &mut bytes).shared;
            [&bytes[..], &shared].concat()
        });
        frames.collect::<Vec<_>>().concat()
    }

    #[tokio::test]
    async fn a_batch_is_written_whole_however_little_is_taken_at_a_time() {
        for piece in [3, 1000, 1 << 20] {
            let (mut client, server) = tokio::io::duplex(piece);
            let writing = tokio::spawn(async move {
                let mut writer = Writer::new(server, Arc::default());
                writer.write(&mut messages()).await.unwrap();
                writer.end(Some(Message::Close(Some(1012)))).await.unwrap();
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
        // One payload that is copied, and one that is not.
        for length in [COPIED, COPIED + 1] {
            let (mut client, server) = tokio::io::duplex(10);
            let mut writer = Writer::new(server, Arc::default());
            let begun = Message::text("a".repeat(length));
            let mut batch =
                vec![begun.clone(), Message::text("never"), Message::text("b".repeat(length))];
            // Nobody reads, so it blocks within the first message.
            let stuck = tokio::time::timeout(
                std::time::Duration::from_millis(10),
                writer.write(&mut batch),
            );
            assert!(stuck.await.is_err());

            let goodbye = Message::Close(Some(4008));
            let last = goodbye.clone();
            let ending = tokio::spawn(async move { writer.end(Some(last)).await });

            let mut bytes = Vec::new();
            client.read_to_end(&mut bytes).await.unwrap();
            ending.await.unwrap().unwrap();
            assert_eq!(bytes, expected(vec![begun, goodbye]), "{length}");
        }
    }
}
