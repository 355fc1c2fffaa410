//! S1 to S6: who may join, under which id, and what the others are told.

use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::limits::AUTH_TIMEOUT;
use heliograph_storage::beams::Life;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::device::unknown_beam;
use super::server::TestServer;

const TOKEN: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

#[tokio::test]
async fn s4_s6_two_devices_see_each_other() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    let mut ada = server.connect(beam.beam_id).await;
    let extra = json!({"v": 1, "caps": ["files", "rtc", "smell"], "name": "  Ada's\u{7} phone "});
    ada.says(&json!({"type": "auth", "message": beam.beam_key, "extra": extra})).await;
    assert_eq!(ada.sees("auth_success").await["type"], "auth_success");
    let welcome = ada.is_welcomed().await;
    assert_eq!(welcome["message"]["creator"], true);
    assert_eq!(welcome["message"]["expires_at"], beam.expires_at.get());

    let mut bob = server.join(beam.beam_id).await;

    let seen_by_ada = ada.sees_devices(2).await;
    assert_eq!(seen_by_ada, bob.sees_devices(2).await);
    let first = json!({"device_id": ada.id, "name": "Ada's phone", "caps": ["files", "rtc"]});
    assert_eq!(seen_by_ada[0], first);
    bob.leaves().await;
    assert_eq!(ada.sees_devices(1).await[0]["device_id"], json!(ada.id));
}

#[tokio::test]
async fn s3_a_client_that_knows_only_the_specification_works_beside_one_of_ours() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    let mut ours = server.join(beam.beam_id).await;
    let mut plain = server.connect(beam.beam_id).await;

    plain.says(&json!({"type": "auth", "message": beam.beam_key})).await;
    plain.sees("auth_success").await;
    let users = plain.sees_devices(2).await;
    assert_eq!((&users[1]["name"], &users[1]["caps"]), (&json!("Another device"), &json!([])));

    plain.says(&json!({"type": "share_clipboard", "message": "hi", "extra": "text"})).await;
    for device in [&mut plain, &mut ours] {
        let item = device.sees("rec_clipboard").await;
        assert_eq!((&item["message"], &item["extra"]), (&json!("hi"), &json!("text")));
    }
    ours.says(&json!({"type": "share_clipboard", "message": {"any": [1]}, "extra": "link"})).await;
    assert_eq!(plain.sees_item().await, json!({"any": [1]}));

    plain.says(&json!({"type": "delete_note", "message": "hi"})).await;
    for device in [&mut plain, &mut ours] {
        assert_eq!(
            device.sees("delete_note").await,
            json!({"type": "delete_note", "message": "hi"})
        );
    }
    plain.says(&json!({"type": "save_beam", "message": "Kitchen"})).await;
    let error = plain.sees("error").await;
    assert_eq!(error["message"], "Log in to save this beam.");
}

#[tokio::test]
async fn s9_an_edit_is_one_change_for_ours_and_two_messages_for_plain_devices() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ours = server.join(beam).await;
    let mut plain = server.connect(beam).await;
    plain.says(&json!({"type": "auth", "message": null})).await;
    plain.sees_devices(2).await;
    ours.sees_devices(2).await;
    let id = uuid::Uuid::now_v7();
    let share = |text: &str| json!({"type": "share_clipboard", "message": text, "id": id});

    ours.says(&share("draft")).await;
    ours.says(&share("final")).await;

    let types = async |device: &mut super::device::TestDevice| {
        let mut types = Vec::new();
        while types.last().is_none_or(|(_, message)| message != "final") {
            let Some(Message::Text(text)) = device.next().await else { panic!() };
            let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
            types.push((value["type"].take(), value["message"].take()));
        }
        types
    };
    let pair = |kind: &str, text: &str| (json!(kind), json!(text));
    let change = [pair("rec_clipboard", "draft"), pair("rec_clipboard", "final")];
    assert_eq!(types(&mut ours).await, change);
    let [first, last] = change;
    assert_eq!(types(&mut plain).await, [first, pair("delete_note", "draft"), last]);
}

#[tokio::test]
async fn s6_a_devices_name_cannot_look_like_another_one() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    for (name, shown) in [
        ("Ada's\u{202e} phone", "Ada's phone"),
        ("\u{2066}Bob\u{2069}\u{200b}\u{feff}", "Bob"),
        ("a\u{2028}b\0\n", "ab"),
        ("\u{202e}", "Another device"),
        ("Zoë 👩‍🚀", "Zoë 👩‍🚀"),
    ] {
        let device = server.join_with(beam, &json!({"v": 1, "caps": [], "name": name})).await;
        assert_eq!(ada.sees_devices(2).await[1]["name"], shown);
        device.leaves().await;
        ada.sees_devices(1).await;
    }
}

#[tokio::test]
async fn s2_a_wrong_key_is_refused() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await.beam_id;
    for (beam, key) in [(beam, TOKEN), (beam, "short"), (beam, ""), (unknown_beam(), TOKEN)] {
        let mut device = server.connect(beam).await;
        device.says(&json!({"type": "auth", "message": key})).await;
        assert_eq!(device.is_closed().await, CloseCode::Forbidden.number());
    }
}

