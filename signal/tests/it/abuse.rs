//! S13 to S16: what a hostile or broken device sends, and that the others do not notice.

use std::time::Duration;

use futures_util::StreamExt as _;
use heliograph_shared::close::CloseCode;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::device::unknown_beam;
use super::server::TestServer;

/// A text message whose bytes are not checked here.
fn text(bytes: &[u8]) -> Message {
    Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(Data::Text), true))
}

#[tokio::test]
async fn s14_what_is_no_message_closes_its_sender_only() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    for bytes in [
        &b"not json"[..],
        b"[]",
        b"7",
        b"{\"message\":1}",
        b"{\"type\":\"auth\"",
        b"",
        b"\xff\xfe",
        b"{\"type\":\"share_clipboard\",\"message\":\"\xc3\"}",
    ] {
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

#[tokio::test]
async fn s14_depth_does_no_harm() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    for depth in [100, 100_000] {
        let content = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let kinds = ["share_clipboard", "delete_note"];
        for kind in kinds {
            ada.sends(Message::text(format!(r#"{{"type":"{kind}","message":{content}}}"#))).await;
        }
    }
    ada.shares("unharmed").await;
    loop {
        let Some(Message::Text(text)) = ada.next().await else { panic!() };
        if text.contains("unharmed") {
            break;
        }
    }
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
    let ada = server.join(unknown_beam()).await;
    // Below the websocket, so that nothing answers the pings.
    let mut silent = ada.socket.into_inner();
    tokio::time::pause();
    let start = Instant::now();
    let mut bytes = Vec::new();
    silent.read_to_end(&mut bytes).await.unwrap();
    let ends_like_this = [0x89, 0, 0x89, 0, 0x88, 2, 3, 0xe9];
    assert!(bytes.ends_with(&ends_like_this), "{bytes:x?}");
    let seconds = start.elapsed().as_secs_f64();
    assert!((59.0..64.0).contains(&seconds), "{seconds}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s15_a_flood_is_slowed_and_nothing_of_it_is_lost_and_nobody_else_waits() {
    const FLOOD: u32 = 700;
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
        while flooding.sees_item().await != FLOOD - 1 {}
    });
    let reader = tokio::spawn(async move {
        let mut expected = 0;
        while expected < FLOOD {
            if bob.sees_item().await == expected {
                expected += 1;
            }
        }
    });
    let mut slowest = Duration::ZERO;
    while !reader.is_finished() {
        let asked = Instant::now();
        cat.sends(Message::text("ping")).await;
        cat.sees("pong").await;
        let word = format!("word at {:?}", start.elapsed());
        cat.shares(&*word).await;
        while cat.sees_item().await != word {}
        slowest = slowest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    reader.await.unwrap();
    flood.await.unwrap();
    // 500 at once, then 100 a second.
    assert!(start.elapsed() > Duration::from_millis(1_900), "{:?}", start.elapsed());
    assert!(slowest < Duration::from_millis(500), "{slowest:?}");
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

    // More than the outbox and the system's buffers hold together.
    for n in 0..100 {
        ada.shares(json!([n, content])).await;
        assert_eq!(ada.sees_item().await[0], n);
        assert_eq!(bob.sees_item().await[0], n);
    }

    assert_eq!(server.join(beam).await.sees_devices(3).await[0]["device_id"], json!(ada.id));
    // It is gone for the others; whoever reads in time still learns why.
    let mut bytes = Vec::new();
    let _ = stuck.socket.get_mut().read_to_end(&mut bytes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_who_reads_again_in_time_learns_why() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    let mut slow = server.join(beam).await;
    ada.sees_devices(2).await;
    let content = "x".repeat(200 * 1024);
    let sharing = async {
        loop {
            ada.shares(&*content).await;
            let Some(message) = ada.next().await else { panic!() };
            if message.to_text().is_ok_and(|text| text.contains("authed_users")) {
                break;
            }
        }
    };
    sharing.await;
    assert_eq!(slow.is_closed().await, CloseCode::TooSlow.number());
}
