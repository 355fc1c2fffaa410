//! R1 to R3: frames through the server.

use heliograph_shared::limits::RELAY_PAIR_BYTES;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::device::unknown_beam;
use super::server::TestServer;

const FRAME: usize = 256 * 1024;

/// A frame with a number, filled with bytes that are easy to check.
fn frame(number: u32, length: usize) -> Vec<u8> {
    let mut bytes = vec![number.to_le_bytes()[0]; length];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    bytes
}

#[tokio::test]
async fn r1_frames_go_both_ways_untouched_and_in_order() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    for (number, length) in [(0, 4), (1, 100), (2, 16 * 1024), (3, FRAME), (4, 65_519), (5, 65_520)]
    {
        ada.relays(bob.id, &frame(number, length)).await;
        let (from, bytes) = bob.gets_frame().await;
        assert!(from == ada.id && bytes[..] == frame(number, length), "{number}");
        bob.relays(ada.id, &bytes).await;
        let (from, bytes) = ada.gets_frame().await;
        assert!(from == bob.id && bytes[..] == frame(number, length), "{number}");
    }
    ada.relays(bob.id, b"").await;
    assert!(bob.gets_frame().await.1.is_empty());
}

#[tokio::test]
async fn r1_a_frame_in_parts_arrives_whole() {
    use tokio_tungstenite::tungstenite::protocol::frame::Frame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let bytes = [bob.id.as_bytes(), &frame(1, 5_000)[..]].concat();
    for (at, part) in bytes.chunks(7).enumerate() {
        let kind = if at == 0 { Data::Binary } else { Data::Continue };
        let is_last = (at + 1) * 7 >= bytes.len();
        let part = Frame::message(part.to_vec(), OpCode::Data(kind), is_last);
        ada.sends(Message::Frame(part)).await;
    }
    assert_eq!(bob.gets_frame().await.1, frame(1, 5_000));
}

#[tokio::test]
async fn r3_a_frame_to_nobody_is_refused() {
    let server = TestServer::start().await;
    let (mut ada, stranger) =
        (server.join(unknown_beam()).await, server.join(unknown_beam()).await);
    for nobody in [Uuid::nil(), stranger.id] {
        ada.relays(nobody, b"hello").await;
        assert_eq!(ada.is_refused().await, "device_gone");
    }
    ada.sends(Message::Binary(vec![1; 15].into())).await;
    assert_eq!(ada.is_refused().await, "bad_request");
    ada.relays(Uuid::nil(), &frame(0, FRAME + 1)).await;
    assert_eq!(ada.is_refused().await, "too_large");
}

#[tokio::test]
async fn r3_a_device_that_left_is_gone() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, bob) = (server.join(beam).await, server.join(beam).await);
    let id = bob.id;
    ada.sees_devices(2).await;
    bob.leaves().await;
    ada.sees_devices(1).await;
    ada.relays(id, b"hello").await;
    assert_eq!(ada.is_refused().await, "device_gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r2_what_a_device_does_not_take_is_refused_to_its_sender_and_harms_nobody() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut slow) = (server.join(beam).await, server.join(beam).await);
    let mut cat = server.join(beam).await;
    cat.sees_devices(3).await;

    // More than the relay and the operating system's buffers hold together. Every frame is decided when one that
    // follows them has come.
    for number in 0..80 {
        ada.relays(slow.id, &frame(number, FRAME)).await;
    }
    ada.relays(cat.id, b"all sent").await;
    assert_eq!(cat.gets_frame().await.1, b"all sent"[..]);
    // Neither the beam nor other pairs of devices are affected, nor even the slow device's messages (R3).
    cat.relays(ada.id, b"hello").await;
    let mut refused = 0;
    loop {
        match ada.next().await.unwrap() {
            Message::Text(text) => refused += usize::from(text.contains("relay_full")),
            Message::Binary(bytes) => break assert_eq!(bytes[16..], b"hello"[..]),
            other => panic!("{other:?}"),
        }
    }
    assert!((1..=80 - RELAY_PAIR_BYTES / FRAME).contains(&refused), "{refused}");
    cat.says(&json!({"type": "share_clipboard", "message": "hi"})).await;
    assert_eq!(ada.sees_item().await, "hi");

    // The accepted frames arrive in order and unchanged. Reading them makes room again.
    let (mut last, mut seen_item) = (None, false);
    let mut accepted = 80 - refused;
    while accepted > 0 || !seen_item {
        match slow.next().await.unwrap() {
            Message::Binary(bytes) => {
                let number = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
                assert!(last < Some(number) && bytes[16..] == frame(number, FRAME));
                last = Some(number);
                accepted -= 1;
            }
            Message::Text(text) => seen_item |= text.contains("rec_clipboard"),
            other => panic!("{other:?}"),
        }
    }
    ada.relays(slow.id, b"the end").await;
    assert_eq!(slow.gets_frame().await.1, b"the end"[..]);
}

