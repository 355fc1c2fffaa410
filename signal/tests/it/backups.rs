//! Backups: made beside a server at work, restored whole or not at all.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::bucket::{BUCKET, Bucket};
use super::device::TestDevice;
use super::file::{png, url};
use super::operating::heliograph;
use super::server::TestServer;

/// A folder for an archive, and its path.
fn archive() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup.tar").to_str().unwrap().to_owned();
    (folder, path)
}

async fn shares(device: &mut TestDevice, text: &str) {
    device.shares(text).await;
    while device.sees_item().await != json!(text) {}
}

fn texts(notes: &Value) -> BTreeSet<String> {
    let notes = notes.as_array().unwrap().iter();
    notes.map(|note| note["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_before_a_backup_is_there_after_it_is_restored() {
    let server = TestServer::start().await;
    fs::create_dir_all(server.folder.path().join("tls/acme")).unwrap();
    fs::write(server.folder.path().join("tls/acme/account.json"), b"an account").unwrap();
    let mut ada = server.registered("ada").await;
    let picture = png(50_000);
    let file = url(&ada.uploads("/api/upload/", &picture).await);
    let beam = server.create_beam().await;
    let cookies = ada.cookies_for("/ws");
    let mut device = server.connect_as(beam.beam_id, &[("cookie", &*cookies)]).await.unwrap();
    device.says(&json!({"type": "auth", "message": beam.beam_key})).await;
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
    device.sees("beam_saved").await;
    let mut acknowledged = BTreeSet::new();
    for number in 0..50 {
        let text = format!("before {number}");
        shares(&mut device, &text).await;
        acknowledged.insert(text);
    }
    let (_folder, path) = archive();

    let arguments = ["backup", &*path];
    let making = heliograph(server.folder.path(), &arguments, "");
    let writing = async {
        for number in 0_u32.. {
            shares(&mut device, &format!("during {number}")).await;
            let more = png(1_000 + usize::try_from(number).unwrap() % 100);
            assert_eq!(server.takes(&more).await.status, 201);
        }
    };
    let said = tokio::select! {
        said = making => said,
        () = writing => unreachable!("it writes until the backup is made"),
    };

    assert!(said.done, "{said:?}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let beside = fs::read_dir(Path::new(&path).parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "nothing else is left");
    let said = heliograph(server.folder.path(), &["backup", &path], "").await;
    assert!(!said.done && said.error.contains("is there already"), "{said:?}");
    let said = heliograph(server.folder.path(), &["restore", &path], "").await;
    assert!(!said.done && said.error.contains("is not empty"), "{said:?}");

    let folder = tempfile::tempdir().unwrap();
    let said = heliograph(folder.path(), &["restore", &path], "").await;
    assert!(said.done, "{said:?}");
    let account = fs::read(folder.path().join("tls/acme/account.json")).unwrap();
    assert_eq!(account, b"an account");
    let data = fs::metadata(folder.path().join("heliograph.db")).unwrap();
    assert_eq!(data.mode() & 0o777, 0o600);
    assert!(!folder.path().join("restoring").exists());
    let restored = TestServer::on(folder, &[]).await;
    restored.app.storage.check_integrity().await.unwrap();
    let mut again = restored.person("ada");
    assert_eq!(again.logs_in().await.status, 200);
    let notes = format!("/api/notes/beam_notes/?beam_id={}", beam.beam_id);
    let notes = texts(&again.gets(&notes).await.json());
    assert!(notes.is_superset(&acknowledged), "{notes:?}");
    let read = restored.get(&file).await;
    assert!(read.status == 200 && read.body == picture.bytes);
    // A login of before goes on.
    let cookies = ada.cookies_for("/api/auth/me");
    let me = restored.ask("GET", "/api/auth/me", &[("cookie", &*cookies)]).await;
    assert_eq!(me.json()["user"]["username"], "ada");
}

#[tokio::test]
async fn an_archive_that_is_cut_or_altered_anywhere_is_refused_whole() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    ada.uploads("/api/upload/", &png(5_000)).await;
    let folder = server.ends().await;
    let (_folder, path) = archive();
    let said = heliograph(folder.path(), &["backup", &path], "").await;
    assert!(said.done, "and without a server it is made too: {said:?}");
    let good = fs::read(&path).unwrap();
    let place = |what: &[u8]| {
        let found = good.windows(what.len()).position(|window| window == what);
        found.unwrap_or_else(|| panic!("{} is in the archive", String::from_utf8_lossy(what)))
    };
    let (database, file, sums) = (place(b"SQLite format"), place(b"blobs/"), place(b"SHA256SUMS"));
    let restores = async |bytes: &[u8], what: &str| {
        let (_folder, path) = archive();
        fs::write(&path, bytes).unwrap();
        let data = tempfile::tempdir().unwrap();
        let data = data.path().join("data");
        let said = heliograph(&data, &["restore", &path], "").await;
        assert!(!said.done && said.error.contains("nothing was restored"), "{what}: {said:?}");
        assert!(!data.exists(), "{what}");
    };
    for length in [0, 1, 511, 512, database + 100, file, file + 700, sums, sums + 600] {
        restores(&good[..length], &format!("cut to {length}")).await;
    }
    restores(&good[..good.len() - 512], "cut at the end").await;
    restores(&good[..good.len() - 1024], "without an end").await;
    restores(&[&good[..], &[0; 512]].concat(), "longer").await;
    for at in [0, 520, database + 5_000, file, file + 1_000, sums + 512, sums + 530] {
        let mut altered = good.clone();
        altered[at] ^= 1;
        restores(&altered, &format!("altered at {at}")).await;
    }
    restores(b"not an archive at all", "something else").await;
    let newer = place(b"\"format\": 1");
    let mut newer_archive = good.clone();
    newer_archive[newer + 10] = b'2';
    restores(&newer_archive, "newer").await;
}

#[tokio::test]
async fn a_backup_says_what_it_is_not_for() {
    let nowhere = tempfile::tempdir().unwrap();
    let (_folder, path) = archive();
    let said = heliograph(nowhere.path(), &["backup", &path], "").await;
    assert!(!said.done && said.error.contains("no database"), "{said:?}");
    for command in ["backup", "restore"] {
        let flags = [command, &path, "--database", "postgres://ada:hush@db/beams"];
        let said = heliograph(nowhere.path(), &flags, "").await;
        assert!(!said.done && said.error.contains("pg_dump"), "{said:?}");
    }
    assert!(!Path::new(&path).exists());
    assert_eq!(fs::read_dir(nowhere.path()).unwrap().count(), 0);
}

/// The archive with another database, and with sums that are right.
fn with_another_database(good: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut sums = String::new();
    for entry in tar::Archive::new(good).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        match &*name {
            "heliograph.db" => bytes = b"no database at all".to_vec(),
            "SHA256SUMS" => bytes = sums.clone().into_bytes(),
            _ => {}
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, &name, &bytes[..]).unwrap();
        let sum = Sha256::digest(&bytes);
        for byte in sum {
            write!(sums, "{byte:02x}").unwrap();
        }
        writeln!(sums, "  {name}").unwrap();
    }
    archive.into_inner().unwrap()
}

#[tokio::test]
async fn a_restore_that_fails_late_leaves_nothing_and_the_next_one_works() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let file = url(&ada.uploads("/api/upload/", &png(5_000)).await);
    let (_folder, path) = archive();
    let said = heliograph(server.folder.path(), &["backup", &path], "").await;
    assert!(said.done, "{said:?}");
    let (_other_folder, wrong) = archive();
    fs::write(&wrong, with_another_database(&fs::read(&path).unwrap())).unwrap();
    let folder = tempfile::tempdir().unwrap();

    let said = heliograph(folder.path(), &["restore", &wrong], "").await;

    assert!(!said.done && said.error.contains("database"), "{said:?}");
    let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["heliograph.lock"]);
    let said = heliograph(folder.path(), &["restore", &path], "").await;
    assert!(said.done, "{said:?}");
    let restored = TestServer::on(folder, &[]).await;
    assert_eq!(restored.get(&file).await.status, 200);
}

