//! R1, R4, R5: uploads that break off, of which nothing must be left.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use futures_util::stream::try_unfold;
use futures_util::{FutureExt as _, StreamExt as _};
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::time::Millis;
use heliograph_signal::app::App;
use heliograph_signal::budget::Kind;
use heliograph_signal::error::Error;
use heliograph_signal::files::uploads::{Receiving, SentFile, Uploader};
use heliograph_signal::multipart::Multipart;
use heliograph_signal::start::sweeper;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::bucket::{BUCKET, Bucket, files_in};
use super::file::{File, HOUR, LARGE, MIB, png, servers, url};
use super::server::{TestServer, until};
use super::small_disk::SmallDisk;

/// Sends the head and this many bytes of an upload, and then nothing.
pub async fn begins(server: &TestServer, file: &File, sent: usize) -> TcpStream {
    let (head, end) = file.around();
    let length = head.len() + file.bytes.len() + end.len();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!(
        "POST /api/upload/ HTTP/1.1\r\nhost: {}\r\ncontent-length: {length}\r\n\
         content-type: multipart/form-data; boundary=x\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.write_all(&head).await.unwrap();
    stream.write_all(&file.bytes[..sent]).await.unwrap();
    stream
}

/// How long the server listens to a client that it has refused.
const LINGERS: Duration = Duration::from_secs(2);

/// Sends a whole upload, whatever is said meanwhile, and returns the answer.
async fn sends_all(server: &TestServer, file: &File) -> std::io::Result<String> {
    let mut stream = begins(server, file, 0).await;
    stream.write_all(&file.bytes).await?;
    stream.write_all(&file.around().1).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test]
async fn r1_a_sender_who_leaves_in_the_middle_leaves_nothing() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        let stream = begins(&server, &png(LARGE), LARGE - 1).await;
        let at_work = async || server.kept_files() + bucket.files().len() > 0;
        until(at_work).await;

        drop(stream);

        until(async || !at_work().await).await;
        // The row is given up after the blob, and the permit after that.
        until(async || server.app.budget.taken(Kind::Uploads) == 0).await;
        server.time_passes(HOUR).await;
        sweeper::sweep(&server.app).await;
        assert!(server.app.storage.dead_blobs(Millis::MAX, 9).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn h40_a_refusal_at_the_first_bytes_arrives_although_the_file_is_still_being_sent() {
    let server = TestServer::start().await;
    let no_picture = File { bytes: vec![b'?'; 8 * MIB], ..png(0) };
    let (mut refused, mut cut_off) = (0, 0);
    while refused < 10 {
        let start = Instant::now();
        match sends_all(&server, &no_picture).await {
            Ok(answer) => {
                assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
                refused += 1;
            }
            // The sender is cut off as it should be when this machine stands still for so long.
            Err(error) => {
                cut_off += 1;
                assert!(start.elapsed() >= LINGERS && cut_off < 10, "{error}");
            }
        }
    }
}

/// A form of these pieces, with a pause before each. The test does not really wait for the pauses.
fn slow_form(server: &TestServer, pieces: Vec<Vec<u8>>, pause: Duration) -> Multipart {
    slow_form_while(server, pieces, pause, None)
}

/// Like [`slow_form`]; the sweeper of this server sweeps after each pause.
fn slow_form_while(
    server: &TestServer,
    pieces: Vec<Vec<u8>>,
    pause: Duration,
    swept: Option<Arc<App>>,
) -> Multipart {
    let pieces = futures_util::stream::iter(pieces).then(move |piece| {
        let swept = swept.clone();
        async move {
            tokio::time::pause();
            // The clock advances at the first poll. Nothing else may run while it is paused.
            let _ = tokio::time::advance(pause).now_or_never();
            tokio::time::resume();
            tokio::task::yield_now().await;
            if let Some(app) = &swept {
                sweeper::sweep(app).await;
            }
            Ok::<_, std::io::Error>(piece)
        }
    });
    let (_, (name, value)) = png(1).form();
    let body = Body::from_stream(pieces);
    let request = Request::builder().header(name, value).body(body).unwrap();
    Multipart::of(request, &server.app.budget).unwrap()
}

/// Stores the file of a form. The form is read only while nothing else is done, so that a test may advance the clock.
async fn receive_step_by_step(
    app: &App,
    receiving: Receiving,
    mut form: Multipart,
) -> Result<UploadedFile, Error> {
    let headers = form.next_part().await?.unwrap();
    let most = form.most();
    let content = try_unfold(form, async |mut form| {
        let piece = form.content().await?;
        Ok(piece.map(|piece| (piece, form)))
    });
    let content = content.fuse().boxed();
    app.uploads.receive(receiving, SentFile { headers, most, content }).await
}

/// The result of an upload whose bytes come in pieces of this size, with a pause before each.
async fn slowly(server: &TestServer, piece: usize, pause: Duration) -> Result<u64, String> {
    let body = png(100_000).form().0;
    let form = slow_form(server, body.chunks(piece).map(<[u8]>::to_vec).collect(), pause);
    let place = server.app.uploads.enter(None).unwrap();
    let receiving = Receiving { uploader: Uploader::Guest(None), beam: None, place };
    let received = receive_step_by_step(&server.app, receiving, form).await;
    received.map(|file| file.size).map_err(|error| error.to_string())
}

#[tokio::test]
async fn s13_an_upload_may_take_its_time_but_a_byte_now_and_then_is_not_enough() {
    let server = TestServer::start().await;
    // Four pieces have to come within 30 seconds. What is left of them is for a machine that stands still.
    assert_eq!(slowly(&server, 8_000, Duration::from_secs(4)).await, Ok(100_000));
    let silent = Err("the sender has fallen silent".to_owned());
    for (piece, pause) in [(1, 29), (1_000, 1), (20_000, 31)] {
        assert_eq!(slowly(&server, piece, Duration::from_secs(pause)).await, silent, "{piece}");
    }
    assert_eq!(server.kept_files(), 1);
    assert_eq!(server.app.budget.taken_in_all(), 0);
}

#[tokio::test]
async fn s13_an_upload_that_flows_for_hours_is_not_taken_for_an_abandoned_one() {
    let server = TestServer::start().await;
    let body = png(7 * MIB).form().0;
    let pieces = body.chunks(32 * 1024).map(<[u8]>::to_vec).collect();
    // Each piece has to come within 30 seconds. What is left of them is for the sweeper, and for a machine that stands still.
    let pause = Duration::from_secs(18);
    let form = slow_form_while(&server, pieces, pause, Some(server.app.clone()));
    let place = server.app.uploads.enter(None).unwrap();
    let receiving = Receiving { uploader: Uploader::Guest(None), beam: None, place };
    let file = receive_step_by_step(&server.app, receiving, form).await.unwrap();
    assert_eq!(file.size, 7 * MIB as u64);
}

#[tokio::test]
async fn r4_a_full_disk_is_a_507_everything_else_goes_on_and_it_recovers_by_itself() {
    let disk = SmallDisk::mount();
    let folder = disk.folder();
    let blobs = folder.to_str().unwrap();
    let server = TestServer::with(&["--blobs", blobs, "--disk-share", "100"]).await;
    let mut ada = server.registered("ada").await;
    let first = ada.uploads("/api/upload/", &png(30 * MIB)).await;

    for _ in 0..2 {
        let answer = ada.uploads("/api/upload/", &png(40 * MIB)).await;
        assert_eq!((answer.status, &answer.json()["code"]), (507, &json!("no_room")));
        // The written bytes are gone.
        assert_eq!(files_in(&folder).len(), 1);
    }

    server.is_well().await;
    server.create_beam().await;
    assert_eq!(ada.sends("DELETE", &url(&first), &[], b"").await.status, 200);
    sweeper::sweep(&server.app).await;
    assert_eq!(ada.uploads("/api/upload/", &png(40 * MIB)).await.status, 201);
}

#[tokio::test]
async fn h3_a_server_that_cannot_write_is_not_healthy() {
    let disk = SmallDisk::mount();
    let folder = tempfile::tempdir_in(disk.folder().parent().unwrap()).unwrap();
    let rest = folder.path().join("rest");
    let server = TestServer::on(folder, &[]).await;
    let health = async || {
        server.time_passes(Duration::from_secs(5)).await;
        server.get("/healthz").await
    };
    until(async || server.get("/healthz").await.json() == json!({"status": "ok"})).await;

    fs::write(&rest, vec![7; 64 * MIB]).unwrap_err();

    // The database still has a little room of its own.
    until(async || server.post("/api/beams/create/").await.status == 507).await;
    for _ in 0..50 {
        health().await;
    }
    let answer = health().await;
    assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("unavailable")));
    fs::remove_file(rest).unwrap();
    server.time_passes(Duration::from_secs(5)).await;
    server.is_well().await;
}

