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
async fn s14_a_refused_signal_or_frame_names_its_addressee() {
    let server = TestServer::start().await;
    let mut ada = server.join(unknown_beam()).await;
    let signal =
        |message: Value| json!({"type": "signal", "message": message, "extra": {"to": NOBODY}});
    ada.says(&signal(json!("hi"))).await;
    let mut errors = vec![ada.sees("error").await];
    ada.says(&signal(json!("x".repeat(300_000)))).await;
    errors.push(ada.sees("error").await);
    ada.relays(NOBODY, b"frame").await;
    errors.push(ada.sees("error").await);
    let codes: Vec<_> = errors.iter().map(|error| error["extra"].as_str().unwrap()).collect();
    assert_eq!(codes, ["device_gone", "too_large", "device_gone"]);
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

#[tokio::test]
async fn s25_an_address_asks_for_a_hundred_removals_at_once_and_then_one_a_second() {
    let server = TestServer::start().await;
    let mut stranger =
        server.connect_as(unknown_beam(), &[("x-forwarded-for", "203.0.113.7")]).await.unwrap();
    stranger.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    let id = Uuid::from_u128(7);
    let asks = async |device: &mut TestDevice| {
        device.says(&json!({"type": "remove_device", "message": id})).await;
        let error = device.sees("error").await;
        (error["extra"].as_str().unwrap().to_owned(), error["to"].clone())
    };
    for n in 1..=100 {
        assert_eq!(asks(&mut stranger).await.0, "forbidden", "{n}");
    }
    assert_eq!(asks(&mut stranger).await, ("too_fast".to_owned(), json!(id)));

    server.time_passes(Duration::from_secs(1)).await;
    assert_eq!(asks(&mut stranger).await.0, "forbidden");
}
