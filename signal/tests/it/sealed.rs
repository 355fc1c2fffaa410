//! E1 to E6: what the server does for devices that seal what they share. It can read none of it.

use heliograph_shared::api::beams::LinkAccess;
use serde_json::json;

use super::device::unknown_beam;
use super::server::TestServer;
use super::world::{Who, on_both};

#[tokio::test]
async fn e1_the_others_learn_which_devices_seal() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let caps = ["e2e1", "files", "smell", "files", "rtc", "e2e1"];
    let extra = json!({"v": 1, "caps": caps, "name": "Ada"});
    let _ada = server.join_with(beam, &extra).await;
    let mut bob = server.join(beam).await;
    let devices = bob.sees_devices(2).await;
    assert_eq!(devices[0]["caps"], json!(["files", "rtc", "e2e1"]));
    assert_eq!(devices[1]["caps"], json!(["files"]));
}

#[tokio::test]
async fn e6_what_is_said_about_the_ways_in_goes_unread_to_one_device() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let mut plain = server.connect(beam).await;
    plain.says(&json!({"type": "auth", "message": null})).await;
    plain.is_welcomed().await;
    for message in [json!({"op": "join", "deep": [[1]]}), json!("e2e1.AAAA"), json!(null)] {
        ada.says(&json!({"type": "e2e", "message": message, "extra": {"to": bob.id}})).await;
        let expected = json!({"type": "e2e", "message": message, "extra": {"from": ada.id}});
        assert_eq!(bob.sees("e2e").await, expected);
    }

    for kind in ["e2e", "signal"] {
        ada.says(&json!({"type": kind, "message": 1, "extra": {"to": plain.id}})).await;
        let error = ada.sees("error").await;
        assert_eq!((&error["extra"], &error["to"]), (&json!("device_gone"), &json!(plain.id)));
    }
    ada.shares("end").await;
    loop {
        let text = plain.next().await.unwrap().into_text().unwrap();
        assert!(!text.contains("\"e2e\"") && !text.contains("\"signal\""), "{text}");
        if text.contains("rec_clipboard") {
            break;
        }
    }
}

#[tokio::test]
async fn e6_readers_ask_for_the_keys_too() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let (mut reader, _) = world.enters(Who::Guest, trip.beam).await;
        let (mut owner, _) = world.enters(Who::Owner, trip.beam).await;
        let join = json!({"op": "join"});
        reader.says(&json!({"type": "e2e", "message": join, "extra": {"to": owner.id}})).await;
        let seen = owner.sees("e2e").await;
        assert_eq!((&seen["message"], &seen["extra"]), (&join, &json!({"from": reader.id})));
    })
    .await;
}