#[tokio::test]
async fn a_disk_is_never_filled_above_its_share() {
    // How full this machine's disk is must not matter, so the server's data has a disk of its own.
    let (data, disk) = (SmallDisk::mount(), SmallDisk::mount());
    let folder = disk.folder();
    let blobs = folder.to_str().unwrap();
    let server = TestServer::on(data.data(), &["--blobs", blobs, "--disk-share", "80"]).await;
    // 80 % of 64 MiB are 51.2 MiB. Up to 3 MiB are not on the disk yet when the server asks.
    for (size, status) in [(25 * MIB, 201), (30 * MIB, 507), (25 * MIB, 201), (5 * MIB, 507)] {
        assert_eq!(server.has_room_for("/api/upload/", size).await, status, "{size}");
    }
    assert_eq!(files_in(&folder).len(), 2);
}

#[tokio::test]
async fn r5_without_its_bucket_the_server_answers_502_within_fifteen_seconds() {
    let bucket = Bucket::start().await;
    let [_, server] = servers(&bucket).await;
    let url = url(&server.takes(&png(99)).await);
    bucket.dies();

    let within = |answer| tokio::time::timeout(Duration::from_secs(15), answer);
    let file = png(LARGE);
    let (upload, download) = tokio::join!(within(Box::pin(server.takes(&file))), server.get(&url));

    let upload = upload.expect("in time");
    assert_eq!((upload.status, &upload.json()["code"]), (502, &json!("bad_gateway")));
    assert_eq!(download.status, 502);
    server.is_well().await;
    server.create_beam().await;
}

