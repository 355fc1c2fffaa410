//! S22: a connection to Postgres that breaks around a commit. A proxy between the server and the database cuts it when
//! a COMMIT passes, once before the database receives it and once after.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use heliograph_shared::api::CreatedBeam;
use heliograph_shared::close::CloseCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::time::sleep;

use super::device::TestDevice;
use super::person::Person;
use super::postgres::fresh_database;
use super::server::TestServer;
use super::vaults::vault;

/// A COMMIT on the wire: a simple query (Postgres manual, section 54.7).
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// When to cut the connection of the next COMMIT.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Never,
    Before,
    After,
    /// The connection is cut at once, and the COMMIT arrives a while later.
    Late,
}

/// How late: long enough for a server that does not wait to read what is about to change.
const LATE: Duration = Duration::from_millis(500);

/// The proxy.
struct Wire {
    cut: Arc<AtomicU8>,
    /// The address of the database behind it.
    url: String,
}

impl Wire {
    async fn new() -> Self {
        let direct = fresh_database();
        let (name, folder) = parts(&direct);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://postgres@{}/{name}", listener.local_addr().unwrap());
        let cut = Arc::new(AtomicU8::new(Cut::Never as u8));
        tokio::spawn(accept(listener, folder.join(".s.PGSQL.5432"), cut.clone()));
        Self { cut, url }
    }

    fn cuts(&self, cut: Cut) {
        self.cut.store(cut as u8, Ordering::SeqCst);
    }

    fn was_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst) == Cut::Never as u8
    }
}

/// The name of the database, and the folder of its server's socket.
fn parts(url: &str) -> (String, PathBuf) {
    let (path, query) = url.split_once('?').unwrap();
    let name = path.rsplit_once('/').unwrap().1.to_owned();
    (name, PathBuf::from(query.strip_prefix("host=").unwrap()))
}

async fn accept(listener: TcpListener, socket: PathBuf, cut: Arc<AtomicU8>) {
    loop {
        let (server, _) = listener.accept().await.unwrap();
        let database = UnixStream::connect(&socket).await.unwrap();
        tokio::spawn(carry(server, database, cut.clone()));
    }
}