#[tokio::test]
async fn s2_an_expired_beam_is_over() {
    let server = TestServer::start().await;
    let (beam, now) = (unknown_beam(), server.app.clock.now());
    server.app.storage.record_shared_beam(beam, now - Duration::from_millis(1), now).await.unwrap();
    let mut device = server.connect(beam).await;
    device.says(&json!({"type": "auth", "message": null})).await;
    assert_eq!(device.is_closed().await, CloseCode::Ended.number());
}

#[tokio::test]
async fn s2_an_id_that_nobody_created_becomes_a_row_when_something_is_shared() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    let mut bob = server.join(beam).await;
    ada.sees_devices(2).await;
    ada.says(&json!({"type": "delete_note", "message": 1})).await;
    bob.sees("delete_note").await;
    assert_eq!(server.app.storage.find_beam(beam).await.unwrap(), None);

    ada.shares("hi").await;

    assert_eq!(bob.sees_item().await, "hi");
    let record = loop {
        if let Some(record) = server.app.storage.find_beam(beam).await.unwrap() {
            break record;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(record.key_hash, None);
    let expires_at = record.created_at + Duration::from_hours(24);
    assert_eq!(record.life, Life::Unsaved { expires_at, kept: None });
}

#[tokio::test]
async fn s5_a_token_keeps_the_id_and_replaces_the_older_socket() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let extra = json!({"v": 1, "caps": [], "device_token": TOKEN});
    let mut bob = server.join(beam).await;
    let mut first = server.join_with(beam, &extra).await;

    let mut second = server.join_with(beam, &extra).await;

    assert_eq!(second.id, first.id);
    assert_eq!(first.is_closed().await, CloseCode::Replaced.number());
    drop(first);
    bob.shares("still here").await;
    assert_eq!(second.sees_item().await, "still here");
    second.leaves().await;
    let third = server.join_with(beam, &extra).await;
    assert_eq!(third.id, bob.sees_id_of(2).await);
    // A renewed link (H28) gives the beam another id. The devices that follow keep theirs.
    let elsewhere = server.join_with(unknown_beam(), &extra).await;
    assert_eq!(third.id, elsewhere.id);
}

#[tokio::test]
async fn s1_nothing_counts_before_auth() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut early = server.connect(beam).await;
    early.sends(Message::text("ping")).await;
    early.sees("pong").await;
    early.shares("too early").await;
    assert_eq!(early.is_refused().await, "unauthorized");
    early.relays(uuid::Uuid::nil(), b"too early").await;
    early.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    early.is_welcomed().await;
    early.says(&json!({"type": "sync"})).await;
    assert_eq!(early.sees("sync").await["message"]["items"], json!([]));
    early.says(&json!({"type": "auth", "message": null})).await;
    assert_eq!(early.is_refused().await, "bad_request");
}

#[tokio::test]
async fn s1_who_says_nothing_is_closed_after_ten_seconds() {
    let server = TestServer::start().await;
    let asked = tokio::time::Instant::now();
    let mut silent = server.connect(unknown_beam()).await;
    // A ping is no auth and gives no more time. Real time passes here: paused time jumps on while a message is on the wire.
    silent.sends(Message::text("ping")).await;
    assert_eq!(silent.is_closed().await, CloseCode::AuthTimeout.number());
    let passed = asked.elapsed();
    assert!(passed >= AUTH_TIMEOUT, "{passed:?}");
}

#[tokio::test]
async fn s17_the_hundred_and_first_device_is_refused() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut devices = Vec::new();
    for _ in 0..100 {
        devices.push(server.join(beam).await);
    }
    let mut late = server.connect(beam).await;
    late.says(&json!({"type": "auth", "message": null})).await;
    assert_eq!(late.is_closed().await, CloseCode::BeamFull.number());

    // A list that nobody has taken yet would give way to the next one.
    devices[0].sees_devices(100).await;
    devices.pop().unwrap().leaves().await;
    devices[0].sees_devices(99).await;
    server.join(beam).await;
}

impl super::device::TestDevice {
    /// Waits for a list of this many devices and returns the id of the last.
    async fn sees_id_of(&mut self, count: usize) -> uuid::Uuid {
        loop {
            let users = self.sees_devices(count).await;
            let id = users[count - 1]["device_id"].as_str().unwrap().parse().unwrap();
            if id != self.id {
                return id;
            }
        }
    }
}

#[tokio::test]
async fn s4_a_device_is_told_how_large_a_file_it_can_upload() {
    let server = TestServer::with(&["--guest-file", "3KiB", "--account-file", "5KiB"]).await;
    let ada = server.registered("ada").await;
    let cookie = ada.cookies_for("/ws");
    for (headers, bytes) in [(&[][..], 3 * 1024), (&[("cookie", &*cookie)], 5 * 1024)] {
        let mut device = server.connect_as(unknown_beam(), headers).await.unwrap();
        device.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
        assert_eq!(device.is_welcomed().await["message"]["limits"]["upload_bytes"], bytes);
    }
}
