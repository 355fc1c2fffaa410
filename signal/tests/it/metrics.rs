//! The metrics: what an operator's Prometheus reads.

use std::collections::HashMap;
use std::time::Duration;

use heliograph_shared::api::beams::LinkAccess;
use heliograph_storage::totals::Totals;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::device::unknown_beam;
use super::file::png;
use super::server::{Answer, TestServer, send};
use super::world::on_both;

const FLAGS: [&str; 10] = [
    "--metrics",
    "127.0.0.1:0",
    "--turn",
    "embedded",
    "--turn-listen",
    "127.0.0.1:0",
    "--memory-frames",
    "64MiB",
    "--guest-file",
    "1MiB",
];

async fn asks(server: &TestServer, path: &str) -> Answer {
    let address = server.app.listening.metrics.expect("they were asked for");
    let stream = TcpStream::connect(address).await.unwrap();
    send(stream, &address.to_string(), "GET", path, &[], b"").await
}

/// The values by name and labels, as they are written.
async fn metrics(server: &TestServer) -> HashMap<String, u64> {
    let answer = asks(server, "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("application/openmetrics-text"));
    let text = String::from_utf8(answer.body).unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    let values = text.lines().filter(|line| !line.starts_with('#'));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    values.map(value).collect()
}

#[tokio::test]
async fn they_say_what_the_server_did_and_what_it_refused() {
    let server = TestServer::with(&FLAGS).await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    ada.relays(bob.id, &[7; 1_000]).await;
    bob.gets_frame().await;
    ada.relays(Uuid::nil(), b"to nobody").await;
    assert_eq!(ada.sees("error").await["extra"], "device_gone");
    let mut eve = server.join(unknown_beam()).await;
    eve.sends(Message::text("no JSON")).await;
    assert_eq!(eve.is_closed().await, 4400);
    server.takes(&png(3_000)).await;
    assert_eq!(server.takes(&png(2 << 20)).await.status, 413);
    assert_eq!(server.get("/api/auth/profile/").await.status, 405);
    let _ada = server.registered("ada").await;

    let metrics = metrics(&server).await;
    for (name, value) in [
        ("heliograph_sockets", 2),
        ("heliograph_sockets_opened_total", 3),
        ("heliograph_devices", 2),
        ("heliograph_relay_frames_total", 1),
        ("heliograph_relay_bytes_total", 1_016),
        ("heliograph_uploads_total", 1),
        ("heliograph_upload_bytes_total", 3_000),
        ("heliograph_stored_files", 1),
        ("heliograph_stored_file_bytes", 3_000),
        ("heliograph_accounts", 1),
        ("heliograph_saved_beams", 0),
        ("heliograph_database_readable", 1),
        ("heliograph_http_answers_total{status=\"413\"}", 1),
        ("heliograph_http_answers_total{status=\"405\"}", 1),
        ("heliograph_connections_refused_total", 0),
        ("heliograph_socket_refusals_total{code=\"device_gone\"}", 1),
        ("heliograph_socket_refusals_total{code=\"relay_full\"}", 0),
        ("heliograph_socket_closes_total{code=\"4400\"}", 1),
        ("heliograph_socket_closes_total{code=\"left\"}", 0),
        ("heliograph_waiting_bytes_most{kind=\"frames\"}", 64 << 20),
        ("heliograph_turn_allocations", 0),
        ("heliograph_turn_refusals_total{cause=\"over_quota\"}", 0),
        ("heliograph_database_connections{of=\"write\"}", 1),
    ] {
        assert_eq!(metrics.get(name), Some(&value), "{name}");
    }
    #[cfg(target_os = "linux")]
    for name in ["process_resident_memory_bytes", "process_open_fds", "process_max_fds"] {
        assert!(metrics[name] > 10, "{name}");
    }
}

#[tokio::test]
async fn connections_for_them_are_bounded_in_number_and_in_time() {
    let server = TestServer::with(&FLAGS[..2]).await;
    let address = server.app.listening.metrics.unwrap();
    let mut idle = Vec::new();
    for _ in 0..16 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    let mut beyond = TcpStream::connect(address).await.unwrap();
    assert!(matches!(beyond.read(&mut [0]).await, Ok(0) | Err(_)));
    let first = idle.swap_remove(0);
    let answer = send(first, &address.to_string(), "GET", "/metrics", &[], b"").await;
    assert_eq!(answer.status, 200, "the others are kept, and had a place each");
    server.time_passes(Duration::from_secs(11)).await;
    for stream in &mut idle {
        // What is said of the missing head does not matter.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    assert_eq!(asks(&server, "/metrics").await.status, 200);
}

#[tokio::test]
async fn they_name_nobody_and_are_not_on_the_public_address() {
    let server = TestServer::with(&FLAGS[..2]).await;
    let beam = unknown_beam();
    let ada = server.join(beam).await;
    let _person = server.registered("adalovelace").await;
    let text = String::from_utf8(asks(&server, "/metrics").await.body).unwrap();
    for secret in [beam.to_string(), ada.id.to_string(), "adalovelace".into(), "127.0.0.1".into()] {
        assert!(!text.contains(&secret), "{secret} in {text}");
    }
    assert_eq!(asks(&server, "/healthz").await.status, 404);
    let public = server.get("/metrics").await;
    assert!(!String::from_utf8_lossy(&public.body).contains("heliograph_sockets"));
    assert_eq!(TestServer::start().await.app.listening.metrics, None);
}

#[tokio::test]
async fn both_databases_tell_what_is_stored() {
    on_both(async |world| {
        world.trip(LinkAccess::None).await;
        world.server.takes(&png(3_000)).await;
        let app = &world.server.app;
        let totals = app.storage.totals(app.clock.now()).await.unwrap();
        let expected = Totals { accounts: 5, saved_beams: 1, files: 1, file_bytes: 3_000 };
        assert_eq!(totals, expected);
        assert!(app.storage.connections().iter().all(|pool| pool.open >= pool.idle));
    })
    .await;
}
