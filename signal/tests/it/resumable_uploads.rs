//! H45 to H48, R1, R6: uploads in pieces, which go on where they stopped: after a broken connection, a restart, a kill.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use heliograph_shared::time::Millis;
use heliograph_signal::budget::Kind;
use heliograph_signal::start::sweeper;
use serde_json::json;
use sha1::{Digest as _, Sha1};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

use super::bucket::Bucket;
use super::device::unknown_beam;
use super::file::{HOUR, LARGE, MIB, bucket_flags, png, servers};
use super::pieces::{TYPE, VERSION, begins_piece, kept_beam, metadata};
use super::server::{TestServer, until};

const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn h45_a_file_goes_up_in_pieces_and_is_read_byte_for_byte() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        let beam = kept_beam(&server).await;
        let file = png(LARGE).called("plan.png");
        let begun = server.begins_pieces(beam, &file).await;
        assert_eq!(begun.status, 201, "{begun:?}");
        assert_eq!(begun.header("tus-resumable"), "1.0.0");
        assert!(begun.header("upload-expires").ends_with("GMT"));
        let path = begun.header("location").to_owned();
        assert_eq!(server.has_of(&path).await, Some(0));
        assert_eq!(server.get(&path).await.status, 409, "more has to come first");

        for (at, piece) in file.bytes.chunks(4 * MIB).enumerate() {
            let answer = server.takes_piece(&path, at * 4 * MIB, piece).await;
            assert_eq!(answer.status, 204, "{answer:?}");
        }

        let stored = server.stored(&path).await;
        assert_eq!(stored["name"], "plan.png");
        assert_eq!(stored["type"], "image/png");
        assert_eq!(stored["size"], json!(LARGE));
        assert!(server.reads(&stored).await == file.bytes);
        assert_eq!(server.stored(&path).await, stored, "also when asked again");
        until(async || server.staged() == 0).await;
        until(async || server.app.budget.taken(Kind::Uploads) == 0).await;
    }
}

#[tokio::test]
async fn h45_the_server_tells_what_of_tus_it_does() {
    let server = TestServer::start().await;
    let answer = server.ask("OPTIONS", &format!("/api/beams/{}/tus/", unknown_beam()), &[]).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("tus-version"), "1.0.0");
    assert_eq!(answer.header("tus-extension"), "creation,checksum,expiration,termination");
    assert_eq!(answer.header("tus-checksum-algorithm"), "sha1,sha256");
}

#[tokio::test]
async fn h46_an_upload_tells_what_of_tus_the_server_does_and_what_its_sender_said_of_it() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        let file = png(1000).called("plan.png");
        let path = server.begun(kept_beam(&server).await, &file).await;
        let answer = server.ask("OPTIONS", &path, &[]).await;
        assert_eq!((answer.status, answer.header("tus-version")), (204, "1.0.0"));
        assert_eq!(answer.header("tus-extension"), "creation,checksum,expiration,termination");
        assert_eq!(server.ask("OPTIONS", "/api/tus/nothing", &[]).await.status, 404);
        let answer = server.ask("HEAD", &path, &[VERSION]).await;
        assert_eq!(answer.header("upload-metadata"), metadata(&file));
        let elsewhere = format!("/api/beams/{}/tus/", kept_beam(&server).await);
        let unsaid = server.ask("POST", &elsewhere, &[VERSION, ("upload-length", "5")]).await;
        let answer = server.ask("HEAD", unsaid.header("location"), &[VERSION]).await;
        assert_eq!((answer.status, answer.header("upload-metadata")), (200, ""));
    }
}

#[tokio::test]
async fn h46_a_post_that_names_another_method_is_that() {
    let server = TestServer::start().await;
    let (beam, file) = (kept_beam(&server).await, png(1000));
    let path = server.begun(beam, &file).await;
    let meant = |method| [VERSION, ("x-http-method-override", method)];
    let piece = [&meant("PATCH")[..], &[TYPE, ("upload-offset", "0")]].concat();
    assert_eq!(server.send("POST", &path, &piece, &file.bytes[..9]).await.status, 204);
    let answer = server.ask("POST", &path, &meant("HEAD")).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "9"));
    for no_method in ["PUT", "patch", ""] {
        assert_eq!(server.ask("POST", &path, &meant(no_method)).await.status, 405, "{no_method}");
    }
    assert_eq!(server.ask("POST", &path, &[VERSION]).await.status, 405);
    assert_eq!(server.ask("POST", &path, &meant("DELETE")).await.status, 204);
    assert_eq!(server.has_of(&path).await, None);
}

