//! E1 to E6: what the server does for devices that seal what they share. It can read none of it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::ids::BeamId;
use serde_json::{Value, json};

use super::device::{TestDevice, unknown_beam};
use super::file::{File, MIB, sealed, url};
use super::server::TestServer;
use super::world::{Who, on_both};

const ITEM: &str = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";

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

/// An envelope by its form. The server looks no further.
fn envelope(name: &str) -> String {
    format!("e2e1.{}", name.repeat(80))
}

async fn items(device: &mut TestDevice) -> Vec<Value> {
    device.says(&json!({"type": "sync", "message": {"after": null}})).await;
    let Value::Array(items) = device.sees("sync").await["message"]["items"].take() else {
        panic!()
    };
    items
}

#[tokio::test]
async fn e3_an_envelope_is_stored_edited_and_given_back_as_any_text_is() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let (mut owner, _) = world.enters(Who::Owner, trip.beam).await;
        let share = |name: &str| json!({"type": "share_clipboard", "message": envelope(name), "extra": "text", "id": ITEM});
        owner.says(&share("first")).await;
        let first = owner.sees("rec_clipboard").await;
        // Sealed once and sent again, it is the same item (S9).
        owner.says(&share("first")).await;
        assert_eq!(owner.sees("rec_clipboard").await, first);
        owner.says(&share("edited")).await;
        let edited = owner.sees("rec_clipboard").await;
        assert_eq!((&edited["at"], &edited["message"]), (&first["at"], &json!(envelope("edited"))));

        let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
        assert_eq!(items(&mut writer).await[1], without_type(edited.clone()));
        let path = format!("/api/notes/beam_notes/?beam_id={}", trip.beam);
        let notes = world.person(Who::Owner).gets(&path).await.json();
        assert_eq!(notes[1]["content"], json!(envelope("edited")));
        assert_eq!((&notes[1]["title"], &notes[1]["json_content"]), (&json!(null), &json!(null)));

        // Undo of a deletion gives it back its time.
        let delete = json!({"type": "delete_note", "message": envelope("edited"), "extra": envelope("gone")});
        owner.says(&delete).await;
        assert_eq!(writer.sees("delete_note").await, delete);
        owner.says(&share("edited")).await;
        assert_eq!(writer.sees("rec_clipboard").await["at"], first["at"]);
    })
    .await;
}

fn without_type(mut message: Value) -> Value {
    message.as_object_mut().unwrap().remove("type");
    message
}

#[tokio::test]
async fn e4_the_extra_of_a_deletion_comes_to_all_but_plain_devices() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let mut plain = server.connect(beam).await;
    plain.says(&json!({"type": "auth", "message": null})).await;
    plain.is_welcomed().await;
    ada.shares("item").await;
    plain.sees_item().await;

    let bare = json!({"type": "delete_note", "message": "item"});
    let mut delete = bare.clone();
    delete["extra"] = json!("x".repeat(1_025));
    ada.says(&delete).await;
    assert_eq!(ada.is_refused().await, "bad_request");
    delete["extra"] = json!("x".repeat(1_024));
    ada.says(&delete).await;

    assert_eq!(bob.sees("delete_note").await, delete);
    assert_eq!(plain.sees("delete_note").await, bare);
    assert_eq!(items(&mut bob).await, [] as [Value; 0]);
}

#[tokio::test]
async fn e15_a_plain_device_gets_one_notice_and_nothing_sealed() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    let mut plain = server.connect(beam).await;
    plain.says(&json!({"type": "auth", "message": null})).await;
    plain.is_welcomed().await;
    for name in ["one", "two"] {
        ada.shares(envelope(name)).await;
    }
    ada.shares("clear").await;
    let notice = plain.sees_item().await;
    assert!(notice.as_str().unwrap().contains("encrypted"), "{notice}");
    assert_eq!(plain.sees_item().await, "clear");
}

