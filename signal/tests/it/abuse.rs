//! S13 to S16: hostile and broken devices, which the others must not notice.

use std::mem;
use std::time::Duration;

use futures_util::StreamExt as _;
use heliograph_shared::close::CloseCode;
use heliograph_shared::limits::MESSAGE_BURST;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use uuid::Uuid;

use super::device::unknown_beam;
use super::server::TestServer;

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_mins(1);

/// A text message with unchecked bytes.
fn text(bytes: &[u8]) -> Message {
    Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(Data::Text), true))
}

#[tokio::test]
async fn s14_what_is_no_message_closes_its_sender_only() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    for bytes in [&b"not json"[..], b"[]", b"7", b"{\"message\":1}", b"{\"type\":\"auth\"", b""] {
        let mut bad = server.join(beam).await;
        bad.sends(text(bytes)).await;
        assert_eq!(bad.is_closed().await, CloseCode::BadMessage.number(), "{bytes:?}");
    }
    let mut early = server.connect(beam).await;
    early.sends(text(b"not json")).await;
    assert_eq!(early.is_closed().await, CloseCode::BadMessage.number());
    ada.shares("unharmed").await;
    assert_eq!(ada.sees_item().await, "unharmed");
}

#[tokio::test]
async fn s14_what_is_no_websocket_and_what_is_no_utf8_close_with_the_codes_of_the_rfc() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    for (bytes, code) in [
        (&b"\xff\xfe"[..], CloseCode::NotUtf8),
        (b"{\"type\":\"share_clipboard\",\"message\":\"\xc3\"}", CloseCode::NotUtf8),
    ] {
        let mut bad = server.join(beam).await;
        bad.sends(text(bytes)).await;
        assert_eq!(bad.is_closed().await, code.number(), "{bytes:?}");
    }
    for bytes in [
        // A reserved opcode, an unmasked text, a length in more bytes than necessary, a close frame of one byte.
        &[0x83, 0x80, 0, 0, 0, 0][..],
        &[0x81, 0x01, b'x'],
        &[0x82, 0xfe, 0, 1, 0, 0, 0, 0, b'x'],
        &[0x88, 0x81, 0, 0, 0, 0, 3],
    ] {
        let mut bad = server.join(beam).await;
        bad.socket.get_mut().write_all(bytes).await.unwrap();
        assert_eq!(bad.is_closed().await, CloseCode::Protocol.number(), "{bytes:x?}");
    }
    ada.shares("unharmed").await;
    assert_eq!(ada.sees_item().await, "unharmed");
}

#[tokio::test]
async fn s14_the_code_of_a_close_frame_comes_back() {
    let server = TestServer::start().await;
    for code in [1000, 1001, 4321] {
        let mut ada = server.join(unknown_beam()).await;
        let close = CloseFrame { code: code.into(), reason: "bye".into() };
        ada.sends(Message::Close(Some(close))).await;
        assert_eq!(ada.is_closed().await, code);
    }
    let mut bob = server.join(unknown_beam()).await;
    bob.sends(Message::Close(None)).await;
    loop {
        let message = bob.next().await.expect("closed without a close frame");
        if message.is_close() {
            assert_eq!(message, Message::Close(None));
            break;
        }
    }
}

#[tokio::test]
async fn s14_unknown_types_and_wrong_fields_are_answered_and_the_socket_stays() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    for (message, code) in [
        (json!({"type": "dance"}), "unknown_type"),
        (json!({"type": "share_clipboard"}), "bad_request"),
        (json!({"type": "share_clipboard", "message": 1, "id": "x"}), "bad_request"),
        (json!({"type": "signal", "message": 1}), "bad_request"),
        (json!({"type": "sync", "message": {"after": "x"}}), "bad_request"),
        (json!({"type": "save_beam", "message": "x"}), "unauthorized"),
    ] {
        ada.says(&message).await;
        assert_eq!(ada.is_refused().await, code, "{message}");
    }
}

