//! H10 to H14: accounts, and the forms of registration and profile.

use futures_util::FutureExt as _;
use heliograph_shared::names::{Email, PersonName, Username};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::{AccountId, NewAccount};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::person::{Person, form};
use super::postgres::fresh_database;
use super::server::{Answer, TestServer};

/// Sends the head of a call whose body the server then begins to wait for, lets something happen, and sends the body. Returns the
/// status.
async fn status_of_slow(
    person: &Person<'_>,
    method: &str,
    path: &str,
    (kind, body): (&str, &[u8]),
    meanwhile: impl Future<Output = Answer>,
) -> u16 {
    let mut stream = TcpStream::connect(person.server.address).await.unwrap();
    let (cookies, length) = (person.cookies_for(path), body.len());
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {cookies}\r\n\
         content-type: {kind}\r\ncontent-length: {length}\r\nexpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert_eq!(meanwhile.await.status, 200);
    stream.write_all(body).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// A server on each kind of database.
async fn servers() -> [TestServer; 2] {
    [TestServer::start().await, TestServer::with(&["--database", &fresh_database()]).await]
}

#[tokio::test]
async fn h10_a_visitor_is_nobody_and_a_login_that_must_be_renewed_is_a_401() {
    for server in servers().await {
        let mut visitor = server.person("visitor");
        let answer = visitor.gets("/api/auth/me").await;
        assert_eq!((answer.status, answer.json()), (200, json!({})));

        let mut ada = server.registered("ada").await;
        ada.cookies.remove("access");
        assert_eq!(ada.gets("/api/auth/me").await.status, 401);
        assert_eq!(ada.posts("/api/auth/refresh/").await.status, 200);
        assert_eq!(ada.is().await.as_deref(), Some("ada"));

        assert_eq!(ada.posts("/api/auth/logout/").await.status, 200);
        assert_eq!(ada.gets("/api/auth/me").await.json(), json!({}), "only the device is known");
    }
}

#[tokio::test]
async fn h10_to_h17_a_person_registers_leaves_and_comes_back() {
    for server in servers().await {
        let mut ada = server.person("Ada");
        assert_eq!(ada.is().await, None);

        let answer = ada.registers().await;

        let user = json!({
            "username": "Ada", "first_name": "Ada", "last_name": "Lovelace",
            "email": "Ada@example.org", "profile_picture": null,
        });
        assert_eq!((answer.status, answer.json()), (201, json!({"user": user})));
        assert_eq!(ada.gets("/api/auth/me").await.json(), json!({"user": user}));

        let answer = ada.posts("/api/auth/logout/").await;
        assert_eq!((answer.status, answer.json()), (200, json!({"success": true})));
        assert!(ada.cookies.keys().eq(["device"]), "{:?}", ada.cookies);
        assert_eq!(ada.is().await, None);

        ada.username = "aDA".to_owned();
        let answer = ada.logs_in().await;
        assert_eq!((answer.status, answer.json()), (200, json!({"user": user})));
        assert_eq!(ada.is().await.as_deref(), Some("Ada"));

        assert_eq!(ada.posts("/api/auth/refresh/").await.json(), json!({"success": true}));
        assert_eq!(ada.is().await.as_deref(), Some("Ada"));
    }
}

#[tokio::test]
async fn h6_a_form_says_everything_that_is_wrong_with_it_by_field() {
    let server = TestServer::start().await;
    let mut nobody = server.person("nobody");
    let answer = nobody.sends_form("/api/auth/register/", &[]).await;
    let expected = json!({
        "first_name": ["First name is required"],
        "last_name": ["Last name is required"],
        "username": ["Username is required"],
        "email": ["Email is required"],
        "password": ["Password is required"],
    });
    assert_eq!((answer.status, answer.json()), (400, expected));

    let empty = json!({"username": "", "password": ""});
    let answer = nobody.asks("POST", "/api/auth/login/", &empty).await;
    let expected =
        json!({"username": ["Username is required"], "password": ["Password is required"]});
    assert_eq!((answer.status, answer.json()), (400, expected));
    assert_eq!(nobody.is().await, None);
}

#[tokio::test]
async fn h6_a_body_that_cannot_be_read_is_a_400_with_our_body() {
    let server = TestServer::start().await;
    let json_type = ("content-type", "application/json");
    for (kind, body) in [
        (json_type, "{"),
        (json_type, "[]"),
        (json_type, r#"["ada", "secret"]"#),
        (json_type, r#"{"username": "ada"}"#),
        (json_type, r#"{"username": 7, "password": "x"}"#),
        (json_type, r#"{"username": "a", "username": "b", "password": "x"}"#),
        (json_type, "\u{feff}{}"),
        (("content-type", "text/plain"), r#"{"username": "ada", "password": "secret"}"#),
        (("x-none", ""), r#"{"username": "ada", "password": "secret"}"#),
    ] {
        let answer = server.send("POST", "/api/auth/login/", &[kind], body.as_bytes()).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["code"], "bad_request", "{body}");
    }
    for (kind, body) in [
        ("multipart/form-data; boundary=x", "--y"),
        ("multipart/form-data", "--x--"),
        ("application/json", "{}"),
        ("multipart/form-data; boundary=x", "--x\r\ncontent-disposition: form-data; name=\"email"),
    ] {
        let kind = ("content-type", kind);
        let answer = server.send("POST", "/api/auth/register/", &[kind], body.as_bytes()).await;
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("bad_request")), "{body}");
    }
}

#[tokio::test]
async fn h12_a_username_is_taken_in_any_case_and_the_first_one_keeps_it() {
    for server in servers().await {
        let mut first = server.registered("ada").await;
        let mut second = server.person("ADA");

        let answer = second.registers().await;

        let expected = json!({"username": ["This username is already taken"]});
        assert_eq!((answer.status, answer.json()), (400, expected));
        assert_eq!(second.is().await, None);
        assert_eq!(first.is().await.as_deref(), Some("ada"));
    }
}

#[tokio::test]
async fn h12_of_twenty_who_want_one_name_at_once_one_gets_it() {
    for server in servers().await {
        let tries = (0..20).map(|_| {
            let mut person = server.person("ada");
            async move { person.registers().await.status }
        });
        let statuses = futures_util::future::join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 201 | 400)), "{statuses:?}");
    }
}

#[tokio::test]
async fn h13_a_profile_changes_where_something_is_said_and_stays_elsewhere() {
    for server in servers().await {
        let mut ada = server.registered("ada").await;
        let cases = [
            (json!({}), json!({})),
            (json!({"first_name": " Augusta "}), json!({"first_name": "Augusta"})),
            (
                json!({"name": "Ada King of Lovelace"}),
                json!({"first_name": "Ada", "last_name": "King of Lovelace"}),
            ),
            (json!({"name": "Ada"}), json!({"first_name": "Ada", "last_name": ""})),
            (
                json!({"name": "A B", "first_name": "C"}),
                json!({"first_name": "C", "last_name": "B"}),
            ),
            (json!({"username": "ADA"}), json!({"username": "ADA"})),
            (
                json!({"username": "countess", "email": "c@x.y"}),
                json!({"username": "countess", "email": "c@x.y"}),
            ),
            (json!({"email": null, "last_name": ""}), json!({"last_name": ""})),
        ];
        let mut user = ada.gets("/api/auth/me").await.json();
        for (change, expected) in cases {
            for (name, value) in expected.as_object().unwrap() {
                user["user"][name] = value.clone();
            }
            let answer = ada.asks("PUT", "/api/auth/profile/", &change).await;
            assert_eq!((answer.status, answer.json()), (200, user.clone()), "{change}");
            assert_eq!(ada.gets("/api/auth/me").await.json(), user, "{change}");
        }
        ada.username = "countess".to_owned();
        assert_eq!(ada.logs_in().await.status, 200);
    }
}

#[tokio::test]
async fn h13_a_refused_change_says_why_and_changes_nothing() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    server.registered("bob").await;
    let before = ada.gets("/api/auth/me").await.json();
    for (change, field) in [
        (json!({"username": "Bob", "first_name": "Changed"}), "username"),
        (json!({"username": "a b", "first_name": "Changed"}), "username"),
        (json!({"first_name": ""}), "first_name"),
        (json!({"name": " ", "email": "c@x.y"}), "name"),
        (json!({"last_name": "x".repeat(81)}), "last_name"),
        (json!({"email": "nonsense"}), "email"),
    ] {
        let answer = ada.asks("PUT", "/api/auth/profile/", &change).await;
        assert_eq!(answer.status, 400, "{change}");
        assert!(answer.json()[field][0].is_string(), "{change}: {}", answer.json());
        assert_eq!(ada.gets("/api/auth/me").await.json(), before, "{change}");
    }
    let answer = server.person("x").asks("PUT", "/api/auth/profile/", &json!({})).await;
    assert_eq!((answer.status, &answer.json()["code"]), (401, &json!("unauthorized")));
}

