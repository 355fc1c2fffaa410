//! Saved beams, through sockets and HTTP (S21 to S27, H20 to H31), on both databases.

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::time::Millis;
use heliograph_storage::notes::NewNote;
use serde_json::{Value, json};

use super::device::TestDevice;
use super::world::{Who, World, on_both, quota};

/// The owner creates a beam, shares an item in it, and saves it.
async fn saves(world: &World<'_>, name: &str) -> (TestDevice, heliograph_shared::api::CreatedBeam) {
    let beam = world.server.create_beam().await;
    let cookies = world.person(Who::Owner).cookies_for("/ws");
    let headers = [("cookie", &*cookies)];
    let mut device = world.server.connect_as(beam.beam_id, &headers).await.unwrap();
    let auth = json!({"type": "auth", "message": beam.beam_key, "extra": {"v": 1}});
    device.says(&auth).await;
    device.is_welcomed().await;
    device.shares("before").await;
    device.sees_item().await;
    device.says(&json!({"type": "save_beam", "message": name})).await;
    (device, beam)
}

async fn notes(world: &World<'_>, who: Who, beam: impl std::fmt::Display) -> Value {
    world.person(who).gets(&format!("/api/notes/beam_notes/?beam_id={beam}")).await.json()
}

fn contents(notes: &Value) -> Vec<Value> {
    notes.as_array().unwrap().iter().map(|note| note["content"].clone()).collect()
}

#[tokio::test]
async fn s21_a_beam_that_is_saved_keeps_what_was_and_what_will_be_shared() {
    on_both(async |world| {
        let (mut owner, beam) = saves(world, "  Trip ").await;
        let saved = owner.sees("beam_saved").await;
        let expected =
            json!({"beam_name": "Trip", "role": "owner", "link_access": "write", "by_link": false});
        assert_eq!(saved["message"], expected);

        let (mut guest, welcome) = world.enters(Who::Guest, beam.beam_id).await;
        assert_eq!(welcome["message"]["saved"]["role"], "write");
        assert_eq!(welcome["message"]["expires_at"], Value::Null);
        guest.shares("after").await;
        owner.sees_item().await;

        let list = notes(world, Who::Owner, beam.beam_id).await;
        assert_eq!(contents(&list), ["before", "after"]);
        assert_eq!((&list[0]["mine"], &list[1]["mine"]), (&json!(true), &json!(false)));
        let beams = world.person(Who::Owner).gets("/api/beams/").await.json();
        assert_eq!(beams["beams"][0]["beam_name"], "Trip");
        assert_eq!(beams["beams"][0]["beam_id"], json!(beam.beam_id));
    })
    .await;
}

#[tokio::test]
async fn s22_a_late_joiner_of_a_sleeping_beam_finds_its_notes_in_order() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let (mut reader, _) = world.enters(Who::Guest, trip.beam).await;
        reader.says(&json!({"type": "sync", "message": {"after": null}})).await;
        let page = reader.sees("sync").await["message"].take();
        assert_eq!(page["items"][0]["message"]["title"], "Packing");
        assert_eq!(page["items"][0]["seq"], 1);

        let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
        writer.shares("second").await;
        assert_eq!(reader.sees("rec_clipboard").await["seq"], 2);
    })
    .await;
}

#[tokio::test]
async fn h30_a_note_comes_with_its_title_and_its_rich_content() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let list = notes(world, Who::Writer, trip.beam).await;
        let note = &list[0];
        assert_eq!((&note["title"], &note["note_type"]), (&json!("Packing"), &json!("lexi_note")));
        assert_eq!(note["json_content"], json!({"root": 1}));
        assert_eq!(note["mine"], true);
        let unknown = super::device::unknown_beam();
        assert_eq!(notes(world, Who::Guest, unknown).await, json!([]));
        let answer = world.person(Who::Guest).gets("/api/notes/beam_notes/?beam_id=x").await;
        assert_eq!(answer.status, 400);
    })
    .await;
}

#[tokio::test]
async fn b11_an_edited_note_is_one_note() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
        let id = "01010101-0101-4101-8101-010101010101";
        writer.says(&json!({"type": "share_clipboard", "message": "edited", "id": id})).await;
        assert_eq!(writer.sees_item().await, "edited");
        assert_eq!(contents(&notes(world, Who::Writer, trip.beam).await), ["edited"]);
        writer.says(&json!({"type": "delete_note", "message": "edited"})).await;
        writer.sees("delete_note").await;
        assert_eq!(contents(&notes(world, Who::Writer, trip.beam).await).len(), 0);
    })
    .await;
}

