//! H40 to H42: files that people leave on the server for a while.

use std::time::Duration;

use heliograph_signal::sweeper;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bucket::{BUCKET, Bucket, files_in};
use super::file::{File, png};
use super::person::Header;
use super::postgres::fresh_database;
use super::server::{Answer, TestServer};
use super::small_disk::SmallDisk;

const HOUR: Duration = Duration::from_hours(1);
/// A file of two parts in a bucket, and a bit.
const LARGE: usize = 11 * 1024 * 1024 + 3;

/// A server that keeps files in a folder, and one that keeps them in a bucket and its tables in Postgres.
async fn servers(bucket: &Bucket) -> [TestServer; 2] {
    let (blobs, database) = (bucket.url(BUCKET), fresh_database());
    let flags = [
        &["--blobs", &blobs, "--database", &database][..],
        &["--s3-access-key-id", "test", "--s3-secret-access-key", Bucket::SECRET],
    ];
    [TestServer::start().await, TestServer::with(&flags.concat()).await]
}

impl TestServer {
    /// The blobs that are in the folder, whole or begun.
    fn kept_files(&self) -> usize {
        files_in(&self.folder.path().join("blobs")).len()
    }

    async fn has_room_for(&self, path: &str, size: usize) -> u16 {
        self.takes_at(path, &png(size)).await.status
    }
}

fn url(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn h40_a_file_is_kept_and_read_byte_for_byte() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        for size in [30, 5 * 1024 * 1024, LARGE] {
            let file = png(size).called("holiday.png");

            let answer = server.takes(&file).await;

            let said = answer.json();
            let url = url(&answer);
            assert_eq!(said["id"], url.strip_prefix("/api/uploads/").unwrap());
            let expected = json!(["holiday.png", size, "image/png"]);
            assert_eq!(json!([said["name"], said["size"], said["type"]]), expected);
            let read = server.get(&url).await;
            assert_eq!(read.status, 200);
            assert_eq!(read.header("content-length"), size.to_string());
            assert!(read.body == file.bytes, "{size}");
        }
    }
}

#[tokio::test]
async fn h41_ranges_are_read_byte_for_byte() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        let file = png(LARGE);
        let url = url(&server.takes(&file).await);
        let read = async |headers: &[Header<'_>]| server.ask("GET", &url, headers).await;
        for (range, bytes) in [
            ("bytes=0-0", 0..1),
            ("bytes=5242879-5242880", 5_242_879..5_242_881),
            ("bytes=1000000-7000000", 1_000_000..7_000_001),
            ("bytes=11534000-", 11_534_000..LARGE),
            ("bytes=-7", LARGE - 7..LARGE),
            ("bytes=11534336-99999999999", 11_534_336..LARGE),
        ] {
            let answer = read(&[("range", range)]).await;
            assert_eq!(answer.status, 206, "{range}");
            let said = format!("bytes {}-{}/{LARGE}", bytes.start, bytes.end - 1);
            assert_eq!(answer.header("content-range"), said);
            assert_eq!(answer.header("content-length"), bytes.len().to_string());
            assert!(answer.body == file.bytes[bytes], "{range}");
        }
        let behind = read(&[("range", &format!("bytes={LARGE}-"))]).await;
        assert_eq!(
            (behind.status, behind.header("content-range")),
            (416, &*format!("bytes */{LARGE}"))
        );
        for whole in ["bytes=5-2", "bytes=0-1,4-5", "lines=0-1"] {
            assert_eq!(read(&[("range", whole)]).await.status, 200, "{whole}");
        }
        let tag = read(&[]).await.header("etag").to_owned();
        let part = |tag| [("range", "bytes=0-0"), ("if-range", tag)];
        assert_eq!(read(&part(&tag)).await.status, 206);
        assert_eq!(read(&part("\"other\"")).await.status, 200);
        let known = read(&[("if-none-match", &tag)]).await;
        assert_eq!((known.status, known.body.len()), (304, 0));
        let head = server.ask("HEAD", &url, &[("range", "bytes=0-0")]).await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("content-length"), LARGE.to_string());
        assert_eq!(head.header("accept-ranges"), "bytes");
    }
}