#[tokio::test]
async fn h45_what_is_no_beginning_is_refused() {
    let server = TestServer::start().await;
    let beam = kept_beam(&server).await;
    let path = format!("/api/beams/{beam}/tus/");
    let status = async |headers: &[(&str, &str)]| server.ask("POST", &path, headers).await.status;
    let length = ("upload-length", "5");
    assert_eq!(status(&[length]).await, 412);
    assert_eq!(status(&[("tus-resumable", "0.2.2"), length]).await, 412);
    assert_eq!(status(&[VERSION]).await, 400);
    for wrong in ["", "-1", "1e3", "99999999999999999999"] {
        assert_eq!(status(&[VERSION, ("upload-length", wrong)]).await, 400, "{wrong:?}");
    }
    assert_eq!(status(&[VERSION, ("upload-length", "9223372036854775808")]).await, 413);
    assert_eq!(status(&[VERSION, length, ("upload-metadata", "filename %")]).await, 400);
    let elsewhere = format!("/api/beams/{}/tus/", unknown_beam());
    assert_eq!(server.ask("POST", &elsewhere, &[VERSION, length]).await.status, 404);
    assert_eq!(server.staged(), 0);
}

#[tokio::test]
async fn h46_a_piece_begins_where_the_upload_ends_and_has_the_right_type() {
    let server = TestServer::start().await;
    let file = png(1000);
    let path = server.begun(kept_beam(&server).await, &file).await;
    assert_eq!(server.takes_piece(&path, 1, &file.bytes[1..]).await.status, 409);
    assert_eq!(server.takes_piece(&path, 0, &file.bytes[..400]).await.status, 204);
    assert_eq!(server.takes_piece(&path, 0, &file.bytes).await.status, 409);
    assert_eq!(server.takes_piece(&path, 400, &[0; 601]).await.status, 413);
    let other = [VERSION, ("upload-offset", "400"), ("content-type", "application/json")];
    assert_eq!(server.send("PATCH", &path, &other, b"{}").await.status, 415);
    assert_eq!(
        server.send("PATCH", &path, &[TYPE, ("upload-offset", "400")], b"x").await.status,
        412
    );
    let two = [VERSION, TYPE, ("upload-offset", "400"), ("upload-offset", "400")];
    assert_eq!(server.send("PATCH", &path, &two, b"x").await.status, 400);
    assert_eq!(server.has_of(&path).await, Some(400));
    assert_eq!(server.has_of("/api/tus/nothing").await, None);

    assert_eq!(server.takes_piece(&path, 400, &file.bytes[400..]).await.status, 204);
    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == file.bytes);
    assert_eq!(server.takes_piece(&path, 1000, b"x").await.status, 413, "it is complete");
}

#[tokio::test]
async fn h46_bytes_with_another_checksum_are_dropped() {
    let server = TestServer::start().await;
    let file = png(1000);
    let path = server.begun(kept_beam(&server).await, &file).await;
    let checksum = format!("sha1 {}", STANDARD.encode(Sha1::digest(&file.bytes)));
    let headers = [VERSION, TYPE, ("upload-offset", "0"), ("upload-checksum", &checksum)];
    let wrong = vec![7; 1000];
    let answer = server.send("PATCH", &path, &headers, &wrong).await;
    assert_eq!(answer.status, 460);
    assert_eq!(server.has_of(&path).await, Some(0));
    let unknown = [VERSION, TYPE, ("upload-offset", "0"), ("upload-checksum", "crc32 AAAA")];
    assert_eq!(server.send("PATCH", &path, &unknown, &file.bytes).await.status, 400);

    assert_eq!(server.send("PATCH", &path, &headers, &file.bytes).await.status, 204);

    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == file.bytes);
}

#[tokio::test]
async fn h46_one_piece_comes_at_a_time_and_what_came_of_a_broken_one_stays() {
    let server = TestServer::start().await;
    let file = png(LARGE);
    let path = server.begun(kept_beam(&server).await, &file).await;
    let stream = begins_piece(&server, &path, 0, LARGE, &file.bytes[..MIB]).await;
    assert_eq!(server.takes_piece(&path, 0, b"").await.status, 423);

    drop(stream);

    let mut here = 0;
    until(async || {
        let answer = server.takes_piece(&path, MIB, b"").await;
        here = server.has_of(&path).await.unwrap();
        answer.status == 204
    })
    .await;
    assert_eq!(here, MIB);
    assert_eq!(server.takes_piece(&path, MIB, &file.bytes[MIB..]).await.status, 204);
    let stored = server.stored(&path).await;
    assert!(server.reads(&stored).await == file.bytes);
}

#[tokio::test]
async fn h45_the_room_is_reserved_at_the_beginning_and_free_at_the_end() {
    let server = TestServer::with(&["--guest-total", "8MiB"]).await;
    let beam = kept_beam(&server).await;
    let first = server.begun(beam, &png(6 * MIB)).await;
    assert_eq!(server.begins_pieces(beam, &png(6 * MIB)).await.status, 507);
    assert_eq!(server.takes_piece(&first, 0, &png(6 * MIB).bytes[..MIB]).await.status, 204);

    assert_eq!(server.ask("DELETE", &first, &[VERSION]).await.status, 204);

    assert_eq!(server.has_of(&first).await, None);
    assert_eq!(server.ask("DELETE", &first, &[VERSION]).await.status, 404);
    assert_eq!(server.takes_piece(&first, MIB, b"x").await.status, 404);
    assert_eq!(server.begins_pieces(beam, &png(6 * MIB)).await.status, 201);
    assert_eq!(server.staged(), 1);
}

