//! S30, S31, H32: a beam that somebody asked to keep outlives its devices and the server, and no other beam does.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::LINGER;
use heliograph_signal::limits::Taken;
use heliograph_signal::start::sweeper;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::device::{TestDevice, unknown_beam};
use super::file::{File, png, url};
use super::server::TestServer;

const MINUTE: Duration = Duration::from_mins(1);
const SECOND: Duration = Duration::from_secs(1);

fn pdf() -> File {
    File::of("application/pdf", b"%PDF-1.7 and more").called("plan.pdf")
}

fn files_of(beam: BeamId) -> String {
    format!("/api/beams/{beam}/files/")
}

/// Joins a beam, and returns the welcome too.
async fn joins(server: &TestServer, beam: BeamId) -> (TestDevice, Value) {
    let auth = json!({"type": "auth", "message": null, "extra": {"v": 1}});
    let (device, mut welcome) = server.joins_as(beam, &[], &auth).await;
    (device, welcome["message"].take())
}

async fn keeps(device: &mut TestDevice, time: &str) -> Value {
    device.says(&json!({"type": "keep", "message": time})).await;
    device.sees("kept").await["message"].take()
}

async fn contents(device: &mut TestDevice) -> Vec<Value> {
    device.says(&json!({"type": "sync", "message": {"after": null}})).await;
    let page = device.sees("sync").await;
    page["message"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["message"].clone())
        .collect()
}

/// The database knows that something was shared, which is written beside the echo.
async fn is_recorded(server: &TestServer, beam: BeamId) {
    let storage = &server.app.storage;
    while !storage.find_beam(beam).await.unwrap().is_some_and(|record| record.had_items) {
        tokio::task::yield_now().await;
    }
}

/// Everybody has left, and the grace time is over.
async fn sleeps(server: &TestServer, beam: BeamId) {
    while server.has_live(beam) {
        server.time_passes(LINGER).await;
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn s30_what_is_kept_is_there_after_everybody_left_and_everything_else_is_not() {
    let server = TestServer::start().await;
    for keep in [true, false] {
        let beam = unknown_beam();
        let (mut ada, welcome) = joins(&server, beam).await;
        assert_eq!(welcome.get("forgotten"), None, "nothing was here yet");
        ada.shares("before").await;
        if keep {
            let kept = keeps(&mut ada, "1h").await;
            assert_eq!(kept["by"], json!(ada.id));
        }
        ada.shares("after").await;
        while ada.sees_item().await != "after" {}
        is_recorded(&server, beam).await;
        ada.leaves().await;
        sleeps(&server, beam).await;

        let (mut bob, welcome) = joins(&server, beam).await;

        assert_eq!(welcome.get("kept").is_some(), keep);
        assert_eq!(welcome.get("forgotten").is_none(), keep);
        let expected: &[&str] = if keep { &["before", "after"] } else { &[] };
        assert_eq!(contents(&mut bob).await, expected);
    }
}

#[tokio::test]
async fn s28_what_was_lost_before_a_beam_was_kept_comes_back_and_is_kept_too() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, _) = joins(&server, beam).await;
    ada.shares("lost").await;
    let mut lost = ada.sees("rec_clipboard").await;
    lost.as_object_mut().unwrap().remove("type");
    is_recorded(&server, beam).await;
    let server = TestServer::on(server.ends().await, &[]).await;
    let (mut bob, _) = joins(&server, beam).await;
    keeps(&mut bob, "1h").await;
    bob.shares("later").await;
    bob.sees_item().await;

    let (mut ada, _) = joins(&server, beam).await;
    let (id, seq) = (&lost["id"], &lost["seq"]);
    let held = json!({"known": [[seq, seq]], "items": [{"id": id, "seq": seq}]});
    ada.says(&json!({"type": "held", "message": held})).await;
    assert_eq!(ada.sees("wanted").await["message"], json!([id]));
    ada.says(&json!({"type": "restore", "message": lost})).await;
    assert_eq!(bob.sees_item().await, "lost");

    let server = TestServer::on(server.ends().await, &[]).await;
    let (mut cat, _) = joins(&server, beam).await;
    assert_eq!(contents(&mut cat).await, ["lost", "later"]);
}

#[tokio::test]
async fn h32_a_file_of_any_type_stays_as_long_as_the_beam_is_kept() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut guest = server.person("guest");
    let (mut ada, _) = joins(&server, beam).await;
    ada.shares("hi").await;
    ada.sees_item().await;
    assert_eq!(guest.uploads(&files_of(beam), &pdf()).await.status, 404, "it is not kept yet");
    keeps(&mut ada, "1h").await;

    let answer = guest.uploads(&files_of(beam), &pdf()).await;

    assert_eq!(answer.status, 201);
    let url = url(&answer);
    let file =
        json!({"file": {"name": "plan.pdf", "size": 17, "type": "application/pdf", "url": url}});
    ada.says(&json!({"type": "share_clipboard", "message": file, "extra": "file"})).await;
    ada.sees_item().await;
    ada.leaves().await;
    server.time_passes(59 * MINUTE).await;
    sweeper::sweep(&server.app).await;
    assert!(server.get(&url).await.body == pdf().bytes);

    server.time_passes(2 * MINUTE).await;
    assert_eq!(server.get(&url).await.status, 404, "before the sweeper comes");
    sweeper::sweep(&server.app).await;

    assert!(server.app.storage.notes_of(beam).await.unwrap().is_empty());
    assert_eq!(guest.uploads(&files_of(beam), &pdf()).await.status, 404);
    let (_, welcome) = joins(&server, beam).await;
    assert_eq!(welcome["forgotten"], true);
}