#[tokio::test]
async fn h31_a_share_that_was_lowered_is_lower_when_its_answer_is_out() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
        let path = format!("/api/beams/update-share/{}/", json!(trip.writers).as_str().unwrap());
        let answer =
            world.person(Who::Owner).asks("PUT", &path, &json!({"share_type": "read"})).await;
        assert_eq!(answer.json()["share_type"], "read");

        writer.shares("too late").await;

        assert_eq!(writer.sees("access_changed").await["message"]["role"], "read");
        assert_eq!(writer.is_refused().await, "forbidden");
        assert_eq!(contents(&notes(world, Who::Owner, trip.beam).await).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn h31_a_new_share_is_in_effect_when_its_answer_is_out() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let (mut user, welcome) = world.enters(Who::User, trip.beam).await;
        assert_eq!(welcome["message"]["saved"]["role"], "read");
        let username = world.person(Who::User).username;
        let share = json!({"beam_id": trip.beam, "username": username, "share_type": "write"});
        let answer = world.person(Who::Owner).asks("POST", "/api/beams/share/", &share).await;
        assert_eq!(answer.status, 201);

        user.shares("allowed now").await;

        assert_eq!(user.sees("access_changed").await["message"]["role"], "write");
        assert_eq!(user.sees_item().await, "allowed now");
    })
    .await;
}

#[tokio::test]
async fn h31_rights_that_change_in_the_middle_of_a_flood_end_it_there() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
        for number in 0..100 {
            writer.shares(number).await;
        }
        let path = format!("/api/beams/unshare/{}/", json!(trip.writers).as_str().unwrap());
        let answer = world.person(Who::Owner).asks("DELETE", &path, &json!({})).await;
        assert_eq!(answer.json(), json!({"success": true}));
        let before = contents(&notes(world, Who::Owner, trip.beam).await).len();

        assert_eq!(writer.is_closed().await, CloseCode::Forbidden.number());
        assert_eq!(contents(&notes(world, Who::Owner, trip.beam).await).len(), before);
    })
    .await;
}

#[tokio::test]
async fn h27_a_link_that_is_shut_closes_those_who_have_nothing_else() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let (mut reader, _) = world.enters(Who::Reader, trip.beam).await;
        let change = json!({"link_access": "none", "beam_name": "Secret"});
        let path = format!("/api/beams/{}/", trip.beam);
        let answer = world.person(Who::Admin).asks("PUT", &path, &change).await;
        assert_eq!(answer.json()["link_access"], "none");
        assert_eq!(guest.is_closed().await, CloseCode::Forbidden.number());
        assert_eq!(reader.sees("beam_renamed").await["message"], "Secret");
        let mut late = world.knocks(Who::Guest, trip.beam).await;
        assert_eq!(late.is_closed().await, CloseCode::Forbidden.number());
    })
    .await;
}

#[tokio::test]
async fn h28_a_renewed_link_ends_the_old_one_and_keeps_everything() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let mut admin = world.person(Who::Admin);
        let renewed = admin.posts(&format!("/api/beams/{}/renew/", trip.beam)).await.json();
        assert_eq!(guest.is_closed().await, CloseCode::Ended.number());
        let mut late = world.knocks(Who::Owner, trip.beam).await;
        assert_eq!(late.is_closed().await, CloseCode::Ended.number());
        let new = renewed["beam_id"].as_str().unwrap();
        assert_eq!(contents(&notes(world, Who::Reader, new).await).len(), 1);
        let mine = world.person(Who::Owner).gets("/api/beams/my-shares/").await.json();
        let beams = mine["my_shared_beams"].as_array().unwrap();
        assert!(beams.iter().any(|share| share["beam"]["beam_id"] == new));
    })
    .await;
}

#[tokio::test]
async fn h26_the_old_id_of_a_renewed_beam_finds_it_for_those_who_need_no_link() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let old = format!("/api/beams/{}/", trip.beam);
        let mut owner = world.person(Who::Owner);
        let first = owner.posts(&format!("{old}renew/")).await.json();
        let once = format!("/api/beams/{}/", first["beam_id"].as_str().unwrap());
        let now = owner.posts(&format!("{once}renew/")).await.json();
        for path in [&old, &once] {
            for who in [Who::Owner, Who::Reader] {
                assert_eq!(world.person(who).gets(path).await.json()["beam"], now, "{who:?}");
            }
            assert_eq!(world.person(Who::User).gets(path).await.status, 404);
            assert_eq!(world.person(Who::Guest).gets(path).await.status, 401);
            let rename = json!({"beam_name": "Other"});
            assert_eq!(owner.asks("PUT", path, &rename).await.status, 404, "it changes nothing");
        }
        let path = format!("/api/beams/{}/", now["beam_id"].as_str().unwrap());
        assert_eq!(owner.sends("DELETE", &path, &[], b"").await.status, 200);
        assert_eq!(owner.gets(&old).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn h29_a_deleted_beam_is_gone_for_everybody_and_its_id_says_so() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let path = format!("/api/beams/{}/", trip.beam);
        assert_eq!(world.person(Who::Owner).sends("DELETE", &path, &[], b"").await.status, 200);
        assert_eq!(guest.is_closed().await, CloseCode::Ended.number());
        let mut late = world.knocks(Who::Owner, trip.beam).await;
        assert_eq!(late.is_closed().await, CloseCode::Ended.number());
        assert_eq!(world.person(Who::Reader).gets(&path).await.status, 404);
        let shared = world.person(Who::Reader).gets("/api/beams/shared-with-me/").await.json();
        assert_eq!(shared, json!({"shared_beams": []}));
    })
    .await;
}

