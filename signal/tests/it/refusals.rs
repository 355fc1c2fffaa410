//! S14: an `error` names the item whose share or deletion was refused, or the device that a refused signal or frame was
//! for.

use std::time::Duration;

use heliograph_shared::api::beams::LinkAccess;
use serde_json::{Value, json};
use uuid::Uuid;

use super::device::{TestDevice, unknown_beam};
use super::server::TestServer;
use super::world::{Who, on_both};

const ITEM: &str = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";
const NOBODY: Uuid = Uuid::from_bytes([9; 16]);

fn share(content: &Value, kind: &str) -> Value {
    json!({"type": "share_clipboard", "message": content, "extra": kind, "id": ITEM})
}

#[tokio::test]
async fn s14_a_refused_share_or_deletion_names_its_item() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let (mut reader, _) = world.enters(Who::Guest, trip.beam).await;
        let note = "01010101-0101-4101-8101-010101010101";
        for (message, code, id) in [
            (share(&json!("hi"), "text"), "forbidden", ITEM),
            (share(&json!("hi"), "te\0xt"), "bad_request", ITEM),
            (share(&json!("x".repeat(300_000)), "text"), "too_large", ITEM),
            (json!({"type": "share_clipboard", "id": ITEM}), "bad_request", ITEM),
            (json!({"type": "delete_note", "message": null, "id": note}), "forbidden", note),
        ] {
            reader.says(&message).await;
            let error = reader.sees("error").await;
            assert_eq!((&error["extra"], &error["id"]), (&json!(code), &json!(id)));
            assert_eq!(error.get("to"), None);
        }
    })
    .await;
}

#[tokio::test]
async fn s14_e6_a_refused_signal_e2e_or_frame_names_its_addressee() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    let mut errors = Vec::new();
    for kind in ["signal", "e2e"] {
        for message in [json!("hi"), json!("x".repeat(300_000))] {
            ada.says(&json!({"type": kind, "message": message, "extra": {"to": NOBODY}})).await;
            errors.push(ada.sees("error").await);
        }
    }
    ada.relays(NOBODY, b"frame").await;
    errors.push(ada.sees("error").await);
    let codes: Vec<_> = errors.iter().map(|error| error["extra"].as_str().unwrap()).collect();
    let twice = ["device_gone", "too_large", "device_gone", "too_large"];
    assert_eq!(codes, [&twice[..], &["device_gone"]].concat());
    assert!(errors.iter().all(|error| error["to"] == json!(NOBODY)), "{errors:?}");
    assert!(errors.iter().all(|error| error.get("id").is_none()), "{errors:?}");
}

#[tokio::test]
async fn s7_a_kind_that_no_table_takes_is_refused_before_the_beam_is_saved() {
    on_both(async |world| {
        let beam = world.server.create_beam().await;
        let cookies = world.person(Who::Owner).cookies_for("/ws");
        let headers = [("cookie", &*cookies)];
        let mut device = world.server.connect_as(beam.beam_id, &headers).await.unwrap();
        device.says(&json!({"type": "auth", "message": beam.beam_key})).await;
        device.says(&share(&json!("hi"), "te\0xt")).await;
        assert_eq!(device.is_refused().await, "bad_request");
        device.says(&share(&json!("hi"), &"k".repeat(65))).await;
        assert_eq!(device.is_refused().await, "bad_request");
        device.says(&share(&json!("hi"), &"k".repeat(64))).await;
        device.sees_item().await;
        device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
        device.sees("beam_saved").await;
    })
    .await;
}