#[tokio::test]
async fn e13_the_operator_may_have_people_compare_before_each_device_is_let_in() {
    for (flags, told) in [(&[][..], json!(null)), (&["--join-policy", "verify"], json!("verify"))] {
        let server = TestServer::with(flags).await;
        let mut device = server.connect(unknown_beam()).await;
        device.says(&json!({"type": "auth", "message": null})).await;
        assert_eq!(device.sees("welcome").await["message"]["join_policy"], told);
    }
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

#[tokio::test]
async fn h52_deposited_keys_stay_with_a_saved_beam_and_go_with_it() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let mut owner = world.person(Who::Owner);
        let mut guest = world.person(Who::Guest);
        let path = |beam: &Value| format!("/api/beams/{}/keys/", beam.as_str().unwrap());
        let old = json!(trip.beam);
        let nothing = json!({"keys": [], "current": null, "proof": null});
        assert_eq!(guest.gets(&path(&old)).await.json(), nothing);

        let key = |n: u8| URL_SAFE_NO_PAD.encode([n; 32]);
        let current = URL_SAFE_NO_PAD.encode([3; 8]);
        let keys = json!({"keys": [key(1), key(2)], "current": current, "proof": key(4)});
        assert_eq!(owner.asks("PUT", &path(&old), &keys).await.json(), keys);
        assert_eq!(guest.gets(&path(&old)).await.json(), keys);
        let renew = format!("/api/beams/{}/renew/", trip.beam);
        let new = owner.asks("POST", &renew, &json!({})).await.json()["beam_id"].clone();
        assert_eq!(guest.gets(&path(&new)).await.json(), keys);
        assert_eq!(guest.gets(&path(&old)).await.status, 404);

        for wrong in [
            json!({"keys": [key(1)], "current": null}),
            json!({"keys": [], "current": keys["current"]}),
            json!({"keys": ["AgIC"], "current": keys["current"]}),
            json!({"keys": [key(1)], "current": "AgIC"}),
            json!({"keys": vec![key(1); 257], "current": keys["current"]}),
            json!({"keys": [key(1)], "current": keys["current"], "proof": "AgIC"}),
            json!({"keys": [], "current": null, "proof": key(4)}),
        ] {
            assert_eq!(owner.asks("PUT", &path(&new), &wrong).await.status, 400, "{wrong}");
        }
        let most = json!({"keys": vec![key(1); 256], "current": keys["current"], "proof": null});
        assert_eq!(owner.asks("PUT", &path(&new), &most).await.json(), most);
        assert_eq!(owner.asks("PUT", &path(&new), &nothing).await.json(), nothing);
        assert_eq!(guest.gets(&path(&new)).await.json(), nothing);

        owner.asks("PUT", &path(&new), &keys).await;
        let beam = format!("/api/beams/{}/", new.as_str().unwrap());
        assert_eq!(owner.asks("DELETE", &beam, &json!({})).await.status, 200);
        assert_eq!(guest.gets(&path(&new)).await.status, 404);
        let id = new.as_str().unwrap();
        let left = world.server.app.storage.keys_of(BeamId::parse(id).unwrap()).await.unwrap();
        assert_eq!(left, BeamKeys::default());
    })
    .await;
}

#[tokio::test]
async fn h40_a_sealed_copy_of_a_beam_is_taken_byte_for_byte_and_without_its_name() {
    let server = TestServer::with(&["--guest-file", "5242880", "--guest-total", "6291456"]).await;
    let beam = server.create_beam().await;
    let of_beam = format!("/api/upload/?beam_id={}", beam.beam_id);
    assert_eq!(server.takes_at(&of_beam, &sealed(5 * MIB + 1)).await.status, 413);
    for size in [72, 73, 5 * MIB] {
        let file = sealed(size);
        let answer = server.takes_at(&of_beam, &file).await;
        let said = answer.json();
        let expected = json!(["sealed", size, "application/octet-stream"]);
        assert_eq!(json!([said["name"], said["size"], said["type"]]), expected);
        let read = server.get(&url(&answer)).await;
        assert!(read.body == file.bytes, "{size}");
        assert!(read.header("content-disposition").starts_with("attachment; filename=\"sealed\""));
    }
    // Its limits are those of a medium.
    assert_eq!(server.takes_at(&of_beam, &sealed(2 * MIB)).await.status, 507);
    assert_eq!(server.takes_at(&of_beam, &sealed(MIB / 2)).await.status, 201);
}

#[tokio::test]
async fn h40_what_is_not_sealed_by_all_that_can_be_seen_is_refused() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    let of_beam = format!("/api/upload/?beam_id={}", beam.beam_id);
    let bytes = "application/octet-stream";
    let program = [&b"MZ\x90\0"[..], &[0; 2000]].concat();
    for (path, file) in [
        ("/api/upload/", sealed(2000)),
        (&of_beam, sealed(71)),
        (&of_beam, File::of("application/zip", &sealed(2000).bytes)),
        (&of_beam, File::of("image/png", &sealed(2000).bytes)),
        (&of_beam, File::of(bytes, &program)),
        (&of_beam, File::of(bytes, &b"<script>alert(1)</script>".repeat(99))),
        (&of_beam, File::of(bytes, &b"A list of words, and nothing else. ".repeat(99))),
    ] {
        let answer = server.takes_at(path, &file).await;
        let sentence = json!({"file": ["Only images, audio and video can be uploaded."]});
        assert_eq!((answer.status, answer.json()), (400, sentence), "{path} {}", file.kind);
    }
    assert_eq!(server.kept_files(), 0);
}