#[tokio::test]
async fn s14_a_message_may_have_256_kib_and_not_a_byte_more() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let of = |length: usize| {
        let frame = r#"{"type":"share_clipboard","message":""}"#.len();
        format!(r#"{{"type":"share_clipboard","message":"{}"}}"#, "x".repeat(length - frame))
    };
    ada.sends(Message::text(of(256 * 1024))).await;
    assert_eq!(bob.sees_item().await.as_str().unwrap().len(), 256 * 1024 - 39);
    ada.sends(Message::text(of(256 * 1024 + 1))).await;
    assert_eq!(ada.is_refused().await, "too_large");
    ada.sends(Message::text(of(1024 * 1024))).await;
    assert_eq!(ada.is_refused().await, "too_large");
}

#[tokio::test]
async fn s14_over_1_mib_closes_and_the_code_arrives_although_more_was_on_its_way() {
    let server = TestServer::start().await;
    for message in [
        Message::text("x".repeat(1024 * 1024 + 1)),
        Message::Binary(vec![0; 3 * 1024 * 1024].into()),
    ] {
        let mut ada = server.join(unknown_beam()).await;
        ada.sends(message).await;
        assert_eq!(ada.is_closed().await, CloseCode::TooLarge.number());
    }
}

/// A message whose content has this many levels.
fn of_depth(kind: &str, levels: usize, id: Uuid) -> Message {
    let content = format!("{}\"[{{\"{}", "[".repeat(levels), "]".repeat(levels));
    Message::text(format!(r#"{{"type":"{kind}","message":{content},"id":"{id}"}}"#))
}

#[tokio::test]
async fn s14_content_of_more_than_100_levels_is_refused_with_its_id() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    for kind in ["share_clipboard", "delete_note"] {
        for levels in [101, 50_000] {
            let id = Uuid::now_v7();
            ada.sends(of_depth(kind, levels, id)).await;
            let error = ada.sees("error").await;
            assert_eq!((&error["extra"], &error["id"]), (&json!("bad_request"), &json!(id)));
        }
    }
    let id = Uuid::now_v7();
    ada.sends(of_depth("share_clipboard", 100, id)).await;
    assert_eq!(ada.sees("rec_clipboard").await["id"], json!(id));
}

#[tokio::test]
async fn s13_a_ping_of_either_kind_is_answered() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    ada.sends(Message::text("ping")).await;
    ada.sees("pong").await;
    ada.sends(Message::Ping(b"echo".to_vec().into())).await;
    loop {
        if let Message::Pong(payload) = ada.socket.next().await.unwrap().unwrap() {
            assert_eq!(&payload[..], b"echo");
            break;
        }
    }
}

#[tokio::test]
async fn s13_silence_is_pinged_and_then_closed() {
    let server = TestServer::start().await;
    let before = Instant::now();
    let ada = server.join(unknown_beam()).await;
    // The raw stream, so that nothing answers the pings.
    let mut silent = ada.socket.into_inner();
    tokio::time::pause();
    let after = Instant::now();
    let mut bytes = Vec::new();
    silent.read_to_end(&mut bytes).await.unwrap();
    let ends_like_this = [0x89, 0, 0x89, 0, 0x88, 2, 3, 0xe9];
    assert!(bytes.ends_with(&ends_like_this), "{bytes:x?}");
    // The server heard the device last at a moment between those two.
    let [longest, shortest] = [before, after].map(|from| from.elapsed().as_secs_f64());
    assert!(longest >= 59.0 && shortest < 64.0, "{shortest} to {longest}");
}

