//! H47: when an upload in pieces ends by itself: without a byte, by silence, in the end, and with the right to write.

use std::process::Command;
use std::time::Duration;

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::time::Millis;
use heliograph_signal::start::sweeper;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::beam_files::WHO_MAY_STORE;
use super::bucket::Bucket;
use super::file::{HOUR, MIB, bucket_flags, png};
use super::pieces::{TYPE, VERSION, begins_piece, kept_beam, metadata, saved_beam};
use super::postgres::fresh_database;
use super::server::{Answer, TestServer};
use super::world::{EVERYBODY, Trip, Who, World, on_both};

const MINUTE: Duration = Duration::from_mins(1);

async fn time_passes(server: &TestServer, time: Duration) {
    server.time_passes(time).await;
    sweeper::sweep(&server.app).await;
}

/// A server with this quota and its files in a folder, and one with a bucket and Postgres.
async fn servers_with(quota: &str, bucket: &Bucket) -> [TestServer; 2] {
    let flags = ["--guest-total", quota];
    let in_bucket = bucket_flags(bucket);
    let in_bucket: Vec<_> = flags.into_iter().chain(in_bucket.iter().map(String::as_str)).collect();
    [TestServer::with(&flags).await, TestServer::with(&in_bucket).await]
}

#[tokio::test]
async fn h47_room_is_held_for_ten_minutes_without_a_byte_and_empty_pieces_hold_it_no_longer() {
    let bucket = Bucket::start().await;
    for server in servers_with("8MiB", &bucket).await {
        let beam = kept_beam(&server).await;
        let path = server.begun(beam, &png(6 * MIB)).await;
        time_passes(&server, 9 * MINUTE).await;
        assert_eq!(server.takes_piece(&path, 0, b"").await.status, 204);
        assert_eq!(server.has_of(&path).await, Some(0));
        assert_eq!(server.begins_pieces(beam, &png(6 * MIB)).await.status, 507);

        time_passes(&server, 2 * MINUTE).await;

        assert_eq!(server.has_of(&path).await, None);
        assert_eq!(server.takes_piece(&path, 0, b"x").await.status, 404);
        assert_eq!(server.begins_pieces(beam, &png(6 * MIB)).await.status, 201);
        assert_eq!(server.staged(), 1);
    }
}

#[tokio::test]
async fn h46_a_stored_file_that_stays_has_no_end() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let (beam, file) = (saved_beam(&server, &ada).await, png(1000));
    let path = server.begun(beam, &file).await;
    let piece = server.takes_piece(&path, 0, &file.bytes).await;
    assert_eq!(piece.status, 204);
    server.stored(&path).await;

    for answer in
        [server.ask("HEAD", &path, &[VERSION]).await, server.takes_piece(&path, 1000, b"").await]
    {
        assert!([200, 204].contains(&answer.status), "{answer:?}");
        assert_eq!(answer.header("upload-offset"), "1000");
        assert_eq!(answer.header("upload-expires"), "", "{answer:?}");
    }
}

#[tokio::test]
async fn h46_a_stored_file_answers_while_what_is_left_of_its_pieces_is_removed() {
    let database = fresh_database();
    let server = TestServer::with(&["--database", &database]).await;
    let removing_takes_long = "CREATE FUNCTION takes_long() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_sleep(3); RETURN NULL; END $$; \
        CREATE TRIGGER long BEFORE DELETE ON upload_parts EXECUTE FUNCTION takes_long()";
    let psql = Command::new("psql")
        .args([&database, "--quiet", "--command", removing_takes_long])
        .status();
    assert!(psql.unwrap().success());
    let (beam, file) = (kept_beam(&server).await, png(1000));
    let path = server.begun(beam, &file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes).await.status, 204);
    server.stored(&path).await;

    assert_eq!(server.takes_piece(&path, 1000, b"").await.status, 204);
    assert_eq!(server.takes_piece(&path, 0, &file.bytes).await.status, 409);
}

#[tokio::test]
async fn h45_of_two_that_begin_at_once_one_gets_the_room_that_there_is_for_one() {
    let server = TestServer::with(&["--guest-total", "8MiB"]).await;
    let beam = kept_beam(&server).await;
    let (one, other) = (png(6 * MIB), png(5 * MIB));
    let begun = tokio::join!(server.begins_pieces(beam, &one), server.begins_pieces(beam, &other));
    let mut statuses = [begun.0.status, begun.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 507]);
}