#[tokio::test]
async fn s25_only_a_device_that_was_here_can_be_removed() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut admin, _) = world.enters(Who::Admin, trip.beam).await;
        let (guest, _) = world.enters(Who::Guest, trip.beam).await;
        let removal = |id: Uuid| json!({"type": "remove_device", "message": id});
        admin.says(&removal(NOBODY)).await;
        let error = admin.sees("error").await;
        assert_eq!((&error["extra"], &error["to"]), (&json!("device_gone"), &json!(NOBODY)));
        // A device that has left, and one that shared something before this server started.
        let (gone, author) = (guest.id, Uuid::from_bytes([1; 16]));
        guest.leaves().await;
        admin.sees_devices(1).await;
        for id in [gone, author, gone] {
            admin.says(&removal(id)).await;
        }
        admin.shares("done").await;
        admin.sees_item().await;
        let removed = world.server.app.storage.removed_devices(trip.beam).await.unwrap();
        assert_eq!(removed.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn p27_a_note_beyond_the_owners_quota_is_refused() {
    let server = TestServer::with(&["--account-total", "1000"]).await;
    let owner = server.registered("owner").await;
    let beam = server.create_beam().await;
    let cookies = owner.cookies_for("/ws");
    let mut device = server.connect_as(beam.beam_id, &[("cookie", &*cookies)]).await.unwrap();
    device.says(&json!({"type": "auth", "message": beam.beam_key})).await;
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
    device.sees("beam_saved").await;
    device.shares("x".repeat(600)).await;
    device.sees_item().await;
    device.says(&share(&json!("x".repeat(600)), "text")).await;
    let error = device.sees("error").await;
    assert_eq!((&error["extra"], &error["id"]), (&json!("no_room"), &json!(ITEM)));
    device.shares("x".repeat(300)).await;
    device.sees_item().await;
}

#[tokio::test]
async fn s22_an_edit_is_found_after_a_restart_as_it_was_echoed() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let (mut admin, _) = world.enters(Who::Admin, trip.beam).await;
        let id = "01010101-0101-4101-8101-010101010101";
        admin.says(&json!({"type": "share_clipboard", "message": "edited", "id": id})).await;
        let echo = admin.sees("rec_clipboard").await;
        let notes = format!("/api/notes/beam_notes/?beam_id={}", trip.beam);
        let note = world.person(Who::Owner).gets(&notes).await.json()[0].take();
        assert_eq!((&note["from"], &note["created_at"]), (&echo["from"], &echo["at"]));
        assert_eq!((&note["seq"], &note["from"]), (&echo["seq"], &json!(admin.id)));
    })
    .await;
}

async fn asks_to_remove(device: &mut TestDevice, id: Uuid) {
    device.says(&json!({"type": "remove_device", "message": id})).await;
}

/// Whether a device that was here is removed. The request after it ends the wait for a refusal.
async fn removes(creator: &mut TestDevice, id: Uuid) -> bool {
    asks_to_remove(creator, id).await;
    asks_to_remove(creator, NOBODY).await;
    let error = creator.sees("error").await;
    if error["to"] == json!(NOBODY) {
        return true;
    }
    assert_eq!((&error["extra"], &error["to"]), (&json!("too_fast"), &json!(id)));
    assert_eq!(creator.is_refused().await, "device_gone");
    false
}

#[tokio::test]
async fn s25_an_address_removes_a_hundred_devices_at_once_and_then_one_a_second() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    let address = [("x-forwarded-for", "203.0.113.7")];
    let mut creator = server.connect_as(beam.beam_id, &address).await.unwrap();
    let auth = json!({"type": "auth", "message": beam.beam_key, "extra": {"v": 1}});
    creator.says(&auth).await;
    creator.is_welcomed().await;
    let mut guest = server.connect_as(beam.beam_id, &address).await.unwrap();
    guest.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    guest.is_welcomed().await;

    // Refused requests count for nobody, least of all for the creator behind the same address.
    for n in 1..=101 {
        asks_to_remove(&mut guest, NOBODY).await;
        assert_eq!(guest.is_refused().await, "forbidden", "{n}");
        asks_to_remove(&mut creator, NOBODY).await;
        assert_eq!(creator.is_refused().await, "device_gone", "{n}");
    }
    let start = server.app.clock.steady();
    assert!(removes(&mut creator, guest.id).await);
    let mut removed = 1;
    let last = loop {
        let other = server.join(beam.beam_id).await;
        if !removes(&mut creator, other.id).await {
            break other;
        }
        removed += 1;
    };
    let seconds = (server.app.clock.steady() - start).as_secs();
    assert!((100..=100 + seconds).contains(&removed), "{removed} in {seconds} s");

    server.time_passes(Duration::from_secs(1)).await;
    assert!(removes(&mut creator, last.id).await);
}
