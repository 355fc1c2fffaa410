//! Limits by address. Requests from loopback have none, so these tests come through a proxy.

use std::iter;
use std::time::Duration;

use axum::http::HeaderMap;
use futures_util::FutureExt as _;
use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use heliograph_shared::names::BeamName;
use heliograph_signal::address::Client;
use heliograph_signal::error::Error;
use heliograph_signal::limits::Limits;
use heliograph_storage::notes::Quota;
use heliograph_storage::quota::Quotas;
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::{Location, Storage};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::device::unknown_beam;
use super::person::form;
use super::server::TestServer;

const ADA: (&str, &str) = ("x-forwarded-for", "192.0.2.1");
const BOB: (&str, &str) = ("x-forwarded-for", "192.0.2.2");

#[tokio::test]
async fn an_address_makes_240_beams_at_once_and_then_has_to_wait() {
    let server = TestServer::start().await;
    for n in 0..240 {
        let answer = server.ask("POST", "/api/beams/create/", &[ADA]).await;
        assert_eq!(answer.status, 201, "{n}");
    }
    server.has_none_left(ADA.1, Limits::create_beam);
    let answer = server.ask("POST", "/api/beams/create/", &[ADA]).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=15 + 60).contains(&wait), "{wait}");
    assert_eq!(server.ask("POST", "/api/beams/create/", &[BOB]).await.status, 201);
    assert_eq!(server.post("/api/beams/create/").await.status, 201);
}

#[tokio::test]
async fn an_address_joins_ten_unknown_beams_a_minute() {
    let server = TestServer::start().await;
    let auth = json!({"type": "auth", "message": null});
    let known = server.create_beam().await.beam_id;
    for _ in 0..10 {
        let mut device = server.connect_as(unknown_beam(), &[ADA]).await.unwrap();
        device.says(&auth).await;
        device.is_welcomed().await;
    }
    server.has_none_left(ADA.1, Limits::guess);
    let mut late = server.connect_as(unknown_beam(), &[ADA]).await.unwrap();
    late.says(&auth).await;
    assert_eq!(late.is_closed().await, CloseCode::TooFast.number());
    for (beam, from) in [(known, ADA), (unknown_beam(), BOB)] {
        let mut device = server.connect_as(beam, &[from]).await.unwrap();
        device.says(&auth).await;
        device.is_welcomed().await;
    }
}

#[tokio::test]
async fn an_address_has_one_limit_for_unknown_ids_and_wrong_keys() {
    let server = TestServer::start().await;
    let (beam, ended) = (server.create_beam().await, unknown_beam());
    let now = server.app.clock.now();
    server
        .app
        .storage
        .record_shared_beam(ended, now - Duration::from_millis(1), now)
        .await
        .unwrap();
    let key = serde_json::to_value(&beam.beam_key).unwrap();
    let close_of = async |beam, key: &Value, from| {
        let mut device = server.connect_as(beam, &[from]).await.unwrap();
        device.says(&json!({"type": "auth", "message": key})).await;
        device.is_closed().await
    };
    let wrong = json!("A".repeat(43));
    for _ in 0..3 {
        assert_eq!(close_of(beam.beam_id, &wrong, ADA).await, CloseCode::Forbidden.number());
        assert_eq!(close_of(unknown_beam(), &wrong, ADA).await, CloseCode::Forbidden.number());
        assert_eq!(close_of(ended, &Value::Null, ADA).await, CloseCode::Ended.number());
    }
    assert_eq!(server.asks_for_notes(unknown_beam(), ADA).await, 200);

    server.has_none_left(ADA.1, Limits::guess);
    for beam in [beam.beam_id, unknown_beam(), ended] {
        assert_eq!(close_of(beam, &wrong, ADA).await, CloseCode::TooFast.number());
    }
    assert_eq!(close_of(ended, &Value::Null, ADA).await, CloseCode::TooFast.number());
    assert_eq!(server.asks_for_notes(unknown_beam(), ADA).await, 429);

    assert_eq!(server.asks_for_notes(beam.beam_id, ADA).await, 200, "that one is no guess");
    assert_eq!(server.asks_for_notes(unknown_beam(), BOB).await, 200);
    let mut creator = server.connect_as(beam.beam_id, &[ADA]).await.unwrap();
    creator.says(&json!({"type": "auth", "message": key})).await;
    creator.is_welcomed().await;
}

