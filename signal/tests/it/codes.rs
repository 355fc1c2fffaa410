//! H33, H34: short codes that stand for a beam's id. S32: the name that a device gives itself.

use std::time::Duration;

use heliograph_shared::limits::CODE_LIFETIME;
use heliograph_signal::limits::Limits;
use serde_json::{Value, json};

use super::device::unknown_beam;
use super::server::TestServer;

impl TestServer {
    async fn code_of(&self, beam: impl ToString) -> Value {
        let answer = self.post(&format!("/api/beams/{}/code/", beam.to_string())).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    async fn looks_up(&self, code: &str) -> u16 {
        self.get(&format!("/api/codes/{code}/")).await.status
    }
}

#[tokio::test]
async fn h33_h34_a_code_leads_to_its_beam_for_ten_minutes_however_it_is_typed() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await.beam_id;

    let answer = server.code_of(beam).await;

    assert_eq!(answer["expires_in"], 600_000);
    let code = answer["code"].as_str().unwrap().to_owned();
    let (left, right) = code.split_at(3);
    for typed in
        [&code, &code.to_lowercase(), &format!("{left}-{right}"), &format!("{left}%20{right}")]
    {
        let found = server.get(&format!("/api/codes/{typed}/")).await;
        assert_eq!((found.status, found.json()), (200, json!({"beam_id": beam})), "{typed}");
    }
    assert_eq!(server.code_of(beam).await["code"], code, "one a beam");

    server.time_passes(CODE_LIFETIME + Duration::from_secs(1)).await;
    assert_eq!(server.looks_up(&code).await, 404);
    assert_ne!(server.code_of(beam).await["code"], code);
}

#[tokio::test]
async fn h33_no_code_is_made_for_a_beam_that_is_not_there() {
    let server = TestServer::start().await;
    for beam in [unknown_beam().to_string(), "nonsense".to_owned()] {
        let answer = server.post(&format!("/api/beams/{beam}/code/")).await;
        assert_eq!(answer.status, 404, "{beam}");
    }
    // Nobody created this one, but a device is in it.
    let beam = unknown_beam();
    let _ada = server.join(beam).await;
    server.code_of(beam).await;
}

#[tokio::test]
async fn h34_guesses_are_limited_and_beyond_the_limit_a_right_code_is_refused_too() {
    let server = TestServer::with(&["--trusted-proxies", "127.0.0.1"]).await;
    let beam = server.create_beam().await.beam_id;
    let right = server.code_of(beam).await["code"].as_str().unwrap().to_owned();
    let tries = async |code: &str| {
        let from = [("x-forwarded-for", "203.0.113.7")];
        server.ask("GET", &format!("/api/codes/{code}/"), &from).await.status
    };

    for _ in 0..10 {
        assert_eq!(tries("ZZZZZZ").await, 404);
    }
    assert!(server.has_none_left("203.0.113.7", Limits::guess) < 8);

    assert_eq!(tries("ZZZZZZ").await, 429);
    assert_eq!(tries(&right).await, 429);
    server.time_passes(Duration::from_secs(6 + 60)).await;
    assert_eq!(tries(&right).await, 200);
}

#[tokio::test]
async fn s32_a_device_renames_itself_and_its_name_is_cleaned() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await.beam_id;
    let mut ada = server.join(beam).await;
    let mut bob = server.join(beam).await;
    let is_named = |name: &'static str| move |list: &Value| list["message"][0]["name"] == name;

    ada.says(&json!({"type": "rename_device", "message": "  Mira's\u{202e} desk "})).await;
    bob.sees_until("authed_users", is_named("Mira's desk")).await;

    ada.says(&json!({"type": "rename_device", "message": "x".repeat(200)})).await;
    let list = bob.sees_until("authed_users", |list| list["message"][0]["name"] != "Mira's desk");
    assert_eq!(list.await["message"][0]["name"].as_str().unwrap().len(), 80);

    ada.says(&json!({"type": "rename_device", "message": "\u{200b}"})).await;
    bob.sees_until("authed_users", is_named("Another device")).await;

    ada.says(&json!({"type": "rename_device", "message": 5})).await;
    assert_eq!(ada.is_refused().await, "bad_request");
}
