//! H7, H11, H16, H17: cookies, tokens, password attempts.

use std::time::Duration;

use futures_util::future::join_all;
use heliograph_signal::start::sweeper;
use serde_json::json;

use super::bucket::files_in;
use super::person::Person;
use super::postgres::fresh_database;
use super::server::{Answer, TestServer};

const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn h7_on_http_the_cookies_are_kept_from_scripts_and_other_sites() {
    let server = TestServer::start().await;
    let mut ada = server.person("ada");
    for answer in
        [ada.registers().await, ada.logs_in().await, ada.posts("/api/auth/refresh/").await]
    {
        let [access, refresh, ..] = &answer.cookies[..] else { panic!("{answer:?}") };
        assert_is_cookie(access, "access", "Path=/; Max-Age=900; HttpOnly; SameSite=Lax");
        let rest = "Path=/api/auth; Max-Age=2592000; HttpOnly; SameSite=Lax";
        assert_is_cookie(refresh, "refresh", rest);
    }
    let answer = ada.posts("/api/auth/logout/").await;
    assert_eq!(answer.cookies[0], "access=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    assert_eq!(answer.cookies[1], "refresh=; Path=/api/auth; Max-Age=0; HttpOnly; SameSite=Lax");
}

#[tokio::test]
async fn h7_on_https_they_are_secure_and_tied_to_this_host() {
    let server = TestServer::with(&["--public-url", "https://beam.example.org"]).await;
    let ada = server.registered("ada").await;
    let body = json!({"username": "ada", "password": ada.password}).to_string();
    for https in [
        ("x-forwarded-proto", "https"),
        ("host", "beam.example.org"),
        ("origin", "https://beam.example.org"),
    ] {
        let headers = [https, ("content-type", "application/json")];
        let answer = server.send("POST", "/api/auth/login/", &headers, body.as_bytes()).await;
        let [access, refresh, device] = &answer.cookies[..] else { panic!("{answer:?}") };
        let rest = "Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure";
        let token = assert_is_cookie(access, "__Host-access", rest);
        let rest = "Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure";
        assert_is_cookie(refresh, "__Host-refresh", rest);
        assert!(device.starts_with("__Host-device="), "{device}");
        let rest = "; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure";
        assert!(device.ends_with(rest), "{device}");

        let secure = format!("__Host-access={token}");
        let planted = format!("access={token}");
        let me = async |cookie: &str| {
            server.ask("GET", "/api/auth/me", &[https, ("cookie", cookie)]).await
        };
        assert_eq!(me(&secure).await.json()["user"]["username"], "ada");
        assert_eq!(me(&planted).await.json(), json!({}), "plain http could have set it");
    }
}

/// Checks a Set-Cookie value for this name and these attributes, and returns its token.
fn assert_is_cookie<'a>(cookie: &'a str, name: &str, rest: &str) -> &'a str {
    let (pair, own) = cookie.split_once("; ").unwrap();
    let (own_name, token) = pair.split_once('=').unwrap();
    assert_eq!((own_name, own), (name, rest));
    assert_eq!(token.len(), 43, "{cookie}");
    token
}

#[tokio::test]
async fn a2_no_token_is_in_the_tables() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    ada.posts("/api/auth/refresh/").await;
    let tokens: Vec<_> = ada.cookies.values().map(|(_, token)| token.clone()).collect();
    let folder = server.ends().await;
    for file in files_in(folder.path()) {
        let bytes = std::fs::read(file).unwrap();
        for token in &tokens {
            use base64::Engine as _;
            let raw = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).unwrap();
            for secret in [token.as_bytes(), &raw] {
                assert!(!bytes.windows(secret.len()).any(|window| window == secret));
            }
        }
    }
}

#[tokio::test]
async fn h7_an_access_token_is_good_for_15_minutes_and_a_login_for_30_days_of_rest() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    server.time_passes(14 * MINUTE).await;
    assert!(ada.is().await.is_some());
    server.time_passes(MINUTE).await;
    assert_eq!(ada.is().await, None);
    for _ in 0..2 {
        server.time_passes((30 * 24 * 60 - 16) * MINUTE).await;
        assert_eq!(ada.posts("/api/auth/refresh/").await.status, 200);
        assert!(ada.is().await.is_some());
    }
    server.time_passes(30 * 24 * 60 * MINUTE).await;
    assert_eq!(ada.posts("/api/auth/refresh/").await.status, 401);
}

#[tokio::test]
async fn h16_fifty_refreshes_at_once_get_the_same_successors() {
    for flags in [vec![], vec!["--database".to_owned(), fresh_database()]] {
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let server = TestServer::with(&flags).await;
        let ada = server.registered("ada").await;

        let answers = join_all((0..50).map(|_| {
            let mut tab = ada.clone();
            async move { tab.posts("/api/auth/refresh/").await }
        }));
        let answers = answers.await;

        let Answer { status, cookies, .. } = &answers[0];
        assert_eq!((*status, cookies.len()), (200, 2));
        for answer in &answers {
            assert_eq!((&answer.status, &answer.cookies), (status, cookies));
        }
    }
}