#[tokio::test]
async fn h41_a_file_is_an_attachment_in_a_sandbox() {
    let server = TestServer::start().await;
    let url = url(&server.takes(&png(99).called("Ünï\"; x=.png")).await);
    for path in [url.clone(), format!("{url}/")] {
        let answer = server.get(&path).await;
        for (name, value) in [
            ("content-security-policy", "sandbox; default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "private, no-cache"),
            ("content-type", "image/png"),
        ] {
            assert_eq!(answer.header(name), value);
        }
        let disposition = answer.header("content-disposition");
        assert!(disposition.starts_with("attachment; filename=\""), "{disposition}");
        assert!(disposition.contains("filename*=UTF-8''%C3%9Cn%C3%AF"), "{disposition}");
    }
    for unknown in ["0".repeat(32), "F".repeat(32), "..%2f..%2fheliograph.db".to_owned()] {
        assert_eq!(server.get(&format!("/api/uploads/{unknown}")).await.status, 404);
    }
}

#[tokio::test]
async fn h40_only_media_are_taken_by_type_and_by_bytes() {
    let server = TestServer::start().await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let page = b"<!doctype html><script>alert(1)</script>";
    let polyglot = b"GIF89a/*<html><script>alert(1)</script>*/=1;";
    for file in [
        File::of("image/svg+xml", svg),
        File::of("image/png", svg),
        File::of("text/html", page),
        File::of("image/jpeg", page),
        File::of("image/gif", polyglot),
        File::of("text/html", &png(99).bytes),
        File::of("image/svg+xml", &png(99).bytes),
        File::of("video/mp4", &png(99).bytes),
        File::of("application/pdf", b"%PDF-1.7"),
        File::of("image/png", b""),
    ] {
        let answer = server.takes(&file).await;
        let sentence = json!({"file": ["Only images, audio and video can be uploaded."]});
        assert_eq!((answer.status, answer.json()), (400, sentence), "{}", file.kind);
    }
    let (_, kind) = png(1).form();
    let other = b"--x\r\ncontent-disposition: form-data; name=\"other\"\r\n\r\n1\r\n--x--\r\n";
    let answer = server.send("POST", "/api/upload/", &[kind], other).await;
    assert_eq!((answer.status, answer.json()), (400, json!({"file": ["Choose a file."]})));
    assert_eq!(server.takes_at("/api/upload/?beam_id=nope", &png(9)).await.status, 400);
    assert_eq!(server.kept_files(), 0);
}

#[tokio::test]
async fn names_are_cleaned() {
    let server = TestServer::start().await;
    let long = format!("{}.png", "a".repeat(4096));
    for (sent, kept) in [
        ("../../etc/passwd.png", "passwd.png"),
        (r"..\\..\\boot.png", "boot.png"),
        ("a\u{200b}b\u{feff}.png", "ab.png"),
        ("photo\u{202e}gnp.exe", "photognp.exe"),
        ("..", "file"),
        (&long, &format!("{}.png", "a".repeat(251))),
    ] {
        let answer = server.takes(&png(99).called(sent)).await;
        assert_eq!(answer.json()["name"], kept, "{sent:?}");
    }
    assert_eq!(server.takes(&png(99).called("a\0b.png")).await.status, 400);
    let folders: Vec<_> = files_in(server.folder.path()).into_iter().collect();
    assert!(folders.iter().all(|path| !path.to_string_lossy().contains("passwd")), "{folders:?}");
}

#[tokio::test]
async fn h40_the_largest_file_is_exact() {
    let server = TestServer::with(&["--guest-file", "100000", "--account-file", "200000"]).await;
    let mut ada = server.registered("ada").await;
    for (size, status) in [(99_999, 201), (100_000, 201), (100_001, 413), (300_000, 413)] {
        assert_eq!(server.has_room_for("/api/upload/", size).await, status, "{size}");
    }
    for (size, status) in [(199_999, 201), (200_000, 201), (200_001, 413)] {
        let answer = ada.uploads("/api/upload/", &png(size)).await;
        assert_eq!(answer.status, status, "{size}");
    }
    assert_eq!(server.kept_files(), 4);
}

#[tokio::test]
async fn h40_the_room_of_a_beam_and_of_an_account_is_exact() {
    let server = TestServer::with(&["--guest-total", "5000", "--account-total", "7000"]).await;
    let (one, other) = (server.create_beam().await, server.create_beam().await);
    let (one, other) =
        [one, other].map(|beam| format!("/api/upload/?beam_id={}", beam.beam_id)).into();
    assert_eq!(server.has_room_for(&one, 3000).await, 201);
    assert_eq!(server.has_room_for(&one, 2001).await, 507);
    assert_eq!(server.has_room_for(&one, 1999).await, 201);
    assert_eq!(server.has_room_for(&one, 2000).await, 507);
    assert_eq!(server.has_room_for(&other, 5000).await, 201);
    let mut ada = server.registered("ada").await;
    let first = ada.uploads(&one, &png(5000)).await;
    for (size, status) in [(2001, 507), (2000, 201), (30, 507)] {
        let answer = ada.uploads("/api/upload/", &png(size)).await;
        assert_eq!(answer.status, status, "{size}");
        if status == 507 {
            assert_eq!(answer.json()["code"], "no_room");
        }
    }
    assert_eq!(ada.sends("DELETE", &url(&first), &[], b"").await.status, 200);
    assert_eq!(ada.uploads("/api/upload/", &png(5000)).await.status, 201);
}

#[tokio::test]
async fn a_guests_file_ends_with_its_beam_and_after_a_day_at_most() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    server.time_passes(HOUR).await;
    let bound = format!("/api/upload/?beam_id={}", beam.beam_id);
    let (of_beam, of_nobody) =
        (server.takes_at(&bound, &png(99)).await, server.takes(&png(99)).await);
    assert_eq!(of_beam.json()["expires_at"], beam.expires_at);
    let day = 24 * 60 * 60 * 1000;
    let ends = of_nobody.json()["expires_at"].as_i64().unwrap();
    assert!((ends - server.app.clock.now() - day).abs() < 60_000);

    server.time_passes(HOUR * 23).await;

    assert_eq!(server.get(&url(&of_beam)).await.status, 404);
    assert_eq!(server.get(&url(&of_nobody)).await.status, 200);
    sweeper::sweep(&server.app).await;
    assert_eq!(server.kept_files(), 1);
    assert_eq!(server.takes_at(&bound, &png(99)).await.status, 404);
    server.time_passes(HOUR).await;
    assert_eq!(server.get(&url(&of_nobody)).await.status, 404);
    sweeper::sweep(&server.app).await;
    assert_eq!(server.kept_files(), 0);
}

