//! Reads whole messages. Large payloads are read directly into the buffer in which they are forwarded.

use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BufMut as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tungstenite::Utf8Bytes;

use super::head::{self, Head, Kind};
use super::{Broken, Event, Pool};

/// Bytes that are read ahead: many small messages in one system call, or the start of a large one, which costs an
/// additional copy. They are read to the stack, so that an idle socket holds no buffer.
const READ_AHEAD: usize = 4 * 1024;

/// The reading half of a websocket.
#[derive(Debug)]
pub struct Reader<R> {
    io: R,
    /// Bytes that were read and are not parsed yet.
    ahead: BytesMut,
    /// A fragmented message of which some frames have arrived.
    partial: Option<Partial>,
    most: usize,
    pool: Arc<Pool>,
}

/// An incomplete fragmented message.
#[derive(Debug)]
struct Partial {
    kind: Kind,
    bytes: BytesMut,
    /// Bytes of a text that are valid UTF-8. Up to three more may be the start of a character.
    checked: usize,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// A reader of messages with at most `most` bytes. Large ones are read into buffers of the pool.
    #[must_use]
    pub fn new(io: R, most: usize, pool: Arc<Pool>) -> Self {
        Self { io, ahead: BytesMut::new(), partial: None, most, pool }
    }

    /// Reads the next message. Not cancel safe: after an error, or after its future was dropped early, it must not be
    /// called again.
    ///
    /// # Errors
    /// [`Broken`] when nothing more can be read.
    pub async fn next(&mut self) -> Result<Event, Broken> {
        loop {
            let head = self.head().await?;
            if head.kind.is_control() {
                return self.control(head).await;
            }
            if let Some(event) = self.data(head).await? {
                return Ok(event);
            }
        }
    }

    /// The next header, after checking that its frame is allowed now and not too long.
    async fn head(&mut self) -> Result<Head, Broken> {
        let head = loop {
            if let Some(head) = Head::parse(&self.ahead)? {
                break head;
            }
            self.read_ahead().await?;
        };
        self.ahead.advance(head.size);
        if head.kind.is_control() {
            return Ok(head);
        }
        // A continuation without a message, or a message inside another.
        if self.partial.is_some() != (head.kind == Kind::Continuation) {
            return Err(Broken::Protocol);
        }
        let so_far = self.partial.as_ref().map_or(0, |partial| partial.bytes.len());
        let fits = head.payload <= self.most.saturating_sub(so_far);
        fits.then_some(head).ok_or(Broken::TooLarge)
    }

    /// Reads the rest of a control frame, which may come between the fragments of a message.
    async fn control(&mut self, head: Head) -> Result<Event, Broken> {
        let mut payload = BytesMut::with_capacity(head.payload);
        self.payload(head, &mut payload).await?;
        match head.kind {
            Kind::Close => closed(&payload),
            Kind::Ping => Ok(Event::Ping(payload.freeze())),
            _ => Ok(Event::Pong),
        }
    }

    /// Reads the rest of a data frame. Returns the message if this was its last frame.
    async fn data(&mut self, head: Head) -> Result<Option<Event>, Broken> {
        let mut partial = self.partial.take().unwrap_or_else(|| Partial {
            kind: head.kind,
            bytes: self.pool.take(head.payload),
            checked: 0,
        });
        partial.bytes.reserve(head.payload);
        self.payload(head, &mut partial.bytes).await?;
        if head.is_final {
            return partial.finish().map(Some);
        }
        partial.check()?;
        self.partial = Some(partial);
        Ok(None)
    }

    /// Appends the frame's payload.
    async fn payload(&mut self, head: Head, to: &mut BytesMut) -> Result<(), Broken> {
        let start = to.len();
        let end = start + head.payload;
        let ready = self.ahead.len().min(head.payload);
        to.extend_from_slice(&self.ahead[..ready]);
        self.ahead.advance(ready);
        while to.len() < end {
            let rest = end - to.len();
            match self.io.read_buf(&mut (&mut *to).limit(rest)).await {
                Ok(count) if count > 0 => {}
                _ => return Err(Broken::Lost),
            }
        }
        head::unmask(&mut to[start..], head.mask);
        Ok(())
    }

    async fn read_ahead(&mut self) -> Result<(), Broken> {
        poll_fn(|context| self.poll_read_ahead(context)).await
    }