#[tokio::test]
async fn s2_a_saved_beam_that_is_not_open_to_the_caller_is_a_guess() {
    let server = TestServer::start().await;
    let (storage, writer) =
        Storage::open(&Location::Folder(server.folder.path().to_owned())).await.unwrap();
    let ada = server.registered("ada").await;
    let owner = ada.account().await;
    let (beam, now) = (unknown_beam(), server.app.clock.now());
    storage.record_shared_beam(beam, now, now + Duration::from_secs(1_000)).await.unwrap();
    let (name, quota) =
        (BeamName::parse("Trip").unwrap(), Quota { quotas: Quotas::UNLIMITED, now });
    writer.save_beam(beam, owner, &name, Contents::default(), quota).await.unwrap();
    writer.change_beam(owner, beam, None, Some(LinkAccess::None)).await.unwrap();
    let joins = async |cookies: &str| {
        let headers = [ADA, ("cookie", cookies)];
        let mut device = server.connect_as(beam, &headers).await.unwrap();
        device.says(&json!({"type": "auth", "message": null})).await;
        device
    };
    let is_refused = async || joins("").await.is_closed().await;
    assert_eq!(is_refused().await, CloseCode::Forbidden.number());

    server.has_none_left(ADA.1, Limits::guess);

    assert_eq!(is_refused().await, CloseCode::TooFast.number());
    joins(&ada.cookies_for("/ws")).await.sees("auth_success").await;
}

#[tokio::test]
async fn a_deleted_beam_an_unknown_and_an_unsaved_one_have_the_same_notes() {
    let server = TestServer::start().await;
    let (unsaved, ended) = (server.create_beam().await.beam_id, unknown_beam());
    let now = server.app.clock.now();
    server
        .app
        .storage
        .record_shared_beam(ended, now - Duration::from_millis(1), now)
        .await
        .unwrap();
    for beam in [unsaved, ended, unknown_beam()] {
        let answer = server.get(&format!("/api/notes/beam_notes/?beam_id={beam}")).await;
        assert_eq!((answer.status, answer.json()), (200, json!([])));
    }
}

impl TestServer {
    async fn asks_for_notes(&self, beam: BeamId, from: (&str, &str)) -> u16 {
        let path = format!("/api/notes/beam_notes/?beam_id={beam}");
        self.ask("GET", &path, &[from]).await.status
    }
}

#[tokio::test]
async fn usernames_cannot_be_listed_by_sharing_or_renaming() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    server.registered("bob").await;
    let (beam, now) = (unknown_beam(), server.app.clock.now());
    server
        .app
        .storage
        .record_shared_beam(beam, now, now + Duration::from_secs(1_000))
        .await
        .unwrap();
    for n in 0..15 {
        let body = json!({"beam_id": beam, "username": format!("nobody{n}")});
        assert_eq!(ada.asks("POST", "/api/beams/share/", &body).await.status, 404, "{n}");
        let answer = ada.asks("PUT", "/api/auth/profile/", &json!({"username": "bob"})).await;
        assert_eq!(answer.status, 400, "{n}");
    }
    let account = ada.account().await;
    let takes = |limits: &Limits, _, now| limits.ask_for_username(account, None, now);
    assert!(server.has_none_left(ADA.1, takes) < 15, "both count");
    for username in ["bob", "nobody"] {
        let body = json!({"beam_id": beam, "username": username});
        let share = ada.asks("POST", "/api/beams/share/", &body).await;
        let rename = ada.asks("PUT", "/api/auth/profile/", &json!({"username": username})).await;
        assert_eq!((share.status, rename.status), (429, 429), "{username}");
    }
    let same = json!({"username": "Ada", "first_name": "Augusta"});
    assert_eq!(ada.asks("PUT", "/api/auth/profile/", &same).await.status, 200, "asks nothing");
}

#[tokio::test]
async fn h53_an_address_asks_ninety_times_how_passwords_are_stretched_and_a_known_device_of_it_goes_on()
 {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    assert_eq!(ada.logs_in().await.status, 200, "the device is known now");
    let ask = async |username: &str, headers: &[(&str, &str)]| {
        let headers = [headers, &[("content-type", "application/json")]].concat();
        let body = json!({"username": username}).to_string();
        server.send("POST", "/api/auth/way/", &headers, body.as_bytes()).await.status
    };
    for n in 0..90 {
        assert_eq!(ask(&format!("name{n}"), &[ADA]).await, 200, "{n}");
    }
    server.has_none_left(ADA.1, Limits::ask_for_way);
    assert_eq!(ask("ada", &[ADA]).await, 429);
    assert_eq!(ask("ada", &[BOB]).await, 200);
    let known = ada.cookies_for("/api/auth/way/");
    assert_eq!(ask("ada", &[ADA, ("cookie", &known)]).await, 200);
    assert_eq!(ask("bob", &[ADA, ("cookie", &known)]).await, 429, "it is known to one account");
}

