//! H5, A3: every call that changes something, and the socket, from our own pages, from foreign pages and from programs.

use tokio_tungstenite::tungstenite::Error;

use super::device::unknown_beam;
use super::person::Header;
use super::server::TestServer;

const PUBLIC_URL: &str = "https://beam.example.org";

/// Headers that tell where a request comes from, and whether it is allowed.
fn origins(own: &str) -> Vec<(Vec<Header<'_>>, bool)> {
    let site = |value| ("sec-fetch-site", value);
    let origin = |value| ("origin", value);
    vec![
        (vec![], true),
        (vec![site("same-origin")], true),
        (vec![site("none")], true),
        (vec![site("same-site")], false),
        (vec![site("cross-site")], false),
        (vec![site("nonsense")], false),
        (vec![origin(own)], true),
        (vec![origin(PUBLIC_URL)], true),
        (vec![origin("https://evil.example.org")], false),
        (vec![origin("https://beam.example.org.evil.example")], false),
        (vec![origin("http://beam.example.org")], false),
        (vec![origin("null")], false),
        (vec![site("cross-site"), origin("https://evil.example.org")], false),
        (vec![site("same-origin"), origin(own)], true),
        (vec![site("same-origin"), site("cross-site")], false),
        (vec![site("cross-site"), site("same-origin")], false),
        (vec![origin(own), origin("https://evil.example.org")], false),
        (vec![origin(own), origin(PUBLIC_URL)], false),
        (vec![origin("")], false),
    ]
}

/// Every call in `openapi.json` whose method is not safe (RFC 9110, section 9.2.1), with ids filled in.
async fn changing_calls(server: &TestServer) -> Vec<(String, String)> {
    let document = server.get("/api/openapi.json").await.json();
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let is_safe = |method: &str| matches!(method, "get" | "head" | "options");
        let methods = item.as_object().unwrap().keys().filter(|method| !is_safe(method));
        for method in methods {
            calls.push((method.to_uppercase(), fill_in(path)));
        }
    }
    calls
}

/// The path with some id in place of each parameter.
fn fill_in(path: &str) -> String {
    let id = unknown_beam().to_string();
    let part = |part: &str| if part.starts_with('{') { id.clone() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn h5_no_call_that_changes_something_is_taken_from_another_site() {
    let server = TestServer::with(&["--public-url", PUBLIC_URL]).await;
    let own = format!("http://{}", server.address);
    let ada = server.registered("ada").await;
    let cookies = ada.cookies_for("/api/auth");
    let calls = changing_calls(&server).await;
    assert!(calls.len() > 10, "{calls:?}");
    for (method, path) in calls {
        for (mut headers, may) in origins(&own) {
            // No cookie where the request is allowed: it would end the session that the other requests need.
            if !may {
                headers.push(("cookie", &cookies));
            }
            let answer = server.ask(&method, &path, &headers).await;
            let is_refused = answer.status == 403
                && answer.json()["detail"] == "This request comes from another site.";
            assert_eq!(is_refused, !may, "{method} {path} {headers:?}: {answer:?}");
            assert!(!is_refused || answer.cookies.is_empty());
        }
    }
    assert!(ada.clone().is().await.is_some(), "nothing of it has ended her login");
}

#[tokio::test]
async fn a3_no_socket_is_opened_by_a_page_of_another_site_whatever_its_cookies() {
    let server = TestServer::with(&["--public-url", PUBLIC_URL]).await;
    let own = format!("http://{}", server.address);
    let ada = server.registered("ada").await;
    let cookies = ada.cookies_for("/ws/");
    for (mut headers, may) in origins(&own) {
        // Browsers send Origin with every upgrade, so Sec-Fetch-Site is not checked.
        let is_foreign = headers.iter().any(|(name, _)| *name == "origin") && !may;
        headers.push(("cookie", &cookies));
        match server.connect_as(unknown_beam(), &headers).await {
            Ok(_) => assert!(!is_foreign, "{headers:?}"),
            Err(Error::Http(response)) => {
                assert!(is_foreign && response.status() == 403, "{headers:?}");
            }
            Err(error) => panic!("{headers:?}: {error}"),
        }
    }
}

#[tokio::test]
async fn h7_a_request_from_elsewhere_learns_nothing_by_get() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let cookie = ada.cookies_for("/api/auth");
    let headers = [("cookie", &*cookie), ("origin", "https://evil.example.org")];
    let answer = server.ask("GET", "/api/auth/me", &headers).await;
    assert_eq!(answer.header("access-control-allow-origin"), "");
    assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
    assert_eq!(answer.header("cache-control"), "no-store");
}