#[tokio::test]
async fn two_backups_with_one_name_do_not_disturb_each_other() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    for _ in 0..20 {
        ada.uploads("/api/upload/", &png(200_000)).await;
    }
    let data = server.folder.path();
    let (_folder, path) = archive();
    let arguments = ["backup", &*path];
    let (one, two) =
        tokio::join!(heliograph(data, &arguments, ""), heliograph(data, &arguments, ""));
    let (refused, made) = if one.done { (two, one) } else { (one, two) };
    assert!(made.done && !refused.done, "{made:?} {refused:?}");
    let words = ["is being made", "is there already"];
    assert!(words.iter().any(|why| refused.error.contains(why)), "{refused:?}");
    let beside = fs::read_dir(Path::new(&path).parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "nothing else is left");
    let restored = tempfile::tempdir().unwrap();
    let said = heliograph(restored.path(), &["restore", &path], "").await;
    assert!(said.done && said.text.contains("20 files"), "{said:?}");
}

#[tokio::test]
async fn a_backup_that_is_being_made_is_left_alone_and_a_leftover_is_begun_anew() {
    let server = TestServer::start().await;
    let (_folder, path) = archive();
    let unfinished = format!("{path}.unfinished");
    fs::write(&unfinished, b"of another").unwrap();
    let at_work = fs::File::open(&unfinished).unwrap();
    at_work.try_lock().unwrap();
    let said = heliograph(server.folder.path(), &["backup", &path], "").await;
    assert!(!said.done && said.error.contains("is being made"), "{said:?}");
    assert_eq!(fs::read(&unfinished).unwrap(), b"of another");

    // As when it was killed.
    drop(at_work);
    fs::write(format!("{path}.database"), b"of another").unwrap();
    let said = heliograph(server.folder.path(), &["backup", &path], "").await;
    assert!(said.done, "{said:?}");
    let beside = fs::read_dir(Path::new(&path).parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "nothing else is left");
}

#[tokio::test]
async fn a_restore_that_fails_leaves_what_its_bucket_had() {
    let bucket = Bucket::start().await;
    let blobs = bucket.url(BUCKET);
    let secret = ["--s3-access-key-id", "test", "--s3-secret-access-key", Bucket::SECRET];
    let store = [&["--blobs", &*blobs][..], &secret].concat();
    let server = TestServer::with(&store).await;
    let mut ada = server.registered("ada").await;
    let picture = png(5_000);
    let file = url(&ada.uploads("/api/upload/", &picture).await);
    let (_folder, path) = archive();
    let flags = [&["backup", &*path][..], &store].concat();
    let said = heliograph(server.folder.path(), &flags, "").await;
    assert!(said.done, "{said:?}");
    let (_other_folder, wrong) = archive();
    fs::write(&wrong, with_another_database(&fs::read(&path).unwrap())).unwrap();
    let folder = tempfile::tempdir().unwrap();

    let flags = [&["restore", &*wrong][..], &store].concat();
    let said = heliograph(folder.path(), &flags, "").await;

    assert!(!said.done && said.error.contains("database"), "{said:?}");
    let read = server.get(&file).await;
    assert!(read.status == 200 && read.body == picture.bytes);
}