#[tokio::test]
async fn fields_that_nobody_asked_for_change_nothing() {
    let server = TestServer::start().await;
    let mut eve = server.person("eve");
    let fields = eve.fields();
    let mut fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
    let extra = [("id", "1"), ("picture", "x.jpg"), ("created_at", "0"), ("is_admin", "true")];
    fields.extend(extra);
    assert_eq!(eve.sends_form("/api/auth/register/", &fields).await.status, 201);
    let before = eve.gets("/api/auth/me").await.json();
    assert_eq!(before["user"]["profile_picture"], json!(null));
    let change = json!({
        "id": 1, "account_id": 1, "picture": "x.jpg", "profile_picture": "/x", "created_at": 0,
        "password": "changed", "password_hash": "x", "username_key": "admin", "__proto__": {"a": 1},
    });
    assert_eq!(eve.asks("PUT", "/api/auth/profile/", &change).await.json(), before);
    assert_eq!(eve.logs_in().await.json(), before);
}

#[tokio::test]
async fn a1_a_password_of_a_mebibyte_is_refused_before_it_is_hashed() {
    let server = TestServer::start().await;
    let mut ada = server.person("ada");
    ada.password = "p".repeat(1024 * 1024);
    let answer = ada.registers().await;
    let expected = json!({"password": ["Password must be at most 1024 characters"]});
    assert_eq!((answer.status, answer.json()), (400, expected));
    assert_eq!(ada.logs_in().await.status, 413);
    ada.password = "p".repeat(1025);
    assert_eq!(ada.registers().await.status, 400);
    assert_eq!(ada.logs_in().await.status, 401);
    ada.password = "p".repeat(1024);
    assert_eq!(ada.registers().await.status, 201);
    assert_eq!(ada.logs_in().await.status, 200);
}

