//! H18: the export has everything of an account, and nothing of others.

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::SYNC_PAGE_BYTES;
use heliograph_shared::time::Millis;
use heliograph_signal::budget::Kind;
use heliograph_storage::notes::NewNote;
use image::ImageFormat;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use super::profile_pictures::picture;
use super::server::TestServer;
use super::world::{Who, on_both, quota};

fn texts(export: &Value) -> Vec<&Value> {
    export["notes"].as_array().unwrap().iter().map(|note| &note["note"]["content"]).collect()
}

#[tokio::test]
async fn h18_an_export_has_everything_of_its_person_and_nothing_else() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let owner = world.account(Who::Owner).await;
        // Several pages of notes.
        for n in 2..=50_u8 {
            let note = NewNote {
                id: ItemId::from_random([n; 16]),
                seq: n.into(),
                content: n.to_string(),
                upload: None,
                kind: "text".to_owned(),
                device: DeviceId::from_bytes([1; 16]),
                author: Some(owner),
                created_at: Millis::new(0),
            };
            world.writer.put_note(trip.beam, &note, quota(Millis::new(0))).await.unwrap();
        }
        let packing = json!({"title": "Packing", "content": {"root": 1}});

        let answer = world.person(Who::Owner).gets("/api/auth/export/").await;

        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.header("content-disposition"),
            "attachment; filename=\"heliograph.json\""
        );
        let export = answer.json();
        assert_eq!(export["user"]["email"], "owner@example.org");
        assert_eq!(export["beams"][0]["beam_id"], json!(trip.beam));
        assert_eq!(export["shares"].as_array().unwrap().len(), 3);
        assert_eq!(export["logins"].as_array().unwrap().len(), 1);
        let expected: Vec<_> =
            [packing.clone()].into_iter().chain((2..=50).map(Value::from)).collect();
        assert_eq!(texts(&export), expected.iter().collect::<Vec<_>>());

        let export = world.person(Who::Writer).gets("/api/auth/export/").await.json();
        assert_eq!(texts(&export), [&packing], "in somebody else's beam, but by the writer");
        assert_eq!(export["shared_with_me"][0]["owner"]["username"], "owner");
        assert_eq!((&export["beams"], &export["shares"]), (&json!([]), &json!([])));

        let export = world.person(Who::Reader).gets("/api/auth/export/").await.json();
        assert_eq!(export["notes"], json!([]));
        assert_eq!(world.person(Who::Guest).gets("/api/auth/export/").await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn h18_an_export_holds_a_page_of_notes_at_a_time_and_counts_for_it() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let owner = world.account(Who::Owner).await;
        for n in 2..=20_u8 {
            let note = NewNote {
                id: ItemId::from_random([n; 16]),
                seq: n.into(),
                content: json!("x".repeat(250_000)).to_string(),
                upload: None,
                kind: "text".to_owned(),
                device: DeviceId::from_bytes([1; 16]),
                author: Some(owner),
                created_at: Millis::new(0),
            };
            world.writer.put_note(trip.beam, &note, quota(Millis::new(0))).await.unwrap();
        }
        let cookies = world.person(Who::Owner).cookies_for("/api/auth/export/");
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut slow = socket.connect(world.server.address).await.unwrap();
        let host = world.server.address;
        let request =
            format!("GET /api/auth/export/ HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\n\r\n");
        slow.write_all(request.as_bytes()).await.unwrap();
        slow.read_exact(&mut [0; 12]).await.unwrap();

        let taken = world.server.app.budget.taken(Kind::Answers);

        assert!((5 * SYNC_PAGE_BYTES..6 * SYNC_PAGE_BYTES).contains(&taken), "{taken}");
        let (storage, bytes) = (&world.server.app.storage, 600_000);
        let page = storage.notes_for(owner, None, bytes).await.unwrap();
        // The first note is small.
        assert_eq!(page.len(), 3);
        let after = page.last().map(|(beam, note)| (*beam, note.id));
        assert_eq!(storage.notes_for(owner, after, 1).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn h18_no_secret_is_in_an_export() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let text = String::from_utf8(ada.gets("/api/auth/export").await.body).unwrap();
    for secret in
        ["password", "argon2", "hash", &ada.cookies["access"].1, &ada.cookies["refresh"].1]
    {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn h18_an_export_lists_the_files_of_its_person() {
    let server = TestServer::with(&["--disk-share", "100"]).await;
    let (mut ada, mut bob) = (server.registered("ada").await, server.registered("bob").await);
    let png = picture(2, 2, ImageFormat::Png);
    let start = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"me.png\"\r\n\
                 content-type: image/png\r\n\r\n";
    let body = [start.as_bytes(), &png, b"\r\n--x--\r\n"].concat();
    let kind = ("content-type", "multipart/form-data; boundary=x");
    let file = ada.sends("POST", "/api/upload/", &[kind], &body).await;
    assert_eq!(file.status, 201, "{file:?}");

    assert_eq!(ada.gets("/api/auth/export/").await.json()["uploads"], json!([file.json()]));
    assert_eq!(bob.gets("/api/auth/export/").await.json()["uploads"], json!([]));
}
