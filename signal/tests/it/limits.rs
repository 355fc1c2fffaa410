//! Limits by address. The tests' own address has none, so they come through a proxy.

use std::time::Duration;

use heliograph_shared::close::CloseCode;
use serde_json::json;

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
    let answer = server.ask("POST", "/api/beams/create/", &[ADA]).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=15).contains(&wait), "{wait}");
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
async fn an_address_has_two_hundred_sockets() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut devices = Vec::new();
    for _ in 0..200 {
        devices.push(server.connect_as(beam, &[ADA]).await.unwrap());
    }
    let mut late = server.connect_as(beam, &[ADA]).await.unwrap();
    assert_eq!(late.is_closed().await, CloseCode::TooFast.number());
    devices.pop().unwrap().leaves().await;
    let mut next = server.connect_as(beam, &[ADA]).await.unwrap();
    next.says(&json!({"type": "auth", "message": null})).await;
    next.is_welcomed().await;
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
    let answer = tries(ADA).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_fast")));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert_eq!(tries(BOB).await.status, 401);
    server.time_passes(Duration::from_secs(20)).await;
    assert_eq!(tries(ADA).await.status, 401);
    assert_eq!(tries(ADA).await.status, 429);
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
