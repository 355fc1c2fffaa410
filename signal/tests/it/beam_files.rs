//! H44, H43: files of any type in a saved beam, stored at the cost of its owner.

use std::time::Duration;

use heliograph_shared::api::beams::LinkAccess;
use heliograph_signal::start::sweeper;
use heliograph_storage::uploads::UNDO_TIME;
use serde_json::{Value, json};

use super::file::{File, png, url};
use super::server::TestServer;
use super::world::{EVERYBODY, Trip, Who, World, on_both};

const SECOND: Duration = Duration::from_secs(1);

fn pdf() -> File {
    File::of("application/pdf", b"%PDF-1.7 and more").called("plan.pdf")
}

const ITEM: &str = "00000000-0000-4000-8000-000000000077";

fn item(url: &str) -> Value {
    json!({"file": {"name": "plan.pdf", "size": 17, "type": "application/pdf", "url": url}})
}

fn share(url: &str) -> Value {
    json!({"type": "share_clipboard", "message": item(url), "extra": "file", "id": ITEM})
}

fn files_of(trip: Trip) -> String {
    format!("/api/beams/{}/files/", trip.beam)
}

async fn time_passes(server: &TestServer, time: Duration) {
    server.time_passes(time).await;
    sweeper::sweep(&server.app).await;
}

/// Shares the file's item as this person, or deletes it, and leaves.
async fn says(world: &World<'_>, who: Who, trip: Trip, message: Value, answer: &str) {
    let (mut device, _) = world.enters(who, trip.beam).await;
    device.says(&message).await;
    device.sees(answer).await;
    device.leaves().await;
}

/// What each of `EVERYBODY` is answered who stores a file, by what the beam's link gives.
pub const WHO_MAY_STORE: [(LinkAccess, [u16; 6]); 3] = [
    (LinkAccess::None, [401, 404, 403, 201, 201, 201]),
    (LinkAccess::Read, [403, 403, 403, 201, 201, 201]),
    (LinkAccess::Write, [201, 201, 403, 201, 201, 201]),
];

#[tokio::test]
async fn h44_whoever_may_write_stores_files_of_any_type() {
    on_both(async |world| {
        for (link, status) in WHO_MAY_STORE {
            let trip = world.trip(link).await;
            for (who, status) in EVERYBODY.into_iter().zip(status) {
                for file in [pdf(), png(99)] {
                    let answer = world.person(who).uploads(&files_of(trip), &file).await;
                    assert_eq!(answer.status, status, "{who:?}, {link:?}");
                }
            }
        }
        let unknown = "/api/beams/6f1c1e9a-63a3-4ab5-8b2f-0d2f3cbb9a10/files/";
        assert_eq!(world.person(Who::Owner).uploads(unknown, &pdf()).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn h44_what_is_no_media_is_read_as_bytes() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let page = File::of("text/html", b"<!doctype html><script>alert(1)</script>");

        let answer = world.person(Who::Writer).uploads(&files_of(trip), &page).await;

        assert_eq!(answer.json()["type"], "application/octet-stream");
        let read = world.server.get(&url(&answer)).await;
        assert!(read.body == page.bytes);
        assert_eq!(read.header("content-type"), "application/octet-stream");
        assert!(read.header("content-disposition").starts_with("attachment"));
    })
    .await;
}

#[tokio::test]
async fn h44_a_file_takes_the_quota_of_the_beams_owner() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        world.person(Who::Guest).uploads(&files_of(trip), &pdf()).await;
        let used = async |who| {
            let export = world.person(who).gets("/api/auth/export/").await;
            export.json()["uploads"].as_array().unwrap().len()
        };
        assert_eq!((used(Who::Owner).await, used(Who::Writer).await), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn f13_whoever_may_write_learns_how_much_room_there_is() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let mut writer = world.person(Who::Writer);
        let before = writer.gets(&files_of(trip)).await.json();
        writer.uploads(&files_of(trip), &pdf()).await;
        let after = writer.gets(&files_of(trip)).await.json();

        let size = u64::try_from(pdf().bytes.len()).unwrap();
        assert_eq!(after["free"].as_u64().unwrap(), before["free"].as_u64().unwrap() - size);
        assert_eq!(after["largest"], json!(2_u64 << 30));
        for (who, status) in EVERYBODY.into_iter().zip([401, 404, 403, 200, 200, 200]) {
            let answer = world.person(who).gets(&files_of(trip)).await;
            assert_eq!(answer.status, status, "{who:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn h44_a_file_goes_unless_an_item_names_it_and_then_with_the_item() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let mut writer = world.person(Who::Writer);
        let [named, unnamed] = [
            writer.uploads(&files_of(trip), &pdf()).await,
            writer.uploads(&files_of(trip), &pdf()).await,
        ];
        let (named, unnamed) = (url(&named), url(&unnamed));
        says(world, Who::Writer, trip, share(&named), "rec_clipboard").await;

        time_passes(world.server, UNDO_TIME + SECOND).await;

        let status = async |url: &str| world.server.get(url).await.status;
        assert_eq!((status(&named).await, status(&unnamed).await), (200, 404));
        let delete = json!({"type": "delete_note", "message": item(&named), "id": ITEM});
        says(world, Who::Writer, trip, delete, "delete_note").await;
        time_passes(world.server, UNDO_TIME / 2).await;
        assert_eq!(status(&named).await, 200, "Undo may still bring it back");
        time_passes(world.server, UNDO_TIME / 2 + SECOND).await;
        assert_eq!(status(&named).await, 404);
    })
    .await;
}

/// The server cannot read what is inside of an envelope, so the name stands behind it.
#[tokio::test]
async fn e7_a_file_that_is_named_behind_an_envelope_stays_with_its_item() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let mut writer = world.person(Who::Writer);
        let url = url(&writer.uploads(&files_of(trip), &pdf()).await);
        let id = url.strip_prefix("/api/uploads/").unwrap();
        let sealed = format!("e2e1.AQ#{id}");
        let share = json!({"type": "share_clipboard", "message": sealed, "id": ITEM});
        says(world, Who::Writer, trip, share, "rec_clipboard").await;
        let status = async || world.server.get(&url).await.status;

        time_passes(world.server, UNDO_TIME + SECOND).await;
        assert_eq!(status().await, 200);
        let delete = json!({"type": "delete_note", "message": sealed, "extra": "e2e1.Ag"});
        says(world, Who::Writer, trip, delete, "delete_note").await;
        time_passes(world.server, UNDO_TIME + SECOND).await;
        assert_eq!(status().await, 404);
    })
    .await;
}

#[tokio::test]
async fn h44_a_guests_file_stays_as_long_as_its_item() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let url = url(&world.person(Who::Guest).uploads(&files_of(trip), &pdf()).await);
        says(world, Who::Guest, trip, share(&url), "rec_clipboard").await;
        time_passes(world.server, 72 * 60 * 60 * SECOND).await;
        assert_eq!(world.server.get(&url).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn h44_a_file_ends_with_its_beam() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let url = url(&world.person(Who::Writer).uploads(&files_of(trip), &pdf()).await);
        let mut owner = world.person(Who::Owner);
        assert_eq!(
            owner.asks("DELETE", &format!("/api/beams/{}/", trip.beam), &Value::Null).await.status,
            200
        );
        assert_eq!(world.server.get(&url).await.status, 404);
    })
    .await;
}