/// What may be ahead of a text on its way to a device whose own buffer holds 16 KiB: that (Linux doubles it), what the
/// kernel keeps unsent with one more segment of 64 KiB, and a frame that the writer had begun.
const AHEAD: usize = 2 * 16 * 1024 + (128 + 64) * 1024 + CHUNKS;
/// A frame of four chunks, with its address.
const CHUNKS: usize = 64 * 1024 + 100;

/// Bulk waits for so many devices that do not read, and then a text. Each reads the text behind a few frames, and then the
/// rest.
async fn a_text_goes_past_the_bulk_to(devices: usize) {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    let mut receivers = Vec::new();
    for _ in 0..devices {
        receivers.push(server.join(beam).await);
    }
    ada.sees_devices(devices + 1).await;
    let frames = RELAY_PAIR_BYTES / CHUNKS;
    for number in 0..frames {
        for receiver in &receivers {
            ada.relays(receiver.id, &frame(number.try_into().unwrap(), CHUNKS - 16)).await;
        }
    }
    ada.shares("hi").await;
    assert_eq!(ada.sees_item().await, "hi");

    for mut receiver in receivers {
        let (mut ahead, mut behind) = (0, 0);
        let mut has_text = false;
        while ahead + behind < frames * CHUNKS {
            match receiver.next().await.unwrap() {
                Message::Binary(bytes) if has_text => behind += bytes.len(),
                Message::Binary(bytes) => ahead += bytes.len(),
                Message::Text(text) => has_text |= text.contains("rec_clipboard"),
                other => panic!("{other:?}"),
            }
        }
        assert!(ahead <= AHEAD, "{ahead} bytes are ahead of the text, of {}", frames * CHUNKS);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r3_a_text_waits_behind_a_few_frames_at_most() {
    a_text_goes_past_the_bulk_to(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r3_a_text_waits_behind_a_few_frames_at_most_while_bulk_goes_to_eight() {
    a_text_goes_past_the_bulk_to(8).await;
}

/// A frame takes four seconds at the least rate.
async fn frames_go_at_the_rate_of(flag: &str) {
    let server = TestServer::with(&[flag, "64KiB"]).await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let start = tokio::time::Instant::now();
    for number in 0..3 {
        ada.relays(bob.id, &frame(number, FRAME)).await;
    }
    ada.shares("hi").await;
    ada.sees_item().await;
    // The text is on its way, and does not wait with them. Where the machine stood still before, more than one has had its turn.
    let turns = 1 + (start.elapsed().as_millis() + 50) / 4_000;
    let mut before = 0;
    loop {
        match bob.next().await.unwrap() {
            Message::Binary(_) => before += 1,
            Message::Text(text) if text.contains("rec_clipboard") => break,
            _ => {}
        }
    }
    assert!(u128::from(before) <= turns, "{before} of {turns}");
    for number in before..3 {
        assert_eq!(bob.gets_frame().await.1, frame(number, FRAME));
    }
    // The first goes at once, and frames may be 50 ms ahead.
    assert!(start.elapsed().as_millis() >= 7_950, "{flag}: {:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r5_frames_for_one_device_and_for_all_go_at_the_rate_that_the_operator_gave() {
    tokio::join!(
        frames_go_at_the_rate_of("--relay-device-rate"),
        frames_go_at_the_rate_of("--relay-rate")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r6_devices_are_told_where_files_go_through_the_server() {
    for (flags, told) in [
        (&[][..], json!(null)),
        (&["--relay", "boost"], json!("boost")),
        (&["--relay", "off"], json!("off")),
    ] {
        let server = TestServer::with(flags).await;
        let mut ada = server.connect(unknown_beam()).await;
        ada.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
        assert_eq!(ada.is_welcomed().await["message"]["relay"], told);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r6_where_the_operator_wants_no_relay_a_frame_is_refused() {
    let server = TestServer::with(&["--relay", "off"]).await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    ada.relays(bob.id, &frame(1, FRAME)).await;
    assert_eq!(ada.is_refused().await, "forbidden");
    ada.shares("hi").await;
    // The frame would have come before.
    assert_eq!(bob.sees_item().await, "hi");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r3_frames_are_not_slowed_like_messages() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let start = tokio::time::Instant::now();
    let to = bob.id;
    let sending = tokio::spawn(async move {
        for number in 0..3_000 {
            ada.relays(to, &frame(number, 1_000)).await;
        }
        ada
    });
    for number in 0..3_000 {
        assert_eq!(bob.gets_frame().await.1, frame(number, 1_000));
    }
    sending.await.unwrap();
    // At the rate of messages they would take 25 seconds.
    assert!(start.elapsed().as_secs() < 24, "{:?}", start.elapsed());
}