#[tokio::test]
async fn s13_a_long_message_on_a_slow_line_is_not_silence() {
    const PIECES: usize = 16;
    let server = TestServer::start().await;
    let ada = server.join(unknown_beam()).await;
    // The raw stream, so that nothing answers the pings and only the message is heard.
    let mut slow = ada.socket.into_inner();
    let content = "x".repeat(200 * 1024);
    let message = json!({"type": "share_clipboard", "message": content}).to_string();
    let length = u64::try_from(message.len()).unwrap().to_be_bytes();
    let frame = [&[0x81, 0xff][..], &length, &[0; 4], message.as_bytes()].concat();

    tokio::time::pause();
    for piece in frame.chunks(frame.len().div_ceil(PIECES)) {
        slow.write_all(piece).await.unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    tokio::time::resume();

    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains("rec_clipboard") {
        let count = slow.read_buf(&mut bytes).await.unwrap();
        assert!(count > 0, "closed: {:x?}", &bytes[bytes.len() - 4..]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s15_a_flood_is_slowed_and_nothing_of_it_is_lost_and_nobody_else_waits() {
    // Fewer than an outbox takes, since the flooding device reads only then.
    const FLOOD: u64 = 1_000;
    // So many wait to be read until the word was heard, whenever that is: for half a minute, if nobody hears it.
    const WAITING: u64 = FLOOD - MESSAGE_BURST as u64;
    const MOST: u64 = 3_500;
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut flooding = server.join(beam).await;
    let (mut bob, mut cat) = (server.join(beam).await, server.join(beam).await);
    cat.sees_devices(3).await;
    let start = Instant::now();
    let flood = tokio::spawn(async move {
        for n in 0..FLOOD {
            flooding.shares(n).await;
        }
        let mut sent = FLOOD;
        loop {
            let seen = flooding.sees_item().await;
            if seen == "a word" {
                break;
            }
            if sent < MOST && seen.as_u64().is_some_and(|seen| seen + WAITING >= sent) {
                flooding.shares(sent).await;
                sent += 1;
            }
        }
        flooding.shares("the end").await;
        while flooding.sees_item().await != "the end" {}
        sent
    });
    let reading = tokio::spawn(async move {
        let mut seen = Vec::new();
        while seen.last() != Some(&json!("the end")) {
            seen.push(bob.sees_item().await);
        }
        seen
    });
    // The burst is over, and the rest of the flood waits to be read.
    while cat.sees_item().await != MESSAGE_BURST {}

    cat.sends(Message::text("ping")).await;
    cat.sees("pong").await;
    cat.shares("a word").await;

    let (sent, mut seen) = (flood.await.unwrap(), reading.await.unwrap());
    let word = seen.iter().position(|item| item == "a word").expect("it is heard");
    assert!(word < seen.len() - 2, "it is heard before the flood's end");
    seen.remove(word);
    seen.pop();
    assert_eq!(seen, (0..sent).map(|n| json!(n)).collect::<Vec<_>>());
    // 500 at once, then 100 a second.
    assert!(start.elapsed() > Duration::from_millis(4_900), "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_a_device_that_never_reads_is_closed_and_the_others_get_everything() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    let mut stuck = server.join(beam).await;
    let mut bob = server.join(beam).await;
    ada.sees_devices(3).await;
    let content = "x".repeat(200 * 1024);

    // More than the outbox and the operating system's buffers hold together.
    for n in 0..100 {
        ada.shares(json!([n, content])).await;
        assert_eq!(ada.sees_item().await[0], n);
        assert_eq!(bob.sees_item().await[0], n);
    }

    let mut cat = server.join(beam).await;
    let devices = cat.sees_devices(3).await;
    let here = [ada.id, bob.id, cat.id].map(|id| json!(id));
    assert!(devices.as_array().unwrap().iter().all(|device| here.contains(&device["device_id"])));
    // The stream ends, but not with what it did not read.
    let mut bytes = Vec::new();
    let reading = stuck.socket.get_mut().read_to_end(&mut bytes);
    let _ = timeout(PATIENCE, reading).await.expect("the connection ends");
    assert!(bytes.len() < 50 * content.len(), "{}", bytes.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_who_reads_again_in_time_learns_why() {
    // For so long the server waits for a device that it closes.
    const IN_TIME: Duration = Duration::from_secs(3);
    let server = TestServer::start().await;
    let content = "x".repeat(200 * 1024);
    for _ in 0..3 {
        let beam = unknown_beam();
        let mut ada = server.join(beam).await;
        let mut slow = server.join(beam).await;
        ada.sees_devices(2).await;
        // One of the last two texts was too much.
        let mut last = Instant::now();
        let earlier = loop {
            let earlier = mem::replace(&mut last, Instant::now());
            ada.shares(&*content).await;
            let Some(message) = ada.next().await else { panic!() };
            if message.to_text().is_ok_and(|text| text.contains("authed_users")) {
                break earlier;
            }
        };
        let mut code = None;
        while let Ok(Some(Ok(message))) = timeout(PATIENCE, slow.socket.next()).await {
            if let Message::Close(Some(frame)) = message {
                code = Some(u16::from(frame.code));
            }
        }
        if code == Some(CloseCode::TooSlow.number()) {
            return;
        }
        // The machine stood still, and so did this device.
        assert!(earlier.elapsed() >= IN_TIME, "{code:?}");
    }
    panic!("a slow device never learns why");
}
