//! H1 to H5: paths, bodies, headers, and which origins may post.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Error;

use super::bucket::files_in;
use super::device::unknown_beam;
use super::server::{Answer, TestServer, until};

type Headers<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn h1_a_beam_is_made_with_and_without_the_slash() {
    let server = TestServer::start().await;
    for path in ["/api/beams/create/", "/api/beams/create"] {
        let answer = server.post(path).await;
        assert_eq!(answer.status, 201);
        assert_eq!(answer.header("cache-control"), "no-store");
        let beam = answer.json();
        let lives = beam["expires_at"].as_i64().unwrap() - beam["created_at"].as_i64().unwrap();
        assert_eq!(lives, 24 * 60 * 60 * 1000);
        assert_eq!(beam["beam_key"].as_str().unwrap().len(), 43);
        assert_eq!(beam["beam_id"].as_str().unwrap().len(), 36);
    }
}

#[tokio::test]
async fn h1_the_key_is_nowhere_in_the_data_folder() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    let key = serde_json::to_value(&beam.beam_key).unwrap();
    for file in files_in(server.folder.path()) {
        let bytes = std::fs::read(file).unwrap();
        let key = key.as_str().unwrap().as_bytes();
        assert!(!bytes.windows(key.len()).any(|window| window == key));
    }
}

#[tokio::test]
async fn h2_a_page_learns_what_it_must_know_of_its_server() {
    let flags = ["--public-url", "https://beam.example.org/", "--repository-url", "https://r"];
    let server = TestServer::with(&flags).await;
    for path in ["/api/site", "/api/site/"] {
        let expected = json!({
            "name": "Heliograph", "version": "1.0.0", "public_url": "https://beam.example.org",
            "network_url": null, "self_signed": false, "repository": "https://r",
        });
        assert_eq!(server.get(path).await.json(), expected);
    }
}

#[tokio::test]
async fn h3_the_server_is_well() {
    let server = TestServer::start().await;
    until(async || {
        let answer = server.get("/healthz").await;
        (answer.status, answer.json()) == (200, json!({"status": "ok"}))
    })
    .await;
}

#[tokio::test]
async fn h4_unknown_paths_are_404_under_api_and_ws_and_the_index_elsewhere() {
    let server = TestServer::start().await;
    for path in
        ["/api", "/api/", "/api/nope", "/api/beam", "/ws", "/ws/", "/ws/nope", "/ws/beam/x/y"]
    {
        let answer = server.get(path).await;
        assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("not_found")), "{path}");
    }
    let index = server.get("/").await;
    for path in ["/space", "/some/deep/path", "/index.html", "/%2e%2e/etc/passwd", "/a%00b"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, &answer.body), (200, &index.body), "{path}");
    }
    let head = server.ask("HEAD", "/", &[]).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), index.header("content-length"));
}

#[tokio::test]
async fn h4_a_socket_wants_a_beam_id_and_a_handshake() {
    let server = TestServer::start().await;
    for wrong in ["nope", "5f5ec022-109f-1428-94cc-5dd6903352f4", "%ff", "5f5ec022"] {
        let answer = server.get(&format!("/ws/beam/{wrong}/")).await;
        assert!(matches!(answer.status, 400 | 404), "{wrong}");
        assert!(answer.json()["detail"].is_string());
    }
    let answer = server.get(&format!("/ws/beam/{}", unknown_beam())).await;
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("bad_request")));
}

#[tokio::test]
async fn h4_a_handshake_has_a_key_of_sixteen_bytes_and_the_version_that_is_spoken() {
    let server = TestServer::start().await;
    let path = format!("/ws/beam/{}/", unknown_beam());
    let key = "dGhlIHNhbXBsZSBub25jZQ==";
    for (key, version, status) in [
        (key, "13", 101),
        ("c2hvcnQ=", "13", 400),
        ("no base64 of any kind!!!", "13", 400),
        (key, "8", 400),
    ] {
        let headers = [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-key", key),
            ("sec-websocket-version", version),
        ];
        let answer = server.ask("GET", &path, &headers).await;
        assert_eq!(answer.status, status, "{key} {version}");
        if status == 400 {
            assert_eq!(answer.header("sec-websocket-version"), "13");
            assert_eq!(answer.json()["code"], "bad_request");
        }
    }
}