#[tokio::test]
async fn h16_a_refresh_token_again_within_30_s_gets_the_same_and_later_ends_the_login() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let elsewhere = {
        let mut other = ada.clone();
        other.logs_in().await;
        other
    };
    let mut current = ada.clone();
    let first = current.posts("/api/auth/refresh/").await;
    assert_ne!(current.cookies, ada.cookies);

    server.time_passes(Duration::from_secs(10)).await;
    let again = ada.clone().posts("/api/auth/refresh/").await;
    assert_eq!((again.status, again.cookies), (200, first.cookies));

    server.time_passes(Duration::from_secs(21)).await;
    let replay = ada.clone().posts("/api/auth/refresh/").await;
    assert_eq!((replay.status, &replay.json()["code"]), (401, &json!("unauthorized")));
    assert_eq!(current.is().await, None);
    assert_eq!(current.posts("/api/auth/refresh/").await.status, 401);
    assert_eq!(elsewhere.clone().is().await.as_deref(), Some("ada"), "another login of hers");
}

#[tokio::test]
async fn h16_what_is_no_refresh_token_is_a_401() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let (_, access) = &ada.cookies["access"];
    for cookie in [
        "",
        "refresh=",
        "refresh=x",
        &format!("refresh={access}"),
        &format!("refresh={}", "A".repeat(43)),
    ] {
        let answer = server.ask("POST", "/api/auth/refresh/", &[("cookie", cookie)]).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (401, &json!("unauthorized")),
            "{cookie}"
        );
        assert!(answer.cookies.is_empty());
    }
    let (_, refresh) = &ada.cookies["refresh"];
    let cookie = format!("access={refresh}");
    assert_eq!(server.ask("GET", "/api/auth/me", &[("cookie", &cookie)]).await.status, 401);
}

#[tokio::test]
async fn h17_logging_out_ends_this_login_at_once_and_no_other() {
    let server = TestServer::start().await;
    let mut here = server.registered("ada").await;
    let mut there = here.clone();
    there.logs_in().await;
    let mut stolen = here.clone();
    assert!(stolen.is().await.is_some());

    here.posts("/api/auth/logout/").await;

    assert_eq!(stolen.is().await, None);
    assert_eq!(stolen.posts("/api/auth/refresh/").await.status, 401);
    assert_eq!(there.is().await.as_deref(), Some("ada"));
    assert_eq!(here.posts("/api/auth/logout/").await.status, 200, "again does no harm");
}

#[tokio::test]
async fn h17_who_comes_back_after_an_hour_can_still_log_out() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let mut stolen = ada.clone();
    server.time_passes(60 * MINUTE).await;

    ada.posts("/api/auth/logout/").await;

    assert_eq!(stolen.posts("/api/auth/refresh/").await.status, 401);
}

#[tokio::test]
async fn a_login_gets_tokens_of_its_own_whatever_came_with_it() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let before = ada.cookies.clone();
    ada.logs_in().await;
    for name in ["access", "refresh"] {
        assert_ne!(ada.cookies[name], before[name]);
    }
    let fixed = "A".repeat(43);
    ada.cookies.insert("access".to_owned(), ("/".to_owned(), fixed.clone()));
    ada.logs_in().await;
    assert_ne!(ada.cookies["access"].1, fixed);
}

#[tokio::test]
async fn a_restart_keeps_logins_and_what_refresh_tokens_lead_to() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let mut current = ada.clone();
    current.posts("/api/auth/refresh/").await;
    let (before, after) = (ada.cookies.clone(), current.cookies.clone());
    drop((ada, current));

    let server = TestServer::on(server.ends().await, &[]).await;

    let with = |cookies| Person { cookies, ..server.person("ada") };
    assert_eq!(with(after.clone()).is().await.as_deref(), Some("ada"));
    let mut late = with(before);
    late.posts("/api/auth/refresh/").await;
    assert!(late.cookies == after);
}

#[tokio::test]
async fn h11_a_wrong_pair_reads_the_same_whichever_half_is_wrong() {
    let server = TestServer::start().await;
    server.registered("ada").await;
    let mut bodies = Vec::new();
    for (username, password) in [
        ("ada", "wrong password"),
        ("bob", "wrong password"),
        ("b", "x"),
        ("a\0b", "ada's password"),
    ] {
        let body = json!({"username": username, "password": password}).to_string();
        let headers = [("content-type", "application/json")];
        let mut answer = server.send("POST", "/api/auth/login/", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 401);
        answer.headers.remove("date");
        let mut headers: Vec<_> = answer.headers.into_iter().collect();
        headers.sort();
        bodies.push((headers, answer.body));
    }
    let expected = json!({"detail": "Invalid credentials", "code": "unauthorized"});
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&bodies[0].1).unwrap(), expected);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[tokio::test]
async fn five_tries_are_free_and_then_even_the_right_password_waits_on_an_unknown_device() {
    let server = TestServer::start().await;
    server.registered("ada").await;
    let ada = server.person("ada");
    for name in ["nobody", "ada"] {
        let refused = server.is_guessed_at(name).await;
        assert_eq!(refused.json()["code"], "too_fast", "whether anybody has the name or not");
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((200..=256).contains(&wait), "{wait}");
    }
    server.registered("bob").await;
    assert_eq!(server.person("bob").logs_in().await.status, 200, "others do not notice");
    assert_eq!(ada.clone().logs_in().await.status, 429);
    server.time_passes(Duration::from_secs(256)).await;
    assert_eq!(ada.clone().logs_in().await.status, 200);
    let mut guesser = Person { password: "a guess".to_owned(), ..server.person("ada") };
    assert_eq!(guesser.logs_in().await.status, 401, "all is forgiven");
    assert_eq!(guesser.logs_in().await.status, 401);
}

