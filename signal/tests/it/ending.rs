//! S18, S19: the end of a beam, and the shutdown of the server.

use std::time::Duration;

use clap::Parser as _;
use heliograph_shared::close::CloseCode;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::device::unknown_beam;
use super::server::TestServer;

#[tokio::test]
async fn s18_a_beam_ends_at_its_time() {
    let server = TestServer::start().await;
    let (beam, now) = (unknown_beam(), server.app.clock.now());
    let expires_at = now + Duration::from_secs(30);
    server.app.storage.record_shared_beam(beam, now, expires_at).await.unwrap();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    server.time_passes(Duration::from_secs(30)).await;
    for device in [&mut ada, &mut bob] {
        assert_eq!(device.is_closed().await, CloseCode::Ended.number());
    }
    assert!(server.app.clock.now() >= expires_at);
}

#[tokio::test]
async fn s19_the_end_of_the_server_is_told_and_quick() {
    let server = TestServer::start().await;
    let mut joined = server.join(unknown_beam()).await;
    let mut waiting = server.connect(unknown_beam()).await;
    waiting.sends(Message::text("ping")).await;
    waiting.sees("pong").await;
    let start = Instant::now();
    server.is_told_to_end();
    assert_eq!(joined.is_closed().await, CloseCode::Restart.number());
    assert_eq!(waiting.is_closed().await, CloseCode::Restart.number());
    drop((joined, waiting));
    server.ends().await;
    // The server waits ten seconds for sockets that do not end.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test]
async fn s19_who_does_not_answer_cannot_hold_up_the_end() {
    let server = TestServer::start().await;
    let deaf = server.join(unknown_beam()).await;
    let idle = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let start = Instant::now();
    server.ends().await;
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    drop((deaf, idle));
}

#[tokio::test]
async fn i1_a_beam_is_there_after_a_restart() {
    let folder = {
        let server = TestServer::start().await;
        let beam = server.create_beam().await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(
            server.folder.path().join("heliograph.db"),
            folder.path().join("heliograph.db"),
        )
        .unwrap();
        let wal = "heliograph.db-wal";
        std::fs::copy(server.folder.path().join(wal), folder.path().join(wal)).unwrap();
        server.ends().await;
        (folder, beam)
    };
    // The state after a kill: nothing was closed.
    let (storage, _) = heliograph_storage::Storage::open(&heliograph_storage::Location::Folder(
        folder.0.path().to_owned(),
    ))
    .await
    .unwrap();
    let record = storage.find_beam(folder.1.beam_id).await.unwrap().unwrap();
    assert_eq!(record.key_hash, Some(folder.1.beam_key.hash()));
}

#[tokio::test]
async fn a_second_server_on_the_same_tables_does_not_start_and_says_why() {
    for database in [None, Some(super::postgres::fresh_database())] {
        let flags: Vec<_> = database.iter().flat_map(|url| ["--database", url]).collect();
        let server = TestServer::with(&flags).await;
        let folder = server.folder.path().to_str().unwrap();
        let args = ["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--data", folder];
        let config = heliograph_signal::config::Config::parse_from(args.iter().chain(&flags));

        let second = heliograph_signal::start::start(&config, server.app.clock).await;

        let why = second.err().expect("it is refused").to_string();
        assert!(
            why.starts_with("another Heliograph server is using this database or data folder."),
            "{why}"
        );
    }
}
