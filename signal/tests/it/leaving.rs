//! H15, H17, S27: what the end of a session or account means for its sockets, its beams and other users.

use std::time::Duration;

use heliograph_shared::close::CloseCode;
use serde_json::json;

use super::device::unknown_beam;
use super::person::Person;
use super::postgres::fresh_database;
use super::server::TestServer;

impl Person<'_> {
    async fn deletes_the_account(&mut self, password: &str) -> super::server::Answer {
        self.asks("DELETE", "/api/auth/delete-account/", &json!({"password": password})).await
    }
}

#[tokio::test]
async fn s27_the_end_of_a_login_closes_its_sockets_and_no_others() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let mut elsewhere = ada.clone();
    elsewhere.logs_in().await;
    let beam = unknown_beam();
    let mut closed = [ada.joins(beam).await, ada.joins(unknown_beam()).await];
    let (mut stays, mut guest) = (elsewhere.joins(beam).await, server.join(beam).await);
    guest.sees_devices(3).await;

    ada.posts("/api/auth/logout/").await;

    for device in &mut closed {
        assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
    }
    guest.sees_devices(2).await;
    stays.shares("still here").await;
    assert_eq!(guest.sees_item().await, "still here");
}

#[tokio::test]
async fn s27_a_refresh_keeps_the_sockets_and_a_replay_closes_them() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let stolen = ada.clone();
    let mut device = ada.joins(unknown_beam()).await;
    ada.posts("/api/auth/refresh/").await;
    device.shares("still here").await;
    assert_eq!(device.sees_item().await, "still here");

    server.time_passes(Duration::from_secs(31)).await;
    stolen.clone().posts("/api/auth/refresh/").await;

    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
}

#[tokio::test]
async fn s27_a_login_that_ends_by_time_closes_its_sockets() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let beam = unknown_beam();
    let (mut device, mut guest) = (ada.joins(beam).await, server.join(beam).await);
    let days_30 = Duration::from_hours(30 * 24);

    server.app.logins.end_expired(server.app.clock.now() + days_30).await.unwrap();

    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
    guest.sees_devices(1).await;
}

#[tokio::test]
async fn h15_an_account_goes_with_its_logins_sockets_and_beams() {
    for flags in [vec![], vec!["--database".to_owned(), fresh_database()]] {
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let server = TestServer::with(&flags).await;
        let mut ada = server.registered("ada").await;
        let beam = ada.saves_a_beam().await;
        let mut phone = ada.clone();
        phone.logs_in().await;
        let (mut own, mut guest) = (phone.joins(unknown_beam()).await, server.join(beam).await);

        let answer = ada.deletes_the_account("ada's password").await;

        assert_eq!((answer.status, answer.json()), (200, json!({"success": true})));
        assert!(ada.cookies.is_empty());
        assert_eq!(own.is_closed().await, CloseCode::SessionEnded.number());
        assert_eq!(guest.is_closed().await, CloseCode::Ended.number());
        assert_eq!(phone.is().await, None);
        assert_eq!(phone.posts("/api/auth/refresh/").await.status, 401);
        assert_eq!(phone.logs_in().await.status, 401);
        let mut late = server.connect(beam).await;
        late.says(&json!({"type": "auth", "message": null})).await;
        assert_eq!(late.is_closed().await, CloseCode::Ended.number());
        assert_eq!(server.person("ada").registers().await.status, 201, "the name is free again");
    }
}

#[tokio::test]
async fn h15_without_the_password_nothing_is_deleted() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let mut device = ada.joins(unknown_beam()).await;
    for (password, sentence) in [
        ("", "Please enter your password to confirm account deletion"),
        ("   ", "Please enter your password to confirm account deletion"),
        ("x", "The password is wrong"),
        ("not her password", "The password is wrong"),
    ] {
        let answer = ada.deletes_the_account(password).await;
        let expected = json!({"password": [sentence]});
        assert_eq!((answer.status, answer.json()), (400, expected), "{password:?}");
    }
    assert_eq!(server.person("ada").deletes_the_account("ada's password").await.status, 401);
    assert!(ada.is().await.is_some());
    device.shares("still here").await;
    assert_eq!(device.sees_item().await, "still here");
}

#[tokio::test]
async fn h15_an_open_page_is_no_place_to_guess_the_password() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    assert_eq!(ada.deletes_the_account("a guess").await.status, 400);
    for pause in [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64] {
        server.time_passes(Duration::from_secs(pause)).await;
        assert_eq!(ada.deletes_the_account("a guess").await.status, 400);
    }
    assert_eq!(ada.deletes_the_account("ada's password").await.status, 429);
    assert_eq!(ada.logs_in().await.status, 429, "the tries are of the account");
}

#[tokio::test]
async fn h15_another_username_gives_no_more_tries() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    // A thief of the session has no cookie of a known device.
    ada.cookies.remove("device");
    let wrong = async || assert_eq!(ada.deletes_the_account("a guess").await.status, 400);
    server.is_tried(wrong).await;
    let answer = ada.asks("PUT", "/api/auth/profile/", &json!({"username": "lovelace"})).await;
    assert_eq!(answer.status, 200);
    assert_eq!(ada.deletes_the_account("a guess").await.status, 429);
    let mut elsewhere = server.person("lovelace");
    assert_eq!(elsewhere.logs_in().await.status, 429, "the tries are of the account");
}