#[tokio::test]
async fn wrong_credentials_and_a_missing_bucket_stop_uploads_only() {
    let bucket = Bucket::start().await;
    for (name, secret) in [(BUCKET, "guessed"), ("elsewhere", Bucket::SECRET)] {
        let blobs = bucket.url(name);
        let credentials = ["--s3-access-key-id", "test", "--s3-secret-access-key", secret];
        let server = TestServer::with(&[&["--blobs", &blobs][..], &credentials].concat()).await;
        assert_eq!(server.takes(&png(99)).await.status, 502);
        server.create_beam().await;
    }
}

#[tokio::test]
async fn h40_files_that_fit_together_are_all_taken_when_they_come_at_once() {
    let file = png(2 * MIB);
    let (head, end) = file.around();
    let total = 8 * (head.len() + file.bytes.len() + end.len());
    let server = TestServer::with(&["--all-guests-total", &total.to_string()]).await;
    let mut senders = Vec::new();
    for _ in 0..8 {
        senders.push(begins(&server, &file, MIB).await);
    }
    until(async || server.kept_files() == senders.len()).await;

    for mut sender in senders {
        sender.write_all(&file.bytes[MIB..]).await.unwrap();
        sender.write_all(&end).await.unwrap();
        let mut status = [0; 12];
        sender.read_exact(&mut status).await.unwrap();
        assert_eq!(status, *b"HTTP/1.1 201");
    }
}

#[tokio::test]
async fn h40_who_sends_next_to_nothing_holds_little_room_whatever_was_declared() {
    let server = TestServer::with(&["--all-guests-total", "8MiB"]).await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(begins(&server, &png(6 * MIB), 128 * 1024).await);
    }
    until(async || server.kept_files() == idle.len()).await;

    assert_eq!(server.has_room_for("/api/upload/", 3 * MIB).await, 201);
}
