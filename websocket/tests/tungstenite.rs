//! Our codec and tungstenite's must agree on every stream of frames, valid or not.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so by failing")]

use std::collections::VecDeque;
use std::io::{self, Cursor, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use heliograph_websocket::{Broken, Event, Message, Pool, Reader, Writer};
use proptest::collection::vec;
use proptest::prelude::*;
use tokio::io::{AsyncRead, ReadBuf};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, WebSocket};

/// Longest accepted message, in bytes. It is short, so that many messages exceed it.
const MOST: usize = 300;
/// The same for long messages, whose lengths have 64 bits and which are read into buffers of the pool.
const MOST_LONG: usize = 200 * 1024;

/// A client's frame, which may be invalid.
#[derive(Clone, Debug)]
struct Frame {
    first: u8,
    is_masked: bool,
    payload: Vec<u8>,
}

impl Frame {
    /// The frame's bytes (RFC 6455, section 5.2).
    fn bytes(&self) -> Vec<u8> {
        let length = self.payload.len();
        let flag = if self.is_masked { 0x80 } else { 0 };
        let mut bytes = vec![self.first];
        if let Ok(short @ 0..126) = u8::try_from(length) {
            bytes.push(flag + short);
        } else if let Ok(length) = u16::try_from(length) {
            bytes.push(flag + 126);
            bytes.extend(length.to_be_bytes());
        } else {
            bytes.push(flag + 127);
            bytes.extend((length as u64).to_be_bytes());
        }
        let mask = if self.is_masked { [0x37, 0xfa, 0x21, 0x3d] } else { [0; 4] };
        bytes.extend(self.is_masked.then_some(mask).iter().flatten());
        bytes.extend(self.payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }
}

/// Mostly valid frames, because an invalid one ends the stream and hides what follows.
fn frame() -> impl Strategy<Value = Frame> {
    let first = prop_oneof![
        40 => prop::sample::select(vec![0x00_u8, 0x80, 0x01, 0x81, 0x02, 0x82]),
        20 => prop::sample::select(vec![0x89_u8, 0x8a]),
        5 => Just(0x88_u8),
        1 => any::<u8>(),
    ];
    let text = "[a-zé😀]{0,12}".prop_map(String::into_bytes);
    // Characters that are split, as by fragmentation.
    let cut = (text.clone(), 0..4_usize).prop_map(|(mut text, more)| {
        text.extend(&"😀".as_bytes()[..more]);
        text
    });
    let rest = (1..4_usize).prop_map(|from| "😀".as_bytes()[from..].to_vec());
    // tungstenite's list does not have 1014 yet.
    let code = prop_oneof![1000..1014_u16, any::<u16>()].prop_filter("1014", |code| *code != 1014);
    let close = (code, text.clone())
        .prop_map(|(code, reason)| [code.to_be_bytes().to_vec(), reason].concat());
    let payload = prop_oneof![
        10 => text,
        5 => cut,
        5 => rest,
        5 => close,
        2 => vec(any::<u8>(), 0..5),
        3 => vec(b'x'..b'z', 0..400),
    ];
    let is_masked = prop::bool::weighted(0.99);
    (first, is_masked, payload).prop_map(|(first, is_masked, payload)| Frame {
        first,
        is_masked,
        payload,
    })
}

/// A frame of a long text or binary message, or of a part of one.
fn long_frame() -> impl Strategy<Value = Frame> {
    let first = prop::sample::select(vec![0x00_u8, 0x80, 0x81, 0x02, 0x82]);
    (first, b'a'..=b'z', 0..MOST_LONG + 1000).prop_map(|(first, letter, length)| {
        let payload = (letter..=b'z').cycle().take(length).collect();
        Frame { first, is_masked: true, payload }
    })
}

/// A stream that returns its bytes in these pieces and then ends.
struct Pieces(VecDeque<Vec<u8>>);

impl Pieces {
    fn of(bytes: &[u8], sizes: &[usize]) -> Self {
        let (mut rest, mut pieces) = (bytes, VecDeque::new());
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push_back(piece.to_vec());
            rest = after;
        }
        Self(pieces)
    }
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut piece) = self.0.pop_front() {
            let rest = piece.split_off(piece.len().min(buffer.remaining()));
            buffer.put_slice(&piece);
            if !rest.is_empty() {
                self.0.push_front(rest);
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Reads from memory and discards what is written.
struct Memory(Cursor<Vec<u8>>);

impl Read for Memory {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Memory {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The messages that were read, and the end: a close frame or an error.
type Heard = (Vec<tungstenite::Message>, Result<Option<u16>, Broken>);

fn ours(bytes: &[u8], sizes: &[usize], most: usize, pool: &Arc<Pool>) -> Heard {
    let mut reader = Reader::new(Pieces::of(bytes, sizes), most, pool.clone());
    let mut messages = Vec::new();
    let end = block_on(async {
        loop {
            messages.push(match reader.next().await? {
                Event::Text(text) => tungstenite::Message::Text(text),
                Event::Binary(bytes) => tungstenite::Message::Binary(bytes.freeze()),
                Event::Ping(payload) => tungstenite::Message::Ping(payload),
                Event::Pong => tungstenite::Message::Pong(bytes::Bytes::new()),
                Event::Close(code) => return Ok(code),
            });
        }
    });
    (messages, end)
}

fn theirs(bytes: &[u8], role: Role, most: usize) -> Heard {
    let config = WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(None);
    let memory = Memory(Cursor::new(bytes.to_vec()));
    let mut socket = WebSocket::from_raw_socket(memory, role, Some(config));
    let mut messages = Vec::new();
    let end = loop {
        messages.push(match socket.read() {
            Ok(tungstenite::Message::Close(None)) => break Ok(None),
            // tungstenite's way to report an invalid code.
            Ok(tungstenite::Message::Close(Some(close)))
                if close.reason == "Protocol violation" =>
            {
                break Err(Broken::Protocol);
            }
            Ok(tungstenite::Message::Close(Some(close))) => break Ok(Some(close.code.into())),
            // Our reader drops the payload of a pong.
            Ok(tungstenite::Message::Pong(_)) => tungstenite::Message::Pong(bytes::Bytes::new()),
            Ok(message) => message,
            Err(error) => break Err(broken(&error)),
        });
    };
    (messages, end)
}

fn broken(error: &Error) -> Broken {
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error {
        Error::Protocol(ResetWithoutClosingHandshake) => Broken::Lost,
        Error::Protocol(_) => Broken::Protocol,
        Error::Utf8(_) => Broken::NotUtf8,
        Error::Capacity(_) => Broken::TooLarge,
        other => panic!("{other}"),
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn message() -> impl Strategy<Value = Message> {
    let payload = || vec(any::<u8>(), 0..MOST);
    prop_oneof![
        "\\PC{0,60}".prop_map(Message::text),
        payload().prop_map(|bytes| Message::Binary(bytes.into())),
        Just(Message::Ping),
        vec(any::<u8>(), 0..126).prop_map(|bytes| Message::Pong(bytes.into())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_of_frames_is_read_as_tungstenite_reads_it(
        frames in vec(frame(), 1..12),
        sizes in vec(1..200_usize, 1..8),
    ) {
        let bytes: Vec<_> = frames.iter().flat_map(Frame::bytes).collect();
        prop_assert_eq!(ours(&bytes, &sizes, MOST, &Arc::default()), theirs(&bytes, Role::Server, MOST));
    }

    #[test]
    fn any_bytes_end_without_a_panic(bytes in vec(any::<u8>(), 0..400), sizes in vec(1..50_usize, 1..4)) {
        let _ = ours(&bytes, &sizes, MOST, &Arc::default());
    }

    #[test]
    fn tungstenite_reads_what_is_written(messages in vec(message(), 0..20), code in 3000..5000_u16) {
        let mut bytes = Vec::new();
        block_on(async {
            let mut writer = Writer::new(&mut bytes, Arc::default());
            writer.write(&mut messages.clone()).await?;
            writer.end(Some(Message::Close(Some(code)))).await
        }).unwrap();
        let expected: Vec<_> = messages.into_iter().map(|message| match message {
            Message::Text(text) => tungstenite::Message::Text(text),
            Message::Binary(bytes) => tungstenite::Message::Binary(bytes),
            Message::Ping => tungstenite::Message::Ping(bytes::Bytes::new()),
            Message::Pong(_) => tungstenite::Message::Pong(bytes::Bytes::new()),
            Message::Close(_) => panic!("none is made"),
        }).collect();
        prop_assert_eq!(theirs(&bytes, Role::Client, MOST), (expected, Ok(Some(code))));
    }
}

/// Rather few cases, because each has hundreds of KiB.
const LONG_CASES: u32 = 200;

proptest! {
    #![proptest_config(ProptestConfig { cases: LONG_CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_of_long_frames_is_read_as_tungstenite_reads_it(
        frames in vec(prop_oneof![3 => long_frame(), 1 => frame()], 1..5),
        sizes in vec(1_000..100_000_usize, 1..8),
    ) {
        let bytes: Vec<_> = frames.iter().flat_map(Frame::bytes).collect();
        let pool = Arc::default();
        let expected = theirs(&bytes, Role::Server, MOST_LONG);
        // Then once more, into the buffers of the first time.
        for _ in 0..2 {
            let heard = ours(&bytes, &sizes, MOST_LONG, &pool);
            prop_assert_eq!(&heard, &expected);
            for message in heard.0 {
                pool.give(message.into_data());
            }
        }
    }
}