#[tokio::test]
async fn s30_who_is_here_when_the_keeping_ends_gets_items_without_the_files_that_went() {
    let server = TestServer::start().await;
    for ends_by_time in [false, true] {
        let beam = unknown_beam();
        let mut owner = server.registered(if ends_by_time { "ada" } else { "bob" }).await;
        let (mut ada, _) = joins(&server, beam).await;
        // An account's own upload does not end with the keeping.
        let own = format!("/api/upload/?beam_id={beam}");
        let stays = url(&owner.uploads(&own, &png(9)).await);
        let begun = Instant::now();
        keeps(&mut ada, "1h").await;
        let goes = url(&owner.uploads(&files_of(beam), &pdf()).await);
        for (name, url) in [("stays", &stays), ("goes", &goes)] {
            let file = json!({"file": {"name": name, "size": 9, "type": "", "url": url}});
            ada.says(&json!({"type": "share_clipboard", "message": file, "extra": "file"})).await;
            ada.sees_item().await;
        }

        let kept = if ends_by_time {
            let kept = server.time_passes_until(&mut ada, "kept").await;
            assert!((60 * MINUTE..63 * MINUTE).contains(&begun.elapsed()), "{:?}", begun.elapsed());
            kept
        } else {
            ada.says(&json!({"type": "keep", "message": null})).await;
            ada.sees("kept").await
        };

        assert_eq!(kept["message"], Value::Null);
        let bare = json!({"file": {"name": "goes", "size": 9, "type": ""}});
        assert_eq!(ada.sees_item().await, bare);
        let whole = json!({"file": {"name": "stays", "size": 9, "type": "", "url": stays}});
        assert_eq!(contents(&mut ada).await, [whole, bare]);
        assert_eq!((server.get(&stays).await.status, server.get(&goes).await.status), (200, 404));
        ada.leaves().await;
    }
}

#[tokio::test]
async fn f13_everybody_learns_how_much_room_guests_have_in_a_kept_beam() {
    let server = TestServer::with(&["--guest-file", "60", "--guest-total", "100"]).await;
    let beam = unknown_beam();
    let mut guest = server.person("guest");
    let (mut ada, _) = joins(&server, beam).await;
    assert_eq!(guest.gets(&files_of(beam)).await.status, 404, "it is not kept yet");
    keeps(&mut ada, "1h").await;
    assert_eq!(guest.gets(&files_of(beam)).await.json(), json!({"largest": 60, "free": 100}));

    // A note counts with its quotes and its kind.
    ada.shares("x".repeat(34)).await;
    ada.sees_item().await;
    assert_eq!(guest.gets(&files_of(beam)).await.json(), json!({"largest": 60, "free": 60}));
    assert_eq!(guest.uploads(&files_of(beam), &pdf()).await.status, 201);
    let left = 60 - pdf().bytes.len();
    let mut ada = server.registered("ada").await;
    for person in [&mut guest, &mut ada] {
        let room = person.gets(&files_of(beam)).await.json();
        assert_eq!(room, json!({"largest": left, "free": left}));
    }

    server.time_passes(61 * MINUTE).await;
    assert_eq!(guest.gets(&files_of(beam)).await.status, 404);
}

#[tokio::test]
async fn s30_an_address_may_ask_thirty_times_at_once() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut stranger =
        server.connect_as(beam, &[("x-forwarded-for", "203.0.113.7")]).await.unwrap();
    stranger.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    for _ in 0..30 {
        keeps(&mut stranger, "1h").await;
    }
    // As much as it gets back in 20 seconds, so that the test can be slow.
    let more = json!([{"limit": "Keeps", "who": "203.0.113.7", "count": 1}]);
    server.was_taken(&serde_json::from_value::<Vec<Taken>>(more).unwrap());
    stranger.says(&json!({"type": "keep", "message": "1h"})).await;
    assert_eq!(stranger.is_refused().await, "too_fast");

    server.time_passes(2 * 20 * SECOND).await;
    keeps(&mut stranger, "1h").await;
}

#[tokio::test]
async fn s30_a_guest_keeps_no_more_than_the_quota_of_guests() {
    let server = TestServer::with(&["--guest-total", "30"]).await;
    let beam = unknown_beam();
    let (mut ada, _) = joins(&server, beam).await;
    keeps(&mut ada, "1h").await;
    let share = |text: &str| json!({"type": "share_clipboard", "message": text, "extra": "text"});
    // A content counts with its quotes, and its kind.
    ada.says(&share(&"x".repeat(25))).await;
    assert_eq!(ada.is_refused().await, "no_room");
    ada.says(&share(&"x".repeat(24))).await;
    ada.sees_item().await;
    ada.says(&share("")).await;
    assert_eq!(ada.is_refused().await, "no_room");
}

#[tokio::test]
async fn s30_on_a_full_disk_nothing_is_kept() {
    let server = TestServer::with(&["--disk-share", "1"]).await;
    let (mut ada, _) = joins(&server, unknown_beam()).await;
    ada.shares("hi").await;
    ada.says(&json!({"type": "keep", "message": "24h"})).await;
    assert_eq!(ada.is_refused().await, "no_room");
    ada.shares("goes on").await;
    while ada.sees_item().await != "goes on" {}
}

#[tokio::test]
async fn s30_a_time_that_is_none_is_refused() {
    let server = TestServer::start().await;
    let (mut ada, _) = joins(&server, unknown_beam()).await;
    for time in [json!("2h"), json!(1), json!({}), json!("")] {
        ada.says(&json!({"type": "keep", "message": time})).await;
        assert_eq!(ada.is_refused().await, "bad_request", "{time}");
    }
}