    fn poll_read_ahead(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let mut space = [const { MaybeUninit::uninit() }; READ_AHEAD];
        let mut buffer = ReadBuf::uninit(&mut space);
        let read = Pin::new(&mut self.io).poll_read(context, &mut buffer);
        if read.is_pending() && self.ahead.is_empty() {
            self.ahead = BytesMut::new();
        }
        let read = ready!(read);
        self.ahead.extend_from_slice(buffer.filled());
        Poll::Ready(match read {
            Ok(()) if !buffer.filled().is_empty() => Ok(()),
            _ => Err(Broken::Lost),
        })
    }
}

impl Partial {
    /// Fails as soon as a text cannot become valid UTF-8 any more.
    fn check(&mut self) -> Result<(), Broken> {
        if self.kind == Kind::Binary {
            return Ok(());
        }
        let unchecked = &self.bytes[self.checked..];
        self.checked += match std::str::from_utf8(unchecked) {
            Ok(text) => text.len(),
            // The next frame may contain the rest of the last character.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(Broken::NotUtf8),
        };
        Ok(())
    }

    fn finish(self) -> Result<Event, Broken> {
        if self.kind == Kind::Binary {
            return Ok(Event::Binary(self.bytes));
        }
        Utf8Bytes::try_from(self.bytes).map(Event::Text).map_err(|_| Broken::NotUtf8)
    }
}

/// Parses the payload of a close frame (section 5.5.1).
fn closed(payload: &[u8]) -> Result<Event, Broken> {
    let Some((code, reason)) = payload.split_first_chunk() else {
        // One byte is not a code.
        return if payload.is_empty() { Ok(Event::Close(None)) } else { Err(Broken::Protocol) };
    };
    std::str::from_utf8(reason).map_err(|_| Broken::NotUtf8)?;
    let code = u16::from_be_bytes(*code);
    if may_be_sent(code) { Ok(Event::Close(Some(code))) } else { Err(Broken::Protocol) }
}