#[tokio::test]
async fn h23_sharing_tells_what_is_wrong_at_the_username() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let mut owner = world.person(Who::Owner);
        for (username, sentence) in [
            ("  ", "Please enter a username"),
            ("nobody.here", "There is nobody with this username"),
            ("no\0body", "There is nobody with this username"),
            ("OWNER", "This beam belongs to that person"),
            ("Reader", "This beam is shared with that person already"),
        ] {
            let body = json!({"beam_id": trip.beam, "username": username});
            let answer = owner.asks("POST", "/api/beams/share/", &body).await;
            assert_eq!(answer.status, 400, "{username}");
            assert_eq!(answer.json(), json!({"username": [sentence]}));
        }
        // Without a level it is a read share. Unknown fields change nothing.
        let body = json!({"beam_id": trip.beam, "username": "User", "owner": "user", "id": 1});
        let share = owner.asks("POST", "/api/beams/share/", &body).await.json();
        assert_eq!((&share["share_type"], &share["shared_with"]), (&json!("read"), &json!("user")));
        let shared = world.person(Who::User).gets("/api/beams/shared-with-me/").await.json();
        assert_eq!(shared["shared_beams"][0]["owner"]["username"], "owner");
        assert_eq!(shared["shared_beams"][0]["owner"].get("email"), None);
    })
    .await;
}

#[tokio::test]
async fn s25_a_removed_device_stays_out_and_s27_a_logout_closes_its_sockets() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let token = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";
        let extra = json!({"v": 1, "device_token": token});
        let mut guest = world.server.join_with(trip.beam, &extra).await;
        let (mut admin, _) = world.enters(Who::Admin, trip.beam).await;
        let removal = json!({"type": "remove_device", "message": guest.id.to_string()});
        admin.says(&removal).await;
        assert_eq!(guest.is_closed().await, CloseCode::Forbidden.number());
        let mut again = world.server.connect(trip.beam).await;
        again.says(&json!({"type": "auth", "message": null, "extra": extra})).await;
        assert_eq!(again.is_closed().await, CloseCode::Forbidden.number());

        world.person(Who::Admin).posts("/api/auth/logout/").await;
        assert_eq!(admin.is_closed().await, CloseCode::SessionEnded.number());
    })
    .await;
}

#[tokio::test]
async fn b7_a_device_with_a_login_shows_who_it_is() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let _writer = world.enters(Who::Writer, trip.beam).await;
        let users = guest.sees_devices(2).await;
        assert_eq!(users[0].get("username"), None);
        assert_eq!(
            (&users[1]["username"], &users[1]["first_name"]),
            (&json!("writer"), &json!("Ada"))
        );
        assert_eq!(users[1].get("email"), None);
    })
    .await;
}

#[tokio::test]
async fn s22_a_restart_finds_every_note_whose_echo_was_seen() {
    let server = super::server::TestServer::start().await;
    let beam = server.create_beam().await;
    let owner = server.registered("owner").await;
    let cookies = owner.cookies_for("/ws");
    let mut device = server.connect_as(beam.beam_id, &[("cookie", &*cookies)]).await.unwrap();
    device.says(&json!({"type": "auth", "message": beam.beam_key})).await;
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
    device.sees("beam_saved").await;
    for number in 0..20 {
        device.shares(number).await;
    }
    for number in 0..20 {
        assert_eq!(device.sees_item().await, number);
    }
    let cookies = owner.cookies.clone();
    let folder = server.ends().await;

    let server = super::server::TestServer::on(folder, &[]).await;
    let mut owner = server.person("owner");
    owner.cookies = cookies;
    let list = owner.gets(&format!("/api/notes/beam_notes/?beam_id={}", beam.beam_id)).await;
    let numbers: Vec<_> = (0..20).map(|number| json!(number)).collect();
    assert_eq!(contents(&list.json()), numbers);
}

#[tokio::test]
async fn h30_a_long_list_of_notes_is_told_whole_and_in_order() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        // Pages that end by number of notes and by bytes, and one with a single note that is longer than a page.
        let lengths = [1; 250].into_iter().chain([200_000, 200_000, 300_000, 10]);
        for (place, length) in (2..).zip(lengths) {
            let mut id = [0; 16];
            id[8..].copy_from_slice(&u64::to_be_bytes(place));
            let note = NewNote {
                id: ItemId::from_random(id),
                seq: place,
                content: json!([place, "ü".repeat(length)]).to_string(),
                upload: None,
                kind: "text".to_owned(),
                device: DeviceId::from_bytes([1; 16]),
                author: None,
                created_at: Millis::new(0),
            };
            world.writer.put_note(trip.beam, &note, quota(Millis::new(0))).await.unwrap();
        }

        let list = notes(world, Who::Guest, trip.beam).await;

        let places: Vec<_> = contents(&list)[1..].iter().map(|note| note[0].clone()).collect();
        assert_eq!(places, (2..256).map(|place| json!(place)).collect::<Vec<_>>());
        assert_eq!(world.server.app.budget.taken_in_all(), 0);
    })
    .await;
}
