//! H40 to H42: uploads.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use heliograph_signal::limits::Limits;
use heliograph_signal::start::sweeper;
use heliograph_storage::blobs::{BlobId, BlobKey};
use heliograph_storage::uploads::NewUpload;
use serde_json::{Value, json};

use super::bucket::{Bucket, files_in};
use super::device::unknown_beam;
use super::file::{File, HOUR, LARGE, MIB, bucket_flags, png, servers, url};
use super::person::Header;
use super::server::TestServer;

#[tokio::test]
async fn h40_a_file_is_kept_and_read_byte_for_byte() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        for size in [30, 5 * MIB, LARGE] {
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
async fn s5_a_guest_without_a_beam_or_with_an_invented_one_has_the_quota_of_an_address() {
    let flags = ["--guest-address-total", "5000", "--all-guests-total", "8000"];
    let server = TestServer::with(&flags).await;
    let sends = async |from: &str, beam: Option<String>, size| {
        let path =
            beam.map_or("/api/upload/".to_owned(), |id| format!("/api/upload/?beam_id={id}"));
        let (body, kind) = png(size).form();
        server.send("POST", &path, &[kind, ("x-forwarded-for", from)], &body).await.status
    };
    let invented = || Some(unknown_beam().to_string());
    assert_eq!(sends("192.0.2.1", None, 3000).await, 201);
    assert_eq!(sends("192.0.2.1", None, 2001).await, 507);
    assert_eq!(sends("192.0.2.1", invented(), 2001).await, 507);
    assert_eq!(sends("192.0.2.1", invented(), 2000).await, 201);
    assert_eq!(sends("192.0.2.2", invented(), 3001).await, 507);
    assert_eq!(sends("192.0.2.2", invented(), 3000).await, 201);
    assert_eq!(sends("192.0.2.3", None, 30).await, 507);
    let mut ada = server.registered("ada").await;
    assert_eq!(ada.uploads("/api/upload/", &png(9000)).await.status, 201);
}

#[tokio::test]
async fn s5_an_invented_or_ended_beam_counts_as_an_unknown_join() {
    let server = TestServer::start().await;
    let ended = unknown_beam();
    let now = server.app.clock.now();
    server
        .app
        .storage
        .record_shared_beam(ended, now - Duration::from_millis(1), now)
        .await
        .unwrap();
    let known = server.create_beam().await.beam_id;
    let sends = async |beam: BeamId| {
        let (body, kind) = png(99).form();
        let path = format!("/api/upload/?beam_id={beam}");
        let from = ("x-forwarded-for", "192.0.2.1");
        server.send("POST", &path, &[kind, from], &body).await.status
    };
    assert_eq!((sends(unknown_beam()).await, sends(ended).await), (201, 404));

    server.has_none_left("192.0.2.1", Limits::guess);

    assert_eq!((sends(unknown_beam()).await, sends(ended).await), (429, 429));
    assert_eq!(sends(known).await, 201);
}

#[tokio::test]
async fn s5_a_bucket_holds_no_more_than_the_operator_said() {
    let bucket = Bucket::start().await;
    let flags =
        [bucket_flags(&bucket), vec!["--uploads-total".to_owned(), "9000".to_owned()]].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let server = TestServer::with(&flags).await;
    let mut ada = server.registered("ada").await;
    assert_eq!(ada.uploads("/api/upload/", &png(5000)).await.status, 201);
    assert_eq!(server.has_room_for("/api/upload/", 4001).await, 507);
    assert_eq!(server.has_room_for("/api/upload/", 4000).await, 201);
    assert_eq!(ada.uploads("/api/upload/", &png(30)).await.status, 507);
}

#[tokio::test]
async fn s15_a_file_that_cannot_be_removed_keeps_none_of_the_others() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let urls = [
        url(&ada.uploads("/api/upload/", &png(99)).await),
        url(&ada.uploads("/api/upload/", &png(99)).await),
    ];
    let mut stuck = files_in(&server.folder.path().join("blobs")).into_iter();
    let stuck = stuck.find(|file| urls[0].ends_with(file.file_name().unwrap().to_str().unwrap()));
    let stuck = stuck.unwrap();
    // A folder in the file's place, which cannot be deleted as a file.
    std::fs::remove_file(&stuck).unwrap();
    std::fs::create_dir_all(stuck.join("in the way")).unwrap();
    let dead = async || server.app.storage.dead_blobs(Millis::MAX, 9).await.unwrap();

    for url in &urls {
        assert_eq!(ada.sends("DELETE", url, &[], b"").await.status, 200);
        sweeper::sweep(&server.app).await;
    }

    assert_eq!(server.kept_files(), 0);
    assert_eq!(dead().await.len(), 1);
    std::fs::remove_dir_all(&stuck).unwrap();
    server.time_passes(HOUR).await;
    sweeper::sweep(&server.app).await;
    assert_eq!(dead().await, []);
}

#[tokio::test]
async fn s15_parts_that_may_not_be_removed_are_tried_again() {
    let bucket = Bucket::start().await;
    let [_, server] = servers(&bucket).await;
    let before = bucket.files().len();
    let (id, storage) = (BlobId::from_random([7; 16]), &server.app.storage);
    let mut writer = server.app.blobs.write(BlobKey::Upload(id)).await.unwrap();
    // Enough parts that the first has arrived in the bucket.
    writer.push(png(16 * MIB).bytes.into()).await.unwrap();
    let new = NewUpload {
        id,
        account: None,
        beam: None,
        sender: None,
        address: None,
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        created_at: server.app.clock.now(),
        expires_at: None,
        for_item: false,
    };
    storage.start_upload(&new).await.unwrap();
    storage.note_upload_parts(id, writer.parts().unwrap()).await.unwrap();
    drop(writer);
    bucket.is_left().await;
    bucket.refuses_aborts(true);
    server.time_passes(HOUR).await;

    sweeper::sweep(&server.app).await;

    assert!(bucket.files().len() > before);
    let dead = storage.dead_blobs(Millis::MAX, 9).await.unwrap();
    // The server's own sweeper may have tried it too.
    assert!(matches!(&dead[..], [blob] if blob.tries > 0), "{dead:?}");
    bucket.refuses_aborts(false);
    server.time_passes(HOUR).await;
    sweeper::sweep(&server.app).await;
    assert_eq!(bucket.files().len(), before);
    assert_eq!(storage.dead_blobs(Millis::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn a_guests_file_ends_with_its_beam_and_after_a_day_at_most() {
    let server = TestServer::start().await;
    let beam = server.create_beam().await;
    server.time_passes(HOUR).await;
    let bound = format!("/api/upload/?beam_id={}", beam.beam_id);
    let (of_beam, of_nobody) =
        (server.takes_at(&bound, &png(99)).await, server.takes(&png(99)).await);
    assert_eq!(of_beam.json()["expires_at"], beam.expires_at.get());
    let ends = of_nobody.json()["expires_at"].as_i64().unwrap();
    assert!((ends - (server.app.clock.now() + HOUR * 24).get()).abs() < 60_000);

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