impl TestServer {
    /// Tries wrong passwords for a name as fast as allowed, until the pauses are longer than the test. Returns the
    /// first refusal.
    pub async fn is_guessed_at(&self, name: &str) -> Answer {
        let mut guesser = Person { password: "a guess".to_owned(), ..self.person(name) };
        for pause in [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128] {
            self.time_passes(Duration::from_secs(pause)).await;
            assert_eq!(guesser.logs_in().await.status, 401, "after {pause} s");
        }
        let refused = guesser.logs_in().await;
        assert_eq!(refused.status, 429);
        refused
    }
}

#[tokio::test]
async fn of_fifty_guesses_at_once_few_are_heard() {
    let server = TestServer::start().await;
    let guesses = join_all((0..50).map(|n| {
        let mut guesser = server.person("ada");
        guesser.password = format!("guess {n}");
        async move { guesser.logs_in().await.status }
    }));
    let statuses = guesses.await;
    assert!(statuses.iter().all(|status| matches!(status, 401 | 429)), "{statuses:?}");
    let heard = statuses.iter().filter(|status| **status == 401).count();
    // Five, and as many as a slow machine leaves time for.
    assert!((5..=10).contains(&heard), "{statuses:?}");
}

#[tokio::test]
async fn guesses_from_elsewhere_do_not_keep_somebody_out_of_a_device_that_is_known() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    ada.posts("/api/auth/logout/").await;
    server.is_guessed_at("ada").await;

    assert_eq!(server.person("ada").logs_in().await.status, 429, "on another device");
    assert_eq!(ada.logs_in().await.status, 200);

    // The device stays known under the same name, also after a restart.
    let known = ada.cookies["device"].clone();
    ada.posts("/api/auth/logout/").await;
    drop(ada);
    let server = TestServer::on(server.ends().await, &[]).await;
    server.is_guessed_at("ada").await;
    let mut ada = server.person("ada");
    ada.cookies.insert("device".to_owned(), known.clone());
    assert_eq!(ada.logs_in().await.status, 200);
    assert_eq!(ada.cookies["device"], known);
}

#[tokio::test]
async fn a_known_device_is_no_way_around_the_pauses() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let mallory = server.registered("mallory").await;
    server.is_guessed_at("ada").await;

    let mut with_ones_own = mallory.clone();
    (with_ones_own.username, with_ones_own.password) = (ada.username.clone(), ada.password.clone());
    assert_eq!(with_ones_own.logs_in().await.status, 429, "known for another account");
    let mut with_a_forged_one = server.person("ada");
    for forged in ["A".repeat(64), "x".to_owned()] {
        with_a_forged_one.cookies.insert("device".to_owned(), ("/".to_owned(), forged));
        assert_eq!(with_a_forged_one.logs_in().await.status, 429);
    }

    let mut on_hers = Person { password: "a guess".to_owned(), ..ada };
    server.is_tried(async || assert_eq!(on_hers.logs_in().await.status, 401)).await;
    assert_eq!(on_hers.logs_in().await.status, 429, "tries on a known device are counted, too");
}

#[tokio::test]
async fn h7_a_refresh_token_that_came_with_another_logins_access_token_is_refused() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let mallory = server.registered("mallory").await;
    let mut tossed = ada.clone();
    tossed.cookies.insert("refresh".to_owned(), mallory.cookies["refresh"].clone());
    assert_eq!(tossed.posts("/api/auth/refresh/").await.status, 401);
    server.time_passes(16 * MINUTE).await;
    sweeper::sweep(&server.app).await;
    assert_eq!(tossed.posts("/api/auth/refresh/").await.status, 401, "its row is gone");
    for mut honest in [ada.clone(), mallory] {
        assert_eq!(honest.posts("/api/auth/refresh/").await.status, 200, "nothing was used up");
    }

    let (_, own) = &ada.cookies["refresh"];
    let twice = format!("refresh={}; refresh={own}", "A".repeat(43));
    let answer = server.ask("POST", "/api/auth/refresh/", &[("cookie", &twice)]).await;
    assert_eq!(answer.status, 401, "nothing says which of two is hers");
}
