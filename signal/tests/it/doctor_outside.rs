//! `heliograph doctor URL`: a healthy server, and servers behind proxies, certificates and TURN servers that are broken.

use std::net::SocketAddr;
use std::process::Stdio;

use heliograph_signal::doctor::report::{Report, State};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use super::doctor::{certificate, check, closed, findings, names, tls, turn_on};
use super::ports::free_port;
use super::server::{TestServer, until};

/// What a proxy does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    CutsWebsockets,
    DropsHost,
    LimitsUploads,
    IsNotTrusted,
}

/// A proxy in front of a server, at a free port of localhost.
async fn proxy(server: SocketAddr, wrong: Wrong) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(forward(stream, server, wrong));
        }
    });
    format!("http://localhost:{port}")
}

async fn forward(mut client: TcpStream, to: SocketAddr, wrong: Wrong) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines: Vec<_> = head.trim_end().split("\r\n").map(str::to_owned).collect();
    let is = |line: &str, name: &str| line.to_lowercase().starts_with(&format!("{name}:"));
    match wrong {
        Wrong::CutsWebsockets => {
            lines.retain(|line| !is(line, "upgrade") && !is(line, "connection"));
        }
        Wrong::DropsHost => {
            lines.retain(|line| !is(line, "host"));
            lines.push(format!("Host: {to}"));
        }
        Wrong::LimitsUploads if is_large(&lines) => {
            let refusal =
                "HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large";
            let _ = client.write_all(refusal.as_bytes()).await;
            let _ = client.shutdown().await;
            while client.read(&mut [0; 8_192]).await.is_ok_and(|count| count > 0) {}
            return;
        }
        _ => {}
    }
    lines.push("X-Forwarded-For: 192.0.2.7".to_owned());
    let Ok(mut server) = TcpStream::connect(to).await else { return };
    let _ = server.write_all(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes()).await;
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

fn is_large(lines: &[String]) -> bool {
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>())?.ok()
    });
    length.is_some_and(|length| length > 1_000_000)
}

/// What the doctor finds at an address. Every server here can write: one that a busy machine makes too slow is looked at again.
async fn seen_at(url: &str) -> Report {
    let here = tempfile::tempdir().unwrap();
    let mut report = None;
    until(async || {
        let found = report.insert(findings(here.path(), &[], Some(url)).await);
        !found.text().contains("cannot write to its database")
    })
    .await;
    report.unwrap()
}