#[tokio::test]
async fn an_address_asks_for_thirty_usernames_however_many_accounts_it_has() {
    let server = TestServer::start().await;
    server.registered("taken").await;
    for (name, expected) in [("a_1", 400), ("a_2", 400), ("a_3", 400), ("a_4", 429)] {
        let mut person = server.registered(name).await;
        if expected == 429 {
            let own = person.account().await;
            let takes = |limits: &Limits, client, now| limits.ask_for_username(own, client, now);
            assert!(server.has_none_left(ADA.1, takes) < 15, "the accounts share a limit");
        }
        for n in 0..10 {
            let headers = [ADA, ("content-type", "application/json")];
            let body = json!({"username": "taken"}).to_string();
            let answer = person.sends("PUT", "/api/auth/profile/", &headers, body.as_bytes()).await;
            assert_eq!(answer.status, expected, "{name} {n}");
        }
    }
}

#[tokio::test]
async fn a_known_device_logs_in_from_an_address_that_is_full_of_guesses() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let logs_in = async |username: &str, password: &str, cookies: &str| {
        let body = json!({"username": username, "password": password}).to_string();
        let headers = [ADA, ("content-type", "application/json"), ("cookie", cookies)];
        server.send("POST", "/api/auth/login/", &headers, body.as_bytes()).await.status
    };
    for n in 0..30 {
        assert_eq!(logs_in(&format!("guess{n}"), "a guess", "").await, 401, "{n}");
    }
    server.has_none_left(ADA.1, Limits::try_password);
    assert_eq!(logs_in("ada", &ada.password, "").await, 429);
    let cookies = ada.cookies_for("/api/auth/login/");
    assert_eq!(logs_in("guess", "a guess", &cookies).await, 429, "known for ada only");
    assert_eq!(logs_in("ada", &ada.password, &cookies).await, 200);
}

#[tokio::test]
async fn an_address_has_two_hundred_sockets() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut devices = Vec::new();
    // They join, because otherwise they would be closed after a time.
    for beam in [beam, unknown_beam(), unknown_beam(), unknown_beam()] {
        for _ in 0..50 {
            let mut device = server.connect_as(beam, &[ADA]).await.unwrap();
            device.says(&json!({"type": "auth", "message": null})).await;
            device.is_welcomed().await;
            devices.push(device);
        }
    }
    let mut late = server.connect_as(beam, &[ADA]).await.unwrap();
    assert_eq!(late.is_closed().await, CloseCode::TooFast.number());
    devices.pop().unwrap().leaves().await;
    let mut next = server.connect_as(beam, &[ADA]).await.unwrap();
    next.says(&json!({"type": "auth", "message": null})).await;
    next.is_welcomed().await;
}

#[tokio::test]
async fn s14_who_is_refused_while_it_sends_reads_the_code_before_the_end() {
    let server = TestServer::start().await;
    let client = Client::of(ADA.1.parse().unwrap(), &HeaderMap::new(), &[]).unwrap();
    let _others: Vec<_> = iter::from_fn(|| server.app.limits.sockets.enter(client)).collect();
    let refused = async || {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let handshake = format!(
            "GET /ws/beam/{}/ HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{}: {}\r\n\r\n",
            unknown_beam(),
            ADA.0,
            ADA.1
        );
        let pings = [0x81, 0x84, 0, 0, 0, 0, b'p', b'i', b'n', b'g'].repeat(1_000);
        stream.write_all(&[handshake.as_bytes(), &pings].concat()).await.unwrap();
        let (mut answer, close_4429) = (Vec::new(), [0x88, 2, 0x11, 0x4d]);
        while !answer.ends_with(&close_4429) {
            assert!(stream.read_buf(&mut answer).await.unwrap() > 0, "{}", answer.escape_ascii());
        }
        stream
    };
    // Where the machine stands still for longer than an answer is waited for, all ends at once.
    for _ in 0..3 {
        let (mut silent, mut answers) = (refused().await, refused().await);

        answers.write_all(&[0x88, 0x82, 0, 0, 0, 0, 0x11, 0x4d]).await.unwrap();

        // Its end does not wait for that of the other, which was refused before it.
        assert_eq!(answers.read(&mut [0]).await.unwrap(), 0);
        let is_first = silent.read(&mut [0]).now_or_never().is_none();
        if is_first {
            assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
            return;
        }
    }
    panic!("it waits for the end of the other");
}

