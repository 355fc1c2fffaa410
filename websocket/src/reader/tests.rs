use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

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
        [frame(0x01, b"h\xc3"), frame(0x89, b""), frame(0x00, b"\xa9"), frame(0x80, b"!")].concat();
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

/// Room for so many bytes, and how many are held.
struct Room(usize, Arc<AtomicUsize>);

impl Memory for Room {
    fn hold(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.0;
        if fits {
            self.1.store(bytes, Relaxed);
        }
        fits
    }

    fn free(&mut self) {
        self.1.store(0, Relaxed);
    }
}

#[tokio::test]
async fn s16_what_has_come_of_a_message_is_counted_until_the_next_one_is_asked_for() {
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let held = Arc::<AtomicUsize>::default();
    let reader = Reader::new(server, 1 << 20, Arc::default());
    let mut reader = reader.within(Room(64 * 1024, held.clone()));
    let parts = [frame(0x02, &vec![1; 20_000]), frame(0x89, b""), frame(0x80, &vec![1; 40_000])];
    let small = frame(0x82, &[1; 16 * 1024]);
    // A megabyte is announced.
    let begun = [&[0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0], &MASK[..], &vec![1; 50_000]].concat();
    for bytes in [parts.concat(), small, begun] {
        client.write_all(&bytes).await.unwrap();
    }

    assert_eq!(reader.next().await, Ok(Event::Ping(bytes::Bytes::new())));
    assert_eq!(held.load(Relaxed), 32 * 1024);
    assert!(matches!(reader.next().await, Ok(Event::Binary(bytes)) if bytes.len() == 60_000));
    assert_eq!(held.load(Relaxed), 64 * 1024);
    assert!(matches!(reader.next().await, Ok(Event::Binary(_))));
    assert_eq!(held.load(Relaxed), 0);
    assert!(timeout(Duration::ZERO, reader.next()).await.is_err());
    assert_eq!(held.load(Relaxed), 64 * 1024);
}

#[tokio::test]
async fn s16_a_message_without_memory_for_it_breaks() {
    for bytes in [
        frame(0x82, &vec![1; 70_000]),
        [frame(0x02, &vec![1; 60_000]), frame(0x80, &vec![1; 10_000])].concat(),
    ] {
        let reader = Reader::new(&bytes[..], 1 << 20, Arc::default());
        let mut reader = reader.within(Room(64 * 1024, Arc::default()));
        assert_eq!(reader.next().await, Err(Broken::Spent));
    }
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
        ([frame(0x01, b"\xf0\x9f"), frame(0x00, b""), frame(0x00, b"\x98")].concat(), Broken::Lost),
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
    tokio::io::AsyncWriteExt::write_all(&mut client, &frame(0x82, b"sixteen bytes...").repeat(100))
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
