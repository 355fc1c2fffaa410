//! Reads whole messages. A large payload is read straight into the buffer that it leaves in.

use std::sync::Arc;

use bytes::{Buf as _, BufMut as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::head::{self, Head, Kind};
use super::{Broken, Event, Pool};

/// Bytes that are read ahead: several small messages at once. Every idle socket holds this much.
const READ_AHEAD: usize = 2 * 1024;

/// The reading half of a websocket.
#[derive(Debug)]
pub struct Reader<R> {
    io: R,
    ahead: BytesMut,
    /// The frames so far of a message that comes in parts.
    partial: Option<(Kind, BytesMut)>,
    most: usize,
    pool: Arc<Pool>,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Reads messages of at most this many bytes.
    #[must_use]
    pub fn new(io: R, most: usize, pool: Arc<Pool>) -> Self {
        Self { io, ahead: BytesMut::new(), partial: None, most, pool }
    }

    /// The next message. Not to be called again after an error, nor after it was dropped half-way.
    ///
    /// # Errors
    /// [`Broken`]: nothing more can be read.
    pub async fn next(&mut self) -> Result<Event, Broken> {
        loop {
            let head = self.head().await?;
            let mut payload = self.payload(head.payload).await?;
            head::unmask(&mut payload, head.mask);
            if let Some(event) = self.take(head, payload)? {
                return Ok(event);
            }
        }
    }

    /// Reads and forgets until the other side has nothing more to say.
    pub async fn drain(&mut self) {
        self.ahead = BytesMut::with_capacity(READ_AHEAD);
        while self.io.read_buf(&mut self.ahead).await.is_ok_and(|count| count > 0) {
            self.ahead.clear();
        }
    }

    async fn head(&mut self) -> Result<Head, Broken> {
        loop {
            if let Some(head) = Head::parse(&self.ahead)? {
                let so_far = self.partial.as_ref().map_or(0, |(_, partial)| partial.len());
                if head.payload > self.most.saturating_sub(so_far) {
                    return Err(Broken::TooLarge);
                }
                self.ahead.advance(head.size);
                return Ok(head);
            }
            if self.ahead.capacity() < head::LONGEST {
                self.ahead.reserve(READ_AHEAD);
            }
            read(&mut self.io, &mut self.ahead).await?;
        }
    }

    async fn payload(&mut self, length: usize) -> Result<BytesMut, Broken> {
        if length <= self.ahead.len() {
            return Ok(self.ahead.split_to(length));
        }
        let mut payload = self.pool.take(length);
        payload.extend_from_slice(&self.ahead);
        self.ahead.clear();
        while payload.len() < length {
            let rest = length - payload.len();
            read(&mut self.io, &mut (&mut payload).limit(rest)).await?;
        }
        Ok(payload)
    }

    fn take(&mut self, head: Head, payload: BytesMut) -> Result<Option<Event>, Broken> {
        match (head.kind, &mut self.partial) {
            (Kind::Close, _) => return Ok(Some(Event::Close)),
            (Kind::Ping, _) => return Ok(Some(Event::Ping(payload.freeze()))),
            (Kind::Pong, _) => return Ok(Some(Event::Pong)),
            (Kind::Continuation, Some((_, partial))) => partial.extend_from_slice(&payload),
            (kind @ (Kind::Text | Kind::Binary), None) => self.partial = Some((kind, payload)),
            // A part of nothing, or a message in the middle of another.
            _ => return Err(Broken::Malformed),
        }
        if !head.is_final {
            return Ok(None);
        }
        self.partial.take().map(|(kind, message)| whole(kind, message)).transpose()
    }
}

fn whole(kind: Kind, message: BytesMut) -> Result<Event, Broken> {
    if kind == Kind::Binary {
        return Ok(Event::Binary(message));
    }
    Utf8Bytes::try_from(message).map(Event::Text).map_err(|_| Broken::Malformed)
}

async fn read(
    io: &mut (impl AsyncRead + Unpin),
    into: &mut impl bytes::BufMut,
) -> Result<(), Broken> {
    match io.read_buf(into).await {
        Ok(count) if count > 0 => Ok(()),
        _ => Err(Broken::Lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: [u8; 4] = [9, 8, 7, 6];

    /// A client's frame. The first byte has the final bit and the kind.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut masked = payload.to_vec();
        head::unmask(&mut masked, MASK);
        let (bytes, size) = head::write(Kind::Binary, payload.len());
        let mut frame = bytes[..size.into()].to_vec();
        frame[0] = first;
        frame[1] |= 0x80;
        [frame, MASK.to_vec(), masked].concat()
    }

    /// Everything that comes of these bytes, read in pieces of this size.
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
                Event::Close,
            ];
            assert!(events == expected, "in pieces of {piece}");
            assert_eq!(broken, Broken::Lost);
        }
    }

    #[tokio::test]
    async fn parts_make_one_message_with_control_frames_between_them() {
        // The letter is cut in two.
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
        let absurd = [0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4];
        assert_eq!(read_all(&absurd, 64, 100).await.1, Broken::TooLarge);
    }

    #[tokio::test]
    async fn s14_what_is_not_the_protocol_breaks() {
        for bytes in [
            frame(0x80, b"a part of nothing"),
            [frame(0x01, b"a"), frame(0x81, b"b")].concat(),
            frame(0x81, b"\xff"),
            frame(0x83, b""),
        ] {
            assert_eq!(read_all(&bytes, 64, 100).await, (vec![], Broken::Malformed));
        }
    }
}