#[tokio::test]
async fn h47_only_more_bytes_push_the_end_on() {
    let server = TestServer::with(&["--guest-total", "8MiB"]).await;
    let (ada, file) = (server.registered("ada").await, png(1000));
    let beam = saved_beam(&server, &ada).await;
    let path = server.begun(beam, &file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes[..1]).await.status, 204);
    time_passes(&server, 11 * MINUTE).await;
    assert_eq!(server.has_of(&path).await, None, "a single byte is next to nothing");

    let path = server.begun(beam, &file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes[..16]).await.status, 204);
    time_passes(&server, 23 * HOUR).await;
    assert_eq!(server.takes_piece(&path, 16, b"").await.status, 204);
    time_passes(&server, 2 * HOUR).await;
    assert_eq!(server.has_of(&path).await, None, "25 h after the last byte");

    let path = server.begun(beam, &file).await;
    for day in 0..7 {
        let at = day * 16;
        let answer = server.takes_piece(&path, at, &file.bytes[at..at + 16]).await;
        assert_eq!(answer.status, 204, "day {day}: {answer:?}");
        time_passes(&server, 23 * HOUR).await;
    }
    assert_eq!(server.takes_piece(&path, 7 * 16, &file.bytes[..16]).await.status, 204);
    time_passes(&server, 8 * HOUR).await;
    assert_eq!(server.has_of(&path).await, None, "a week after it began");
    assert_eq!(server.staged(), 0);
    assert_eq!(server.app.storage.bury_old_uploads(Millis::MAX).await.unwrap(), 0);
}

#[tokio::test]
async fn h46_a_slow_piece_is_made_safe_every_minute() {
    let server = TestServer::start().await;
    let (beam, file) = (kept_beam(&server).await, png(6 * MIB));
    let path = server.begun(beam, &file).await;
    let mut stream = begins_piece(&server, &path, 0, 6 * MIB, &file.bytes[..MIB]).await;
    assert_eq!(server.takes_piece(&path, 0, b"").await.status, 423);

    // The server reads between the seconds: half a minute at once would be a sender that is silent.
    let mut pieces = file.bytes[MIB..].chunks(MIB / 64);
    while server.has_of(&path).await.unwrap() < MIB {
        server.time_passes(Duration::from_secs(1)).await;
        stream.write_all(pieces.next().expect("what came is safe by now")).await.unwrap();
    }
}

/// Begins an upload as this person.
async fn begins(world: &World<'_>, who: Who, trip: Trip) -> Answer {
    let (file, mut person) = (png(1000), world.person(who));
    let said = metadata(&file);
    let headers = [VERSION, ("upload-length", "1000"), ("upload-metadata", &said)];
    person.sends("POST", &format!("/api/beams/{}/tus/", trip.beam), &headers, b"").await
}

/// Begins an upload as this person, and sends some of it.
async fn has_begun(world: &World<'_>, who: Who, trip: Trip) -> String {
    let answer = begins(world, who, trip).await;
    assert_eq!(answer.status, 201, "{who:?}: {answer:?}");
    let path = answer.header("location").to_owned();
    let headers = [VERSION, TYPE, ("upload-offset", "0")];
    assert_eq!(world.server.send("PATCH", &path, &headers, &png(9).bytes).await.status, 204);
    path
}

#[tokio::test]
async fn h45_whoever_may_write_may_send_a_file_in_pieces() {
    on_both(async |world| {
        for (link, status) in WHO_MAY_STORE {
            let trip = world.trip(link).await;
            for (who, status) in EVERYBODY.into_iter().zip(status) {
                assert_eq!(begins(world, who, trip).await.status, status, "{who:?}, {link:?}");
            }
        }
    })
    .await;
}

/// A change that takes somebody's right to write, and whose uploads go on afterwards.
type Change = (&'static str, fn(Trip) -> (&'static str, String, Value), [bool; 5]);

