//! H48: the copy of an upload into a bucket, which goes on at the part where it broke off.

use std::time::Duration;

use heliograph_signal::error::Error;
use heliograph_signal::start::sweeper;
use heliograph_storage::blobs::BlobId;
use tokio::time::{sleep, timeout};

use super::bucket::Bucket;
use super::file::{File, HOUR, MIB, bucket_flags, png};
use super::pieces::{kept_beam, saved_beam};
use super::server::{TestServer, until};

/// Parts of the file in the bucket: five of 5 MiB, and the rest.
const PARTS: usize = 6;

fn film() -> File {
    png(28 * MIB)
}

/// Sends the whole file, and returns the path of its upload.
async fn sends(server: &TestServer, file: &File) -> String {
    let path = server.begun(kept_beam(server).await, file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes).await.status, 204);
    path
}

async fn fails_to_store(server: &TestServer, path: &str) {
    until(async || {
        let status = server.get(path).await.status;
        assert!([202, 502].contains(&status), "{status}");
        status == 502
    })
    .await;
}

/// A server with files in a bucket, and a database of its own.
async fn with_bucket() -> (Bucket, TestServer) {
    let bucket = Bucket::start().await;
    let flags = bucket_flags(&bucket);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let server = TestServer::with(&flags).await;
    (bucket, server)
}

/// Sends the film, of which the bucket takes three parts and refuses the others. Returns the path of its upload.
async fn breaks_off(bucket: &Bucket, server: &TestServer) -> String {
    bucket.takes_parts(3);
    let path = sends(server, &film()).await;
    fails_to_store(server, &path).await;
    path
}

#[tokio::test]
async fn h48_a_copy_goes_on_at_the_part_where_it_broke_off_also_after_a_restart() {
    let bucket = Bucket::start().await;
    let flags = bucket_flags(&bucket);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let server = TestServer::with(&flags).await;
    let path = breaks_off(&bucket, &server).await;
    assert_eq!(bucket.taken_parts(), 3);
    bucket.takes_parts(4);
    fails_to_store(&server, &path).await;
    assert_eq!(bucket.taken_parts(), 4);

    let server = TestServer::on(server.ends().await, &flags).await;
    bucket.takes_parts(usize::MAX);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == film().bytes);
    assert_eq!(bucket.taken_parts(), PARTS);
    assert_eq!(bucket.files().len(), 1, "no part is left beside the file");
    until(async || server.staged() == 0).await;
}

#[tokio::test]
async fn h48_a_part_in_flight_when_another_one_fails_is_not_sent_again() {
    let (bucket, server) = with_bucket().await;
    bucket.takes_parts(1);
    bucket.holds_parts();
    let path = sends(&server, &film()).await;
    bucket.holds(1).await;
    // For longer than the tries of the other part take, which the bucket refuses.
    sleep(Duration::from_secs(2)).await;
    bucket.writes_parts();
    fails_to_store(&server, &path).await;
    bucket.takes_parts(usize::MAX);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == film().bytes);
    assert_eq!(bucket.taken_parts(), PARTS);
}

#[tokio::test]
async fn h48_why_a_file_was_not_stored_is_told_to_who_asks_after_nobody_has_waited_for_it() {
    let (bucket, server) = with_bucket().await;
    let path = breaks_off(&bucket, &server).await;
    let id = BlobId::parse(path.rsplit('/').next().unwrap()).unwrap();
    let failures = &server.app.uploads.failures;
    // It may be answered before it is given up.
    until(async || {
        let _ = timeout(Duration::from_millis(5), server.get(&path)).await;
        failures.take(id).is_some()
    })
    .await;

    failures.keep(id, Error::Internal);
    assert_eq!(server.get(&path).await.status, 500);
    bucket.takes_parts(usize::MAX);
    assert!(server.reads(&server.stored(&path).await).await == film().bytes);
}

#[tokio::test]
async fn h48_a_copy_begins_anew_when_the_bucket_has_forgotten_it() {
    let (bucket, server) = with_bucket().await;
    let path = breaks_off(&bucket, &server).await;
    bucket.forgets_unfinished();
    bucket.takes_parts(usize::MAX);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == film().bytes);
    // Those that came before it said so count too: two are on their way at a time.
    let again = bucket.taken_parts() - 3;
    assert!((PARTS + 1..=PARTS + 2).contains(&again), "{again}");
}

#[tokio::test]
async fn h48_a_copy_that_is_given_up_leaves_nothing_in_the_bucket() {
    let (bucket, server) = with_bucket().await;
    let path = breaks_off(&bucket, &server).await;
    bucket.is_left().await;
    assert!(!bucket.files().is_empty());
    for _ in 0..2 {
        server.time_passes(25 * HOUR).await;
        sweeper::sweep(&server.app).await;
    }
    assert_eq!(server.has_of(&path).await, None);
    assert_eq!(bucket.files().len(), 0);
    assert_eq!(server.staged(), 0);
}

#[tokio::test]
async fn h48_a_file_that_is_being_stored_does_not_end_meanwhile() {
    let (bucket, server) = with_bucket().await;
    bucket.takes_parts(0);
    let (file, ada) = (png(1000), server.registered("ada").await);
    let path = server.begun(saved_beam(&server, &ada).await, &file).await;
    assert_eq!(server.takes_piece(&path, 0, &file.bytes).await.status, 204);
    fails_to_store(&server, &path).await;
    server.time_passes(Duration::from_mins(24 * 60 - 1)).await;
    fails_to_store(&server, &path).await;
    server.time_passes(Duration::from_mins(30)).await;
    sweeper::sweep(&server.app).await;
    bucket.takes_parts(usize::MAX);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == file.bytes);
}