#[tokio::test]
async fn h42_a_file_is_deleted_by_whose_it_is() {
    let server = TestServer::start().await;
    let (mut ada, mut bob) = (server.registered("ada").await, server.registered("bob").await);
    let file = ada.uploads("/api/upload/", &png(99)).await;
    assert_eq!(file.json()["expires_at"], Value::Null);
    let url = url(&file);
    assert_eq!(server.ask("DELETE", &url, &[]).await.status, 401);
    assert_eq!(bob.sends("DELETE", &url, &[], b"").await.status, 404);
    assert_eq!(server.get(&url).await.status, 200);

    let answer = ada.sends("DELETE", &url, &[], b"").await;

    assert_eq!((answer.status, answer.json()), (200, json!({"success": true})));
    assert_eq!(server.get(&url).await.status, 404);
    assert_eq!(ada.sends("DELETE", &url, &[], b"").await.status, 404);
    sweeper::sweep(&server.app).await;
    assert_eq!(server.kept_files(), 0);
}

#[tokio::test]
async fn the_end_of_an_account_ends_its_files() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let url = url(&ada.uploads("/api/upload/", &png(99)).await);

    let password = json!({"password": ada.password});
    assert_eq!(ada.asks("DELETE", "/api/auth/delete-account/", &password).await.status, 200);

    assert_eq!(server.get(&url).await.status, 404);
    sweeper::sweep(&server.app).await;
    assert_eq!(server.kept_files(), 0);
}

/// Sends the head and so many bytes of an upload, and nothing more.
async fn begins(server: &TestServer, file: &File, sent: usize) -> TcpStream {
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

/// Waits until something holds; the test's own end is the limit.
async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("in time");
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
        server.time_passes(HOUR).await;
        sweeper::sweep(&server.app).await;
        assert!(server.app.storage.dead_blobs(i64::MAX, 9).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_upload_may_take_its_time_but_not_stop() {
    let server = TestServer::start().await;
    let file = png(200);
    let mut stream = begins(&server, &file, 100).await;
    for byte in &file.bytes[100..104] {
        server.time_passes(Duration::from_secs(29)).await;
        stream.write_all(&[*byte]).await.unwrap();
        // The server has it when it has waited for the next one.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    server.time_passes(Duration::from_secs(31)).await;

    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 408");
}

const MIB: usize = 1024 * 1024;

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
        // What was written of it is gone.
        assert_eq!(files_in(&folder).len(), 1);
    }

    assert_eq!(server.get("/healthz").await.status, 200);
    server.create_beam().await;
    assert_eq!(ada.sends("DELETE", &url(&first), &[], b"").await.status, 200);
    sweeper::sweep(&server.app).await;
    assert_eq!(ada.uploads("/api/upload/", &png(40 * MIB)).await.status, 201);
}

#[tokio::test]
async fn a_disk_is_never_filled_above_its_share() {
    let disk = SmallDisk::mount();
    let folder = disk.folder();
    let server =
        TestServer::with(&["--blobs", folder.to_str().unwrap(), "--disk-share", "80"]).await;
    // 80 % of 64 MiB are 51.2 MiB; up to 3 MiB are not on the disk yet when it is asked.
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
    assert_eq!(server.get("/healthz").await.status, 200);
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