#[tokio::test]
async fn h50_a_server_says_how_it_sees_its_caller() {
    let server = TestServer::start().await;
    let forwarded = [("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https")];
    let mut seen = Value::Null;
    until(async || {
        seen = server.ask("GET", "/api/doctor", &forwarded).await.json();
        seen["database"] == true
    })
    .await;
    assert_eq!((&seen["host"], &seen["scheme"]), (&"127.0.0.1".into(), &"https".into()));
    assert_eq!((&seen["address"], &seen["forwarding"]), (&"192.0.2.7".into(), &"believed".into()));
    assert_eq!(seen["room"], true);
    let plain = server.get("/api/doctor/").await.json();
    assert_eq!((&plain["address"], &plain["forwarding"]), (&"127.0.0.1".into(), &"none".into()));
    let wary = TestServer::with(&["--trusted-proxies", "192.0.2.1"]).await;
    let seen = wary.ask("GET", "/api/doctor", &forwarded).await.json();
    assert_eq!((&seen["forwarding"], &seen["scheme"]), (&"ignored".into(), &"http".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_server_has_no_failures_directly_and_behind_a_proxy() {
    let turn = turn_on(free_port());
    let turn: Vec<_> = turn.iter().map(String::as_str).collect();
    let server = TestServer::with(&turn).await;
    let direct = seen_at(&format!("http://localhost:{}", server.address.port())).await;
    names(&direct, &[], "");
    let ways = ["health", "clock", "websocket", "large upload", "STUN", "TURN over UDP"];
    for name in ways.into_iter().chain(["TURN over TCP", "TURN relay ports"]) {
        assert_eq!(check(&direct, name).0, State::Ok, "{name}");
    }
    // It listens on IPv4 only.
    assert_eq!(check(&direct, "TURN for IPv6").0, State::Skipped);
    let proxied = seen_at(&proxy(server.address, Wrong::Nothing).await).await;
    names(&proxied, &[], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_cuts_websockets_drops_host_or_limits_uploads_is_named() {
    let server = TestServer::start().await;
    for (wrong, name, word) in [
        (Wrong::CutsWebsockets, "websocket", "Upgrade"),
        (Wrong::DropsHost, "name of the server", "proxy_set_header Host"),
        (Wrong::LimitsUploads, "large upload", "client_max_body_size"),
    ] {
        println!("{wrong:?}");
        let report = seen_at(&proxy(server.address, wrong).await).await;
        names(&report, &[name], word);
    }
    let wary = TestServer::with(&["--trusted-proxies", "192.0.2.1"]).await;
    let report = seen_at(&proxy(wary.address, Wrong::IsNotTrusted).await).await;
    names(&report, &["proxy headers"], "--trusted-proxies");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_expired_or_is_for_another_name_is_named() {
    let here = tempfile::tempdir().unwrap();
    let at = async |pair| {
        let flags = ["--tls", &tls(&pair), "--tls-listen", "127.0.0.1:0"];
        let server = TestServer::with(&flags).await;
        let port = server.app.listening.tls.unwrap().port();
        let report = seen_at(&format!("https://localhost:{port}")).await;
        server.ends().await;
        report
    };
    let expired = at(certificate(here.path(), "localhost", (2020, 2021))).await;
    names(&expired, &["certificate"], "Renew");
    let other = at(certificate(here.path(), "other.example", (2020, 2100))).await;
    names(&other, &["certificate"], "name by which devices open");
    assert!(check(&other, "certificate").1.contains("other.example"));
    let own = at(certificate(here.path(), "localhost", (2020, 2100))).await;
    names(&own, &[], "");
    assert_eq!(check(&own, "certificate").0, State::Warning);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_the_server_made_itself_is_a_warning_and_one_for_another_address_names_the_flag()
 {
    let at = async |public: &[&str], host: &str| {
        let flags = [&["--tls", "self-signed", "--tls-listen", "0.0.0.0:0"], public].concat();
        let server = TestServer::with(&flags).await;
        let port = server.app.listening.tls.unwrap().port();
        let report = seen_at(&format!("https://{host}:{port}")).await;
        server.ends().await;
        report
    };
    let own = at(&[], "localhost").await;
    names(&own, &[], "");
    assert_eq!(check(&own, "certificate").0, State::Warning);
    let elsewhere = at(&[], "127.0.0.2").await;
    names(&elsewhere, &["certificate"], "--public-url");
    let seen = check(&elsewhere, "certificate").1;
    assert!(seen.contains("localhost, ") && !seen.contains("DnsName"), "{seen}");
    let named = at(&["--public-url", "https://127.0.0.2"], "127.0.0.2").await;
    names(&named, &[], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn turn_that_is_closed_or_whose_relays_nobody_reaches_is_named() {
    let here = tempfile::tempdir().unwrap();
    let secret = here.path().join("secret");
    std::fs::write(&secret, "a secret").unwrap();
    let away = format!("turn:{}", closed());
    let flags = ["--turn", &*away, "--turn-secret-file", secret.to_str().unwrap()];
    let server = TestServer::with(&flags).await;
    let report = seen_at(&format!("http://localhost:{}", server.address.port())).await;
    names(&report, &["STUN", "TURN over UDP", "TURN over TCP"], "firewall");

    // Devices are told another address than the one of the relays.
    let turn = turn_on(free_port());
    let elsewhere = ["--turn-relay-address", "127.0.0.2"];
    let turn: Vec<_> = turn.iter().map(String::as_str).chain(elsewhere).collect();
    let server = TestServer::with(&turn).await;
    let report = seen_at(&format!("http://localhost:{}", server.address.port())).await;
    names(&report, &["TURN relay ports"], "--turn-relay-address");
}

#[tokio::test]
async fn a_server_that_is_away_is_named_and_the_program_ends_with_1() {
    let url = format!("http://{}", closed());
    names(&seen_at(&url).await, &["connection"], "Start the server");
    let run = async |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_heliograph"));
        program.arg("doctor").args(arguments).stderr(Stdio::null());
        program.output().await.unwrap()
    };
    let away = run(&[&url, "--json"]).await;
    assert_eq!(away.status.code(), Some(1));
    let said: Value = serde_json::from_slice(&away.stdout).unwrap();
    assert_eq!(said["ok"], false);
    assert_eq!(said["checks"][0]["name"], "connection");
    let server = TestServer::start().await;
    server.is_well().await;
    let well = run(&[&format!("http://{}", server.address)]).await;
    assert_eq!(well.status.code(), Some(0));
    assert!(String::from_utf8(well.stdout).unwrap().contains("ok       websocket"));
}
