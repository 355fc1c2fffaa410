//! Every cell of the permission table of the HTTP calls, on both databases. The table of the websocket's messages is
//! tested with the rules of the live beam, without a server.

use heliograph_shared::api::beams::LinkAccess;
use serde_json::{Value, json};

use super::world::{EVERYBODY, Trip, World, on_both};

/// A call: its name for people, the method, the path, the body.
type Call = (&'static str, &'static str, fn(Trip) -> String, fn(Trip) -> Value);

/// Each call with its statuses for a guest, a user without a share, read, write, admin and owner.
const TABLE: [(Call, [u16; 6]); 22] = [
    (("create", "POST", |_| "/api/beams/create/".into(), none), [201; 6]),
    (("own beams", "GET", |_| "/api/beams/".into(), none), [401, 200, 200, 200, 200, 200]),
    (
        ("shared with me", "GET", |_| "/api/beams/shared-with-me/".into(), none),
        [401, 200, 200, 200, 200, 200],
    ),
    (
        ("my shares", "GET", |_| "/api/beams/my-shares/".into(), none),
        [401, 200, 200, 200, 200, 200],
    ),
    (
        ("share to read", "POST", |_| "/api/beams/share/".into(), |t| share(t, "read")),
        [401, 404, 403, 403, 201, 201],
    ),
    (
        ("share to write", "POST", |_| "/api/beams/share/".into(), |t| share(t, "write")),
        [401, 404, 403, 403, 201, 201],
    ),
    (
        ("share as admin", "POST", |_| "/api/beams/share/".into(), |t| share(t, "admin")),
        [401, 404, 403, 403, 403, 201],
    ),
    (
        ("reader to write", "PUT", |t| update(t.readers), |_| level("write")),
        [401, 404, 403, 403, 200, 200],
    ),
    (
        ("writer to read", "PUT", |t| update(t.writers), |_| level("read")),
        [401, 404, 403, 403, 200, 200],
    ),
    (
        ("reader to admin", "PUT", |t| update(t.readers), |_| level("admin")),
        [401, 404, 403, 403, 403, 200],
    ),
    (
        ("admin to read", "PUT", |t| update(t.admins), |_| level("read")),
        [401, 404, 403, 403, 403, 200],
    ),
    (("take from reader", "DELETE", |t| unshare(t.readers), none), [401, 404, 200, 403, 200, 200]),
    (("take from writer", "DELETE", |t| unshare(t.writers), none), [401, 404, 403, 200, 200, 200]),
    (("take from admin", "DELETE", |t| unshare(t.admins), none), [401, 404, 403, 403, 200, 200]),
    (("look", "GET", beam, none), [401, 404, 200, 200, 200, 200]),
    (("rename", "PUT", beam, |_| json!({"beam_name": "Other"})), [401, 404, 403, 403, 200, 200]),
    (
        ("shut the link", "PUT", beam, |_| json!({"link_access": "none"})),
        [401, 404, 403, 403, 200, 200],
    ),
    (
        ("renew", "POST", |t| format!("/api/beams/{}/renew/", t.beam), none),
        [401, 404, 403, 403, 200, 200],
    ),
    (("delete", "DELETE", beam, none), [401, 404, 403, 403, 403, 200]),
    (("notes", "GET", notes, none), [401, 404, 200, 200, 200, 200]),
    (("keys", "GET", keys, none), [401, 404, 200, 200, 200, 200]),
    (
        ("deposit keys", "PUT", keys, |_| json!({"keys": [KEY], "current": "AgICAgICAgI"})),
        [401, 404, 403, 403, 200, 200],
    ),
];

const KEY: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

fn keys(trip: Trip) -> String {
    format!("/api/beams/{}/keys/", trip.beam)
}

fn none(_: Trip) -> Value {
    Value::Null
}

fn share(trip: Trip, level: &str) -> Value {
    json!({"beam_id": trip.beam, "username": "newcomer", "share_type": level})
}

fn level(level: &str) -> Value {
    json!({"share_type": level})
}

fn update(share: impl serde::Serialize) -> String {
    format!("/api/beams/update-share/{}/", json!(share).as_str().unwrap())
}

fn unshare(share: impl serde::Serialize) -> String {
    format!("/api/beams/unshare/{}/", json!(share).as_str().unwrap())
}

fn beam(trip: Trip) -> String {
    format!("/api/beams/{}/", trip.beam)
}

fn notes(trip: Trip) -> String {
    format!("/api/notes/beam_notes/?beam_id={}", trip.beam)
}

/// The statuses of a call for all roles, each in a beam of its own, whose link gives no access.
async fn row(world: &World<'_>, (_, method, path, body): Call) -> [u16; 6] {
    let mut found = [0; 6];
    for (who, found) in EVERYBODY.into_iter().zip(&mut found) {
        let trip = world.trip(LinkAccess::None).await;
        let mut person = world.person(who);
        let answer = match body(trip) {
            Value::Null => person.sends(method, &path(trip), &[], b"").await,
            body => person.asks(method, &path(trip), &body).await,
        };
        *found = answer.status;
    }
    found
}

#[tokio::test]
async fn every_role_is_answered_what_the_table_says() {
    on_both(async |world| {
        world.server.registered("newcomer").await;
        for (call, expected) in TABLE {
            assert_eq!(row(world, call).await, expected, "{}", call.0);
        }
    })
    .await;
}

#[tokio::test]
async fn another_owner_is_nobody_here() {
    on_both(async |world| {
        let mut stranger = world.server.registered("stranger").await;
        for (call, expected) in TABLE {
            let (_, method, path, body) = call;
            let trip = world.trip(LinkAccess::None).await;
            let answer = stranger.asks(method, &path(trip), &body(trip)).await;
            // Answered as for a user without a share, so that it does not reveal whether an id exists.
            assert_eq!(answer.status, expected[1], "{}", call.0);
        }
    })
    .await;
}

#[tokio::test]
async fn a8_notes_follow_the_link_for_those_without_a_share() {
    on_both(async |world| {
        for (link, expected) in [
            (LinkAccess::Write, [200; 6]),
            (LinkAccess::Read, [200; 6]),
            (LinkAccess::None, [401, 404, 200, 200, 200, 200]),
        ] {
            let trip = world.trip(link).await;
            for (who, expected) in EVERYBODY.into_iter().zip(expected) {
                let answer = world.person(who).gets(&notes(trip)).await;
                assert_eq!(answer.status, expected, "{link:?} {who:?}");
            }
        }
    })
    .await;
}