/// Of a guest, a user without a share, a writer, an admin and the owner, where the link lets everybody write.
const CHANGES: [Change; 6] = [
    (
        "the link",
        |t| ("PUT", beam(t), json!({"link_access": "read"})),
        [false, false, true, true, true],
    ),
    ("the name", |t| ("PUT", beam(t), json!({"beam_name": "Other"})), [true; 5]),
    ("renewed", |t| ("POST", beam(t) + "renew/", Value::Null), [false, false, true, true, true]),
    (
        "to read",
        |t| ("PUT", share("update-share", t), json!({"share_type": "read"})),
        [true, true, false, true, true],
    ),
    ("unshared", |t| ("DELETE", share("unshare", t), Value::Null), [true; 5]),
    (
        "shared to read",
        |t| {
            let body = json!({"beam_id": t.beam, "username": "user", "share_type": "read"});
            ("POST", "/api/beams/share/".to_owned(), body)
        },
        [true, false, true, true, true],
    ),
];

fn beam(trip: Trip) -> String {
    format!("/api/beams/{}/", trip.beam)
}

fn share(call: &str, trip: Trip) -> String {
    format!("/api/beams/{call}/{}/", json!(trip.writers).as_str().unwrap())
}

#[tokio::test]
async fn h47_an_upload_ends_when_its_sender_may_not_write_any_more() {
    on_both(async |world| {
        for (name, change, expected) in CHANGES {
            let trip = world.trip(LinkAccess::Write).await;
            let senders = [Who::Guest, Who::User, Who::Writer, Who::Admin, Who::Owner];
            let mut paths = Vec::new();
            for who in senders {
                paths.push(has_begun(world, who, trip).await);
            }
            let (method, path, body) = change(trip);
            let mut owner = world.person(Who::Owner);
            let answer = match body {
                Value::Null => owner.sends(method, &path, &[], b"").await,
                body => owner.asks(method, &path, &body).await,
            };
            assert!(answer.status < 300, "{name}: {answer:?}");
            for ((who, path), goes_on) in senders.iter().zip(paths).zip(expected) {
                let status = world.server.takes_piece(&path, 9, b"x").await.status;
                assert_eq!(status, if goes_on { 204 } else { 404 }, "{name}: {who:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn h47_an_upload_ends_with_the_account_that_sends_it() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (theirs, owners) =
            (has_begun(world, Who::User, trip).await, has_begun(world, Who::Owner, trip).await);
        let mut user = world.person(Who::User);
        let body = json!({"password": user.password});
        let answer = user.asks("DELETE", "/api/auth/delete-account/", &body).await;
        assert!(answer.status < 300, "{answer:?}");
        assert_eq!(world.server.has_of(&theirs).await, None);
        assert_eq!(world.server.has_of(&owners).await, Some(9));
    })
    .await;
}

#[tokio::test]
async fn h47_an_upload_goes_on_when_its_beam_is_saved_meanwhile_and_the_file_stays() {
    let bucket = Bucket::start().await;
    for server in servers_with("8MiB", &bucket).await {
        let mut ada = server.registered("ada").await;
        let created = server.create_beam().await;
        let (beam, cookies) = (created.beam_id, ada.cookies_for("/ws"));
        let mut device = server.connect_as(beam, &[("cookie", &*cookies)]).await.unwrap();
        device.says(&json!({"type": "auth", "message": created.beam_key, "extra": {"v": 1}})).await;
        device.is_welcomed().await;
        device.shares("hi").await;
        device.sees_item().await;
        device.says(&json!({"type": "keep", "message": "1h"})).await;
        device.sees("kept").await;
        let file = png(1000);
        let path = server.begun(beam, &file).await;
        assert_eq!(server.takes_piece(&path, 0, &file.bytes[..99]).await.status, 204);
        device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
        device.sees("beam_saved").await;

        time_passes(&server, 2 * HOUR).await;

        assert_eq!(server.takes_piece(&path, 99, &file.bytes[99..]).await.status, 204);
        let stored = server.stored(&path).await;
        ada.logs_in().await;
        let export = ada.gets("/api/auth/export/").await;
        assert_eq!(export.json()["uploads"].as_array().unwrap().len(), 1, "it is the owner's");
        let item = json!({"file": {"name": "a.png", "size": 1000, "type": "image/png", "url": stored["url"]}});
        let mut device = server.connect_as(beam, &[("cookie", &*cookies)]).await.unwrap();
        device.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
        device.is_welcomed().await;
        device.says(&json!({"type": "share_clipboard", "message": item, "extra": "file"})).await;
        device.sees("rec_clipboard").await;
        time_passes(&server, 72 * HOUR).await;
        assert!(server.reads(&stored).await == file.bytes);
    }
}
