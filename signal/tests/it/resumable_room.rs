//! H45: the room of uploads in pieces on the disk, and beginnings that nobody waits for.

use std::future::poll_fn;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::task::Poll;

use axum::body::Body;
use axum::extract::Request;
use heliograph_signal::address::Peer;
use heliograph_signal::edge::router::router;
use tower::Service as _;

use super::file::{MIB, png};
use super::pieces::{VERSION, kept_beam};
use super::server::{TestServer, until};
use super::small_disk::SmallDisk;

/// Begins an upload by a request that is dropped after so many steps. Returns the upload's path if it was answered by then.
async fn begins_for(
    steps: usize,
    server: &TestServer,
    path: &str,
    length: usize,
) -> Option<String> {
    let request = Request::post(path)
        .header("host", "localhost")
        .header(VERSION.0, VERSION.1)
        .header("upload-length", length)
        .extension(Peer { ip: Ipv4Addr::LOCALHOST.into(), tls: false })
        .body(Body::empty())
        .unwrap();
    let mut router = router(server.app.clone());
    let mut answer = pin!(router.call(request));
    let mut step = 0;
    poll_fn(|context| {
        step += 1;
        match answer.as_mut().poll(context) {
            Poll::Ready(answer) => {
                let answer = answer.unwrap();
                assert_eq!(answer.status(), 201);
                Poll::Ready(Some(answer.headers()["location"].to_str().unwrap().to_owned()))
            }
            Poll::Pending if step > steps => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn h45_a_beginning_that_nobody_waits_for_leaves_nothing() {
    let server = TestServer::with(&["--guest-total", "8MiB"]).await;
    let path = format!("/api/beams/{}/tus/", kept_beam(&server).await);
    let mut cut = 0;
    // Each query is a step or two, and when one ends depends on the database: so more steps than there are, several times.
    for steps in (0..30).flat_map(|steps| [steps; 3]) {
        let mut location = begins_for(steps, &server, &path, 6 * MIB).await;
        cut += usize::from(location.is_none());
        until(async || {
            if location.is_none() {
                let length = ("upload-length", "7000000");
                let answer = server.ask("POST", &path, &[VERSION, length]).await;
                location = (answer.status == 201).then(|| answer.header("location").to_owned());
            }
            location.is_some()
        })
        .await;
        let location = location.unwrap();
        let ended = server.ask("DELETE", &location, &[VERSION]).await;
        assert_eq!(ended.status, 204, "after {steps} steps");
        until(async || server.staged() == 0).await;
    }
    assert!(cut > 0);
}

#[tokio::test]
async fn h45_what_is_still_to_come_counts_for_the_share_of_the_disk() {
    let disk = SmallDisk::mount();
    // 51.2 MiB.
    let server = TestServer::on(disk.data(), &["--disk-share", "80"]).await;
    let beam = kept_beam(&server).await;
    let file = png(28 * MIB);
    let first = server.begun(beam, &file).await;
    assert_eq!(server.begins_pieces(beam, &file).await.status, 507);
    assert_eq!(server.has_room_for("/api/upload/", 26 * MIB).await, 507, "in one request");
    assert_eq!(server.staged(), 1);
    assert_eq!(server.takes_piece(&first, 0, &file.bytes[..20 * MIB]).await.status, 204);
    assert_eq!(server.begins_pieces(beam, &file).await.status, 507, "what came counts once");
    let small = server.begun(beam, &png(10 * MIB)).await;

    assert_eq!(server.takes_piece(&first, 20 * MIB, &file.bytes[20 * MIB..]).await.status, 204);
    let stored = server.stored(&first).await;
    assert!(server.reads(&stored).await == file.bytes);
    assert_eq!(server.ask("DELETE", &small, &[VERSION]).await.status, 204);
    assert_eq!(server.begins_pieces(beam, &png(12 * MIB)).await.status, 201);
}

#[tokio::test]
async fn h45_it_counts_whole_for_another_disk_to_which_it_is_copied() {
    // How full this machine's disk is must not matter, so the pieces have a disk of their own.
    let (pieces, disk) = (SmallDisk::mount(), SmallDisk::mount());
    let folder = disk.folder();
    let blobs = folder.to_str().unwrap();
    let server = TestServer::on(pieces.data(), &["--blobs", blobs, "--disk-share", "80"]).await;
    let beam = kept_beam(&server).await;
    let file = png(28 * MIB);
    let path = server.begun(beam, &file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes[..20 * MIB]).await.status, 204);
    assert_eq!(server.begins_pieces(beam, &file).await.status, 507);

    assert_eq!(server.takes_piece(&path, 20 * MIB, &file.bytes[20 * MIB..]).await.status, 204);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == file.bytes);
    assert_eq!(server.staged(), 0);
}