#[tokio::test]
async fn s13_an_address_has_eight_uploads_at_a_time() {
    let server = TestServer::start().await;
    let client =
        |(_, address): (&str, &str)| Client::of(address.parse().unwrap(), &HeaderMap::new(), &[]);
    let enters = |from| server.app.uploads.enter(client(from));
    let mut places: Vec<_> = (0..8).map(|_| enters(ADA).unwrap()).collect();
    assert!(matches!(enters(ADA), Err(Error::Busy)));
    assert!(enters(BOB).is_ok());

    places.pop();

    assert!(enters(ADA).is_ok());
}

#[tokio::test]
async fn an_address_tries_thirty_logins_in_ten_minutes() {
    let server = TestServer::start().await;
    let body = json!({"username": "nobody's name", "password": "a guess"}).to_string();
    let tries = async |from| {
        let headers = [from, ("content-type", "application/json")];
        server.send("POST", "/api/auth/login/", &headers, body.as_bytes()).await
    };
    for n in 1..=30 {
        assert_eq!(tries(ADA).await.status, 401, "{n}");
    }
    assert!(server.has_none_left(ADA.1, Limits::try_password) < 15);
    let answer = tries(ADA).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=20 + 60).contains(&wait), "{wait}");
    assert_eq!(tries(BOB).await.status, 401);
    server.time_passes(Duration::from_secs(20 + 60)).await;
    assert_eq!(tries(ADA).await.status, 401);
    assert!(server.has_none_left(ADA.1, Limits::try_password) < 15, "not all come back at once");
    assert_eq!(tries(ADA).await.status, 429);
}

#[tokio::test]
async fn an_address_tries_thirty_passwords_to_delete_accounts_in_ten_minutes() {
    let server = TestServer::start().await;
    let body = json!({"password": "a guess"}).to_string();
    let mut people = Vec::new();
    // Five free tries of each account, so that only the address is counted.
    for n in 0..7 {
        let mut person = server.registered(&format!("person{n}")).await;
        // A known device has tries of its own, wherever it is.
        person.cookies.remove("device");
        people.push(person);
    }
    let tries = async |n: usize, from| {
        let cookies = people[n].cookies_for("/api/auth/delete-account/");
        let headers = [from, ("cookie", &*cookies), ("content-type", "application/json")];
        server.send("DELETE", "/api/auth/delete-account/", &headers, body.as_bytes()).await.status
    };
    for n in 0..30 {
        assert_eq!(tries(n / 5, ADA).await, 400, "{n}");
    }
    assert!(server.has_none_left(ADA.1, Limits::try_password) < 15);
    assert_eq!(tries(6, ADA).await, 429);
    assert_eq!(tries(6, BOB).await, 400);
}

#[tokio::test]
async fn an_address_makes_twenty_accounts_an_hour() {
    let server = TestServer::start().await;
    let registers = async |n: usize, from| {
        let person = server.person(&format!("person{n}"));
        let fields = person.fields();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
        let (kind, body) = form(&fields);
        let headers = [from, ("content-type", &*kind)];
        server.send("POST", "/api/auth/register/", &headers, &body).await
    };
    for n in 1..=20 {
        assert_eq!(registers(n, ADA).await.status, 201, "{n}");
    }
    let answer = registers(21, ADA).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    assert_eq!(registers(22, BOB).await.status, 201);
    server.time_passes(Duration::from_mins(3)).await;
    assert_eq!(registers(21, ADA).await.status, 201);
}

#[tokio::test]
async fn s3_an_address_sends_sixty_forms_to_register_and_no_body_is_read_after_that() {
    let server = TestServer::start().await;
    let (kind, body) = form(&[("username", "x")]);
    let headers = [ADA, ("content-type", &*kind)];
    for n in 1..=60 {
        let answer = server.send("POST", "/api/auth/register/", &headers, &body).await;
        assert_eq!(answer.status, 400, "{n}");
    }
    // Its body never arrives.
    let announced = [ADA, ("content-type", &*kind), ("content-length", "5000000")];
    let answer = server.ask("POST", "/api/auth/register/", &announced).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
}

#[tokio::test]
async fn s2_an_account_sends_ten_pictures_and_then_has_to_wait() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    for n in 1..=10 {
        let answer = ada.sends_form("/api/auth/profile-picture/", &[("profile_picture", "")]).await;
        assert_eq!(answer.status, 400, "{n}");
    }
    let answer = ada.sends_form("/api/auth/profile-picture/", &[("profile_picture", "")]).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    server.time_passes(Duration::from_secs(30)).await;
    let answer = ada.sends_form("/api/auth/profile-picture/", &[("profile_picture", "")]).await;
    assert_eq!(answer.status, 400);
}