/// Whether a close frame may have this code: the codes of section 7.4.1 and IANA's registry that are not reserved, and
/// those for libraries and applications.
const fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: [u8; 4] = [9, 8, 7, 6];

    /// A client's frame. The first byte contains the FIN bit and the opcode.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut masked = payload.to_vec();
        head::unmask(&mut masked, MASK);
        let (bytes, size) = head::write(Kind::Binary, payload.len());
        let mut frame = bytes[..size.into()].to_vec();
        frame[0] = first;
        frame[1] |= 0x80;
        [frame, MASK.to_vec(), masked].concat()
    }

    /// All events of these bytes, read in pieces of this size.
    async fn read_all(bytes: &[u8], piece: usize, most: usize) -> (Vec<Event>, Broken) {
        let mut io = tokio_test_io(bytes, piece);
        let mut reader = Reader::new(&mut io, most, Arc::default());
        let mut events = Vec::new();
        loop {
            match reader.next().await {
                Ok(event) => events.push(event),
                Err(broken) => return (events, broken),
            }
        }
    }

    fn tokio_test_io(bytes: &[u8], piece: usize) -> impl AsyncRead + Unpin + use<> {
        let (mut client, server) = tokio::io::duplex(piece);
        let bytes = bytes.to_vec();
        tokio::spawn(async move {
            use tokio::io::AsyncWriteExt as _;
            let _ = client.write_all(&bytes).await;
        });
        server
    }

    #[tokio::test]
    async fn messages_are_read_whole_however_they_arrive() {
        let large: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        let bytes = [
            frame(0x81, "hé".as_bytes()),
            frame(0x82, &large),
            frame(0x89, b"are you there"),
            frame(0x82, b""),
            frame(0x8a, b""),
            frame(0x88, &[3, 232]),
        ]
        .concat();
        for piece in [1, 7, 1024, 1 << 20] {
            let (events, broken) = read_all(&bytes, piece, 1 << 20).await;
            let expected = [
                Event::Text("hé".into()),
                Event::Binary(large[..].into()),
                Event::Ping(bytes::Bytes::from_static(b"are you there")),
                Event::Binary(BytesMut::new()),
                Event::Pong,
                Event::Close(Some(1000)),
            ];
            assert!(events == expected, "in pieces of {piece}");
            assert_eq!(broken, Broken::Lost);
        }
    }

    #[tokio::test]
    async fn parts_make_one_message_with_control_frames_between_them() {
        // The last letter is split.
        let bytes =
            [frame(0x01, b"h\xc3"), frame(0x89, b""), frame(0x00, b"\xa9"), frame(0x80, b"!")]
                .concat();
        let (events, _) = read_all(&bytes, 64, 100).await;
        assert_eq!(events, [Event::Ping(bytes::Bytes::new()), Event::Text("hé!".into())]);
    }

    #[tokio::test]
    async fn s14_the_limit_holds_for_frames_and_for_their_sum() {
        let at = |length: usize| frame(0x82, &vec![1; length]);
        assert_eq!(read_all(&at(100), 64, 100).await.1, Broken::Lost);
        assert_eq!(read_all(&at(101), 64, 100).await, (vec![], Broken::TooLarge));
        let parts = [frame(0x02, &[1; 60]), frame(0x80, &[1; 41])].concat();
        assert_eq!(read_all(&parts, 64, 100).await, (vec![], Broken::TooLarge));
        let absurd = [0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4];
        assert_eq!(read_all(&absurd, 64, 100).await.1, Broken::TooLarge);
    }

    #[tokio::test]
    async fn a_ping_counts_for_no_message_and_fits_into_one_that_is_nearly_full() {
        let parts = [frame(0x02, &[1; 99]), frame(0x89, &[2; 125]), frame(0x80, &[1; 1])].concat();
        let (events, broken) = read_all(&parts, 64, 100).await;
        let ping = Event::Ping(bytes::Bytes::from_static(&[2; 125]));
        assert_eq!(events, [ping, Event::Binary(BytesMut::from(&[1; 100][..]))]);
        assert_eq!(broken, Broken::Lost);
    }

    #[tokio::test]
    async fn what_is_not_the_protocol_breaks() {
        for bytes in [
            frame(0x80, b"a part of nothing"),
            [frame(0x01, b"a"), frame(0x81, b"b")].concat(),
            frame(0x83, b""),
        ] {
            assert_eq!(read_all(&bytes, 64, 100).await, (vec![], Broken::Protocol));
        }
    }

    #[tokio::test]
    async fn a_text_breaks_with_the_first_frame_that_cannot_be_utf8() {
        for (bytes, broken) in [
            (frame(0x81, b"\xff"), Broken::NotUtf8),
            (frame(0x81, b"\xc3"), Broken::NotUtf8),
            (frame(0x01, b"a\xff"), Broken::NotUtf8),
            ([frame(0x01, b"\xc3"), frame(0x00, b"a")].concat(), Broken::NotUtf8),
            // These could still become valid text.
            (frame(0x01, b"a\xc3"), Broken::Lost),
            (
                [frame(0x01, b"\xf0\x9f"), frame(0x00, b""), frame(0x00, b"\x98")].concat(),
                Broken::Lost,
            ),
        ] {
            assert_eq!(read_all(&bytes, 64, 100).await, (vec![], broken), "{bytes:x?}");
        }
    }

    #[tokio::test]
    async fn a_close_frame_has_a_code_that_may_be_sent_and_a_reason_in_utf8() {
        let close = |code: u16, reason: &[u8]| [&code.to_be_bytes(), reason].concat();
        for (payload, expected) in [
            (vec![], Ok(Event::Close(None))),
            (vec![3], Err(Broken::Protocol)),
            (close(1000, b"\xff"), Err(Broken::NotUtf8)),
            (close(1001, "adiós".as_bytes()), Ok(Event::Close(Some(1001)))),
        ] {
            assert_eq!(close_of(&payload).await, expected, "{payload:x?}");
        }
        for code in [1000, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999] {
            assert_eq!(close_of(&close(code, b"")).await, Ok(Event::Close(Some(code))));
        }
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
            assert_eq!(close_of(&close(code, b"")).await, Err(Broken::Protocol), "{code}");
        }
    }

    /// The event of a close frame with this payload.
    async fn close_of(payload: &[u8]) -> Result<Event, Broken> {
        let bytes = frame(0x88, payload);
        Reader::new(&bytes[..], 100, Arc::default()).next().await
    }

    #[tokio::test]
    async fn a_small_payload_keeps_no_more_memory_than_it_has() {
        let (mut client, server) = tokio::io::duplex(8192);
        tokio::io::AsyncWriteExt::write_all(
            &mut client,
            &frame(0x82, b"sixteen bytes...").repeat(100),
        )
        .await
        .unwrap();
        let mut reader = Reader::new(server, 100, Arc::default());
        for _ in 0..100 {
            let Ok(Event::Binary(bytes)) = reader.next().await else { panic!() };
            assert_eq!(bytes.capacity(), 16);
        }
        // Nothing more comes: while it waits, it holds no read-ahead.
        let waiting = tokio::time::timeout(std::time::Duration::ZERO, reader.next());
        assert!(waiting.await.is_err());
        assert_eq!(reader.ahead.capacity(), 0);
    }
}