#[tokio::test]
async fn h47_an_upload_that_nobody_goes_on_with_ends_after_a_day_and_leaves_nothing() {
    let server = TestServer::start().await;
    let beam = kept_beam(&server).await;
    let path = server.begun(beam, &png(1000)).await;
    assert_eq!(server.takes_piece(&path, 0, &png(1000).bytes[..99]).await.status, 204);
    server.time_passes(Duration::from_hours(23)).await;
    sweeper::sweep(&server.app).await;
    assert_eq!(server.has_of(&path).await, Some(99));
    server.time_passes(2 * HOUR).await;
    assert_eq!(server.has_of(&path).await, None, "before the sweeper comes");
    sweeper::sweep(&server.app).await;
    assert_eq!(server.staged(), 0);
    assert_eq!(server.kept_files(), 0);
    assert_eq!(server.app.storage.bury_old_uploads(Millis::MAX).await.unwrap(), 0);
}

#[tokio::test]
async fn r1_an_upload_goes_on_after_a_restart_and_after_the_store_failed() {
    let bucket = Bucket::start().await;
    let in_bucket = bucket_flags(&bucket);
    for flags in [&[][..], &in_bucket] {
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let server = TestServer::on(tempfile::tempdir().unwrap(), &flags).await;
        let file = png(LARGE);
        let path = server.begun(kept_beam(&server).await, &file).await;
        assert_eq!(server.takes_piece(&path, 0, &file.bytes[..5 * MIB]).await.status, 204);

        let server = TestServer::on(server.ends().await, &flags).await;

        assert_eq!(server.has_of(&path).await, Some(5 * MIB));
        assert_eq!(server.takes_piece(&path, 5 * MIB, &file.bytes[5 * MIB..]).await.status, 204);
        let stored = server.stored(&path).await;
        assert!(server.reads(&stored).await == file.bytes);
    }
}

/// Does this on a server that is killed then: all its tasks stop where they are.
async fn killed_during<T: Send + 'static>(
    work: impl AsyncFnOnce(&TestServer) -> T + Send + 'static,
    folder: TempDir,
    flags: &[String],
) -> (T, TempDir) {
    let flags = flags.to_vec();
    let killed = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let flags: Vec<_> = flags.iter().map(String::as_str).collect();
            let server = TestServer::on(folder, &flags).await;
            let done = work(&server).await;
            (done, server.folder)
        })
    });
    killed.await.unwrap()
}

#[tokio::test]
async fn r6_an_upload_whose_server_is_killed_in_the_middle_of_a_piece_or_of_storing_goes_on() {
    let bucket = Bucket::start().await;
    let in_bucket = bucket_flags(&bucket);
    for flags in [&[][..], &in_bucket] {
        let file = png(LARGE);
        let bytes = file.bytes.clone();
        let in_a_piece = async move |server: &TestServer| {
            let path = server.begun(kept_beam(server).await, &png(LARGE)).await;
            assert_eq!(server.takes_piece(&path, 0, &bytes[..3 * MIB]).await.status, 204);
            let mut stream =
                begins_piece(server, &path, 3 * MIB, LARGE - 3 * MIB, &bytes[3 * MIB..9 * MIB])
                    .await;
            assert_eq!(server.takes_piece(&path, 0, b"x").await.status, 423);
            let _ = tokio::time::timeout(Duration::from_millis(50), stream.read_u8()).await;
            path
        };
        let (path, folder) = killed_during(in_a_piece, tempfile::tempdir().unwrap(), flags).await;
        let (going_on, bytes) = (path.clone(), file.bytes.clone());
        let in_storing = async move |server: &TestServer| {
            let here = server.has_of(&going_on).await.unwrap();
            assert!((3 * MIB..=9 * MIB).contains(&here), "{here}");
            // The last byte is acknowledged, and the file is perhaps not stored yet.
            assert_eq!(server.takes_piece(&going_on, here, &bytes[here..]).await.status, 204);
        };
        let ((), folder) = killed_during(in_storing, folder, flags).await;
        bucket.is_left().await;

        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let server = TestServer::on(folder, &flags).await;
        let stored = server.stored(&path).await;
        assert!(server.reads(&stored).await == file.bytes);

        server.time_passes(3 * DAY).await;
        sweeper::sweep(&server.app).await;
        assert_eq!(server.staged(), 0);
        assert_eq!(server.kept_files() + bucket.files().len(), 0);
    }
}