/// Forwards bytes in both directions until one end is closed or the connection is cut.
async fn carry(mut server: TcpStream, mut database: UnixStream, cut: Arc<AtomicU8>) {
    let (mut asked, mut answered) = ([0; 8 * 1024], [0; 8 * 1024]);
    loop {
        tokio::select! {
            count = server.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                let is_commit = asked[..count].windows(COMMIT.len()).any(|bytes| bytes == COMMIT);
                let now = is_commit.then(|| cut.swap(Cut::Never as u8, Ordering::SeqCst));
                if now == Some(Cut::Before as u8) {
                    return;
                }
                if now == Some(Cut::Late as u8) {
                    drop(server);
                    sleep(LATE).await;
                    database.write_all(&asked[..count]).await.unwrap();
                    let _ = database.read(&mut answered).await;
                    return;
                }
                database.write_all(&asked[..count]).await.unwrap();
                if now == Some(Cut::After as u8) {
                    // The answer, which says that the commit is done, never arrives.
                    let count = database.read(&mut answered).await.unwrap();
                    assert!(answered[..count].windows(6).any(|bytes| bytes == b"COMMIT"));
                    return;
                }
            }
            count = database.read(&mut answered) => {
                let Ok(count @ 1..) = count else { return };
                if server.write_all(&answered[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn owns_a_beam(owner: &Person<'_>) -> (TestDevice, CreatedBeam) {
    let beam = owner.server.create_beam().await;
    let cookies = owner.cookies_for("/ws");
    let headers = [("cookie", &*cookies)];
    let mut device = owner.server.connect_as(beam.beam_id, &headers).await.unwrap();
    let auth = json!({"type": "auth", "message": beam.beam_key, "extra": {"v": 1}});
    device.says(&auth).await;
    device.is_welcomed().await;
    (device, beam)
}

async fn saves(device: &mut TestDevice) {
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
}

async fn notes(owner: &Person<'_>, beam: &CreatedBeam) -> Vec<Value> {
    let path = format!("/api/notes/beam_notes/?beam_id={}", beam.beam_id);
    let notes = owner.clone().gets(&path).await.json();
    notes.as_array().unwrap().iter().map(|note| note["content"].clone()).collect()
}

#[tokio::test]
async fn s22_a_note_whose_commit_was_answered_to_nobody_is_echoed_and_the_beam_goes_on() {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let owner = server.registered("owner").await;
    let (mut device, beam) = owns_a_beam(&owner).await;
    saves(&mut device).await;
    device.sees("beam_saved").await;

    wire.cuts(Cut::After);
    device.shares("uncertain").await;

    let uncertain = device.sees("rec_clipboard").await;
    assert_eq!(uncertain["message"], "uncertain");
    assert!(wire.was_cut());
    device.shares("after").await;
    let after = device.sees("rec_clipboard").await;
    assert_eq!(after["seq"].as_u64(), uncertain["seq"].as_u64().map(|seq| seq + 1));
    assert_eq!(notes(&owner, &beam).await, ["uncertain", "after"]);
}

#[tokio::test]
async fn s22_a_note_whose_commit_never_arrived_is_refused_and_the_beam_goes_on() {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let owner = server.registered("owner").await;
    let (mut device, beam) = owns_a_beam(&owner).await;
    saves(&mut device).await;
    device.sees("beam_saved").await;

    wire.cuts(Cut::Before);
    device.shares("lost").await;

    assert_eq!(device.is_refused().await, "unavailable");
    assert!(wire.was_cut());
    device.shares("after").await;
    assert_eq!(device.sees_item().await, "after");
    assert_eq!(notes(&owner, &beam).await, ["after"]);
}

#[tokio::test]
async fn s21_a_save_whose_commit_was_answered_to_nobody_is_told() {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let owner = server.registered("owner").await;
    let (mut device, beam) = owns_a_beam(&owner).await;
    device.shares("before").await;
    device.sees_item().await;

    wire.cuts(Cut::After);
    saves(&mut device).await;

    assert_eq!(device.sees("beam_saved").await["message"]["role"], "owner");
    device.shares("after").await;
    device.sees_item().await;
    assert_eq!(notes(&owner, &beam).await, ["before", "after"]);
}

#[tokio::test]
async fn s35_a_save_whose_commit_was_answered_to_nobody_has_the_shared_arrangement() {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let owner = server.registered("owner").await;
    let (mut device, beam) = owns_a_beam(&owner).await;
    device.shares("before").await;
    let item = device.sees("rec_clipboard").await["id"].take();
    let places = json!([{"id": item, "x": 592, "y": 308}]);
    device.says(&json!({"type": "arrange", "message": {"shared": true, "places": places}})).await;
    device.sees("arranged").await;

    wire.cuts(Cut::After);
    saves(&mut device).await;

    device.sees("beam_saved").await;
    assert!(wire.was_cut());
    let mut guest = server.join(beam.beam_id).await;
    assert_eq!(guest.sees("arranged").await["message"]["places"], places);
    let stored = server.app.storage.arrangement_of(beam.beam_id).await.unwrap();
    assert_eq!(json!(stored), places);
}

#[tokio::test]
async fn h54_other_logins_end_with_a_password_whose_change_was_answered_to_nobody() {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let mut owner = server.registered("owner").await;
    let mut elsewhere = server.person("owner");
    assert_eq!(elsewhere.logs_in().await.status, 200);
    assert_eq!(elsewhere.is().await.as_deref(), Some("owner"), "so that the session is cached");
    let (mut device, _) = owns_a_beam(&elsewhere).await;

    wire.cuts(Cut::After);
    let answer = owner.changes_vault("the login part", &vault(1, 1)).await;

    assert_eq!(answer.status, 503, "nobody knows what came of it");
    assert!(wire.was_cut());
    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
    assert_eq!((owner.is().await.as_deref(), elsewhere.is().await), (Some("owner"), None));
}

/// The owner shuts the link while the connection is cut like this: the guest goes. Returns the owner's beams.
async fn the_link_is_shut(cut: Cut) -> Value {
    let wire = Wire::new().await;
    let server = TestServer::with(&["--database", &wire.url]).await;
    let mut owner = server.registered("owner").await;
    let (mut device, beam) = owns_a_beam(&owner).await;
    saves(&mut device).await;
    device.sees("beam_saved").await;
    let mut guest = server.join(beam.beam_id).await;

    wire.cuts(cut);
    let path = format!("/api/beams/{}/", beam.beam_id);
    let answer = owner.asks("PUT", &path, &json!({"link_access": "none"})).await;

    assert_eq!(answer.status, 503, "nobody knows what came of it");
    assert_eq!(guest.is_closed().await, CloseCode::Forbidden.number());
    owner.gets("/api/beams/").await.json()
}

#[tokio::test]
async fn h31_a_link_whose_change_is_uncertain_is_as_the_tables_say() {
    the_link_is_shut(Cut::After).await;
}

#[tokio::test]
async fn h31_a_change_that_is_decided_late_is_told_when_it_is_decided() {
    let beams = the_link_is_shut(Cut::Late).await;
    assert_eq!(beams["beams"][0]["link_access"], "none");
}