#[tokio::test]
async fn a_form_over_its_size_is_refused() {
    let server = TestServer::start().await;
    let (kind, body) = form(&[("email", &"x".repeat(6 * 1024 * 1024))]);
    let kind = ("content-type", &*kind);
    let answer = server.send("POST", "/api/auth/register/", &[kind], &body).await;
    assert_eq!((answer.status, &answer.json()["code"]), (413, &json!("too_large")));
    let picture = "x".repeat(5_242_881);
    let mut ada = server.person("ada");
    let answer = ada.sends_form("/api/auth/register/", &[("profile_picture", &picture)]).await;
    let expected = json!({"profile_picture": ["Image size must be less than 5MB"]});
    assert_eq!((answer.status, answer.json()), (400, expected));
}

#[tokio::test]
async fn h12_a_registration_is_completed_although_nobody_waits_for_it_any_more() {
    let server = TestServer::start().await;
    let name = |text: &str| PersonName::first(text).unwrap();
    let account = NewAccount {
        id: AccountId::from_random([7; 16]),
        username: Username::parse("ada").unwrap(),
        first_name: name("Ada"),
        last_name: name("Lovelace"),
        email: Email::parse("ada@example.org").unwrap(),
        password_hash: String::new(),
        picture: None,
        created_at: Millis::new(0),
    };
    // Begun, and then dropped as by a caller who hangs up.
    assert!(server.app.logins.register(&account).now_or_never().is_none());
    let storage = server.app.storage.clone();

    // The server waits for what was begun.
    server.app.tasks.close();
    server.is_told_to_end();
    server.app.tasks.wait().await;

    assert!(storage.find_credentials(&account.username).await.unwrap().is_some());
}

#[tokio::test]
async fn h7_what_a_login_began_to_send_counts_no_more_once_the_login_has_ended() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let (_, picture) = form(&[("profile_picture", "no picture")]);
    let json = "application/json";
    for (method, path, kind, body) in [
        ("PUT", "/api/auth/profile/", json, &br#"{"first_name": "Eve"}"#[..]),
        ("DELETE", "/api/auth/delete-account/", json, br#"{"password": "ada's password"}"#),
        ("POST", "/api/auth/profile-picture/", "multipart/form-data; boundary=x", &picture),
    ] {
        assert_eq!(ada.logs_in().await.status, 200);
        let (slow, leaves) = (ada.clone(), ada.posts("/api/auth/logout/"));
        let status = status_of_slow(&slow, method, path, (kind, body), leaves).await;
        assert_eq!(status, 401, "{path}");
    }
    assert_eq!(ada.logs_in().await.json()["user"]["first_name"], "Ada");
}