#[tokio::test]
async fn h6_a_body_of_more_than_100_levels_is_refused() {
    let server = TestServer::start().await;
    let json = [("content-type", "application/json")];
    for levels in [101, 30_000] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let body = format!(r#"{{"username":"x","password":"y","unknown":{deep}}}"#);
        let answer = server.send("POST", "/api/auth/login/", &json, body.as_bytes()).await;
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("bad_request")));
    }
    let allowed = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let body = format!(r#"{{"username":"x","password":"y","unknown":{allowed}}}"#);
    let answer = server.send("POST", "/api/auth/login/", &json, body.as_bytes()).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn every_refusal_has_a_body() {
    let server = TestServer::start().await;
    let cases: [(_, _, Headers<'_>, _, _); 6] = [
        ("GET", "/api/beams/create/", &[], 405, "method_not_allowed"),
        ("POST", "/healthz", &[], 405, "method_not_allowed"),
        ("POST", "/space", &[], 405, "method_not_allowed"),
        ("DELETE", "/ws/beam/x", &[], 405, "method_not_allowed"),
        ("POST", "/api/beams/create/", &[("origin", "http://evil")], 403, "forbidden"),
        ("POST", "/api/beams/create/", &[("content-length", "65537")], 413, "too_large"),
    ];
    for (method, path, headers, status, code) in cases {
        let answer = server.ask(method, path, headers).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(answer.json()["code"], code, "{method} {path}");
        assert!(answer.json()["detail"].as_str().is_some_and(|text| text.ends_with('.')));
        assert_is_secured(&answer);
        if status == 405 {
            assert!(!answer.header("allow").is_empty(), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn every_answer_is_secured() {
    let server = TestServer::start().await;
    for path in ["/", "/space", "/api/site", "/healthz", "/api/nope", "/ws/beam/x"] {
        assert_is_secured(&server.get(path).await);
    }
    let answer = server.get("/").await;
    let policy = answer.header("content-security-policy");
    let host = server.address;
    assert!(policy.contains(&format!("connect-src 'self' blob: ws://{host} wss://{host};")));
    let evil = server.ask("GET", "/", &[("host", "x; script-src *")]).await;
    assert_eq!(evil.status, 400);
    assert!(!evil.header("content-security-policy").contains("script-src *"));
}

fn assert_is_secured(answer: &Answer) {
    for (name, part) in [
        ("content-security-policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(self)"),
    ] {
        assert!(answer.header(name).contains(part), "{name}: {answer:?}");
    }
}

#[tokio::test]
async fn h5_only_our_own_pages_and_programs_may_post() {
    let server = TestServer::with(&["--public-url", "https://beam.example.org"]).await;
    let own = format!("http://{}", server.address);
    let cases: [(Headers<'_>, u16); 10] = [
        (&[], 201),
        (&[("sec-fetch-site", "same-origin")], 201),
        (&[("sec-fetch-site", "none")], 201),
        (&[("sec-fetch-site", "same-site")], 403),
        (&[("sec-fetch-site", "cross-site")], 403),
        (&[("origin", &own)], 201),
        (&[("origin", "https://beam.example.org")], 201),
        (&[("origin", "https://evil.example.org")], 403),
        (&[("origin", "null")], 403),
        (&[("sec-fetch-site", "cross-site"), ("origin", "https://beam.example.org")], 201),
    ];
    for (headers, status) in cases {
        let answer = server.ask("POST", "/api/beams/create/", headers).await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
}

#[tokio::test]
async fn a3_only_our_own_pages_and_programs_may_open_a_socket() {
    let server = TestServer::with(&["--public-url", "https://beam.example.org"]).await;
    let own = format!("http://{}", server.address);
    for origin in [&own[..], "https://beam.example.org"] {
        assert!(server.connect_as(unknown_beam(), &[("origin", origin)]).await.is_ok());
    }
    for origin in ["https://evil.example.org", "null", "http://127.0.0.1", "file://"] {
        match server.connect_as(unknown_beam(), &[("origin", origin)]).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), 403, "{origin}"),
            other => panic!("{origin}: {:?}", other.map(|_| ())),
        }
    }
}

#[tokio::test]
async fn h9_a_page_whose_name_was_made_to_lead_here_gets_nothing() {
    let server = TestServer::start().await;
    let port = server.address.port();
    let (host, origin) = (format!("evil.example:{port}"), format!("http://evil.example:{port}"));
    let headers = [("host", &*host), ("origin", &*origin), ("sec-fetch-site", "same-origin")];
    for (method, path) in
        [("POST", "/api/beams/create/"), ("GET", "/"), ("GET", "/healthz"), ("GET", "/api/site")]
    {
        let answer = server.ask(method, path, &headers).await;
        assert_eq!(answer.status, 421, "{method} {path}");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(&format!("--public-url https://{host}")), "{detail}");
        assert_is_secured(&answer);
    }
    match server.connect_as(unknown_beam(), &headers).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 421),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[tokio::test]
async fn h9_a_request_names_its_host_once() {
    let server = TestServer::with(&["--public-url", "https://beam.example.org"]).await;
    let status = async |lines: &str| {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let request = format!("{lines}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    let path = "/api/site";
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nhost: localhost")).await, "200");
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nhost: Beam.Example.org")).await, "200");
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\naccept: */*")).await, "400");
    assert_eq!(status(&format!("GET {path} HTTP/1.0\r\naccept: */*")).await, "400");
    let twice = "host: localhost\r\nhost: localhost";
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\n{twice}")).await, "400");
    let target = "http://evil.example/api/site";
    assert_eq!(status(&format!("GET {target} HTTP/1.1\r\nhost: localhost")).await, "421");
}

/// A login of which the server has begun to read the body.
async fn begins_to_log_in(server: &TestServer, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /api/auth/login/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nexpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

/// The status and the body.
async fn answer(mut stream: TcpStream) -> (String, Value) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().to_owned(), serde_json::from_str(body).unwrap())
}

#[tokio::test]
async fn h19_a_json_body_that_stops_is_answered_408_after_half_a_minute() {
    let server = TestServer::start().await;
    let start = Instant::now();
    let mut stream = begins_to_log_in(&server, 100).await;
    stream.write_all(b"{\"username\":").await.unwrap();
    tokio::time::pause();

    let (status, body) = answer(stream).await;

    assert_eq!((&*status, &body["code"]), ("408", &json!("timeout")), "{body}");
    assert!(body["detail"].as_str().unwrap().contains("Check the connection"), "{body}");
    assert!(start.elapsed() >= Duration::from_secs(30));
}

#[tokio::test]
async fn h19_a_json_body_may_come_slowly_and_the_time_for_the_answer_begins_after_it() {
    let server = TestServer::start().await;
    let mut stream = begins_to_log_in(&server, 3 * 20 * 1024).await;
    tokio::time::pause();
    for _ in 0..2 {
        stream.write_all(&b" ".repeat(20 * 1024)).await.unwrap();
        sleep(Duration::from_secs(20)).await;
    }
    tokio::time::resume();
    stream.write_all(&b" ".repeat(20 * 1024)).await.unwrap();

    let (status, body) = answer(stream).await;

    assert_eq!((&*status, &body["code"]), ("400", &json!("bad_request")), "{body}");
}
