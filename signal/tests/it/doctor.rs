//! `heliograph doctor` on this machine's set-up: a healthy one, and broken ones, each of which it names.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::{Config, Origin};
use heliograph_signal::doctor::examine;
use heliograph_signal::doctor::report::{Report, State};
use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::bucket::{BUCKET, Bucket};
use super::ports::free_port;
use super::server::TestServer;

/// Credentials of the bucket's user.
const KEY: [&str; 2] = ["--s3-access-key-id", "test"];

/// What the doctor finds with these options of `serve`, or at an address.
pub async fn findings(folder: &Path, flags: &[&str], url: Option<&str>) -> Report {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let data = folder.to_str().unwrap();
    let defaults = [
        ("--data", data),
        ("--listen", "127.0.0.1:0"),
        ("--turn", "off"),
        ("--disk-share", "100"),
        ("--connections", "100"),
    ];
    let mut all = vec!["serve"];
    for (name, value) in defaults {
        if !flags.contains(&name) {
            all.extend([name, value]);
        }
    }
    all.extend(flags);
    let config = Config::parse_from(all);
    let url: Option<Origin> = url.map(|url| url.parse().unwrap());
    let report = examine(&config, url.as_ref(), Clock::System).await;
    println!("{}\n", report.text());
    report
}

/// Fails unless these checks failed and no others, and the first says to do something with this word.
pub fn names(report: &Report, failed: &[&str], word: &str) {
    let checks = report.checks.iter().filter(|check| check.state == State::Failed);
    let found: Vec<_> = checks.clone().map(|check| check.name).collect();
    assert_eq!(found, failed, "{}", report.text());
    for check in checks.take(1) {
        let advice = check.advice.as_deref().unwrap();
        assert!(advice.contains(word), "{word:?} in {advice:?}");
        assert_eq!(advice.trim_end_matches('.').matches(". ").count(), 0, "one sentence: {advice}");
    }
}

/// The state and the words of one check.
pub fn check<'a>(report: &'a Report, name: &str) -> (State, &'a str) {
    let found = report.checks.iter().find(|check| check.name == name);
    let found = found.unwrap_or_else(|| panic!("{name} in {}", report.text()));
    (found.state, &found.seen)
}

/// A port at which nothing listens.
pub fn closed() -> SocketAddr {
    ([127, 0, 0, 1], free_port()).into()
}

/// The options of an embedded TURN server on a free port of this machine.
pub fn turn_on(port: u16) -> Vec<String> {
    let listen = format!("127.0.0.1:{port}");
    ["--turn", "embedded", "--turn-listen", &listen, "--turn-allow-peers", "127.0.0.0/8"]
        .map(str::to_owned)
        .to_vec()
}

/// A certificate for a name, with these years, and its key, as `--tls` takes them.
pub fn certificate(folder: &Path, name: &str, years: (i32, i32)) -> (PathBuf, PathBuf) {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(years.0, 1, 1);
    params.not_after = rcgen::date_time_ymd(years.1, 1, 1);
    let key = KeyPair::generate().unwrap();
    let (certificate, path) = (params.self_signed(&key).unwrap(), folder.join("key.pem"));
    std::fs::write(&path, key.serialize_pem()).unwrap();
    std::fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
    (folder.join("cert.pem"), path)
}

pub fn tls((certificate, key): &(PathBuf, PathBuf)) -> String {
    format!("{},{}", certificate.display(), key.display())
}

/// A server that answers every connection with these bytes once something came.
async fn answers(bytes: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, bytes.clone()));
        }
    });
    address
}

async fn answer(mut stream: TcpStream, bytes: Vec<u8>) {
    if stream.read(&mut [0; 4096]).await.is_ok() {
        let _ = stream.write_all(&bytes).await;
        let _ = stream.shutdown().await;
        while stream.read(&mut [0; 4096]).await.is_ok_and(|count| count > 0) {}
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_set_up_has_no_failures_before_the_first_start_and_while_it_runs() {
    let (data, port) = (folder(), free_port());
    let turn = turn_on(port);
    let turn: Vec<_> = turn.iter().map(String::as_str).collect();
    let before = findings(&data.path().join("new"), &turn, None).await;
    names(&before, &[], "");
    assert!(!data.path().join("new").exists(), "nothing is created");
    assert_eq!(check(&before, "TURN over TCP").0, State::Ok);

    let server = TestServer::on(data, &turn).await;
    let address = server.address.to_string();
    let running =
        findings(server.folder.path(), &[&["--listen", &*address][..], &turn].concat(), None).await;
    names(&running, &[], "");
    for name in ["database", "storage", "port for http", "STUN", "TURN over UDP", "TURN over TCP"] {
        assert_eq!(check(&running, name).0, State::Ok, "{name}");
    }
    assert!(check(&running, "port for http").1.contains("Heliograph itself"));
    assert!(check(&running, "database").1.contains("uses it"));
}

#[tokio::test]
async fn a_database_that_is_away_or_takes_no_password_is_named() {
    let away = format!("postgres://ada:hush@{}/beams?sslmode=disable", closed());
    let report = findings(folder().path(), &["--database", &away], None).await;
    names(&report, &["database"], "Start the database server");
    let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"ada\"\0\0";
    let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
    let refuses = answers([b"E", &length[..], &fields[..]].concat()).await;
    let wrong = format!("postgres://ada:hush@{refuses}/beams?sslmode=disable");
    let report = findings(folder().path(), &["--database", &wrong], None).await;
    names(&report, &["database"], "password");
    assert!(!report.text().contains("hush") && !report.json().contains("hush"));
}

#[tokio::test]
async fn a_data_folder_that_is_read_only_is_named() {
    let disk = ReadOnly::mount();
    let report = findings(disk.0.path(), &[], None).await;
    assert_eq!(check(&report, "data folder").0, State::Failed);
    names(&report, &["data folder"], "read-only");
}

/// A file system that nobody can write to, not even root.
struct ReadOnly(TempDir);

impl ReadOnly {
    fn mount() -> Self {
        let disk = Self(folder());
        as_root("mount", &["-t", "tmpfs", "-o", "ro", "tmpfs"], disk.0.path());
        disk
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        as_root("umount", &["--lazy"], self.0.path());
    }
}

fn as_root(program: &str, arguments: &[&str], folder: &Path) {
    let id = Command::new("id").arg("-u").output().unwrap().stdout;
    let mut command = Command::new(if id == b"0\n" { program } else { "sudo" });
    if id != b"0\n" {
        command.arg(program);
    }
    assert!(command.args(arguments).arg(folder).status().unwrap().success());
}

#[tokio::test]
async fn a_disk_beyond_its_share_is_named() {
    let report = findings(folder().path(), &["--disk-share", "1"], None).await;
    names(&report, &["disk space"], "--disk-share");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_away_refuses_the_key_or_lives_in_another_time_is_named() {
    let bucket = Bucket::start().await;
    let with = async |url: &str, secret: &str| {
        let secret = ["--s3-secret-access-key", secret];
        findings(folder().path(), &[&["--blobs", url][..], &KEY, &secret].concat(), None).await
    };
    let healthy = with(&bucket.url(BUCKET), Bucket::SECRET).await;
    names(&healthy, &[], "");
    assert_eq!(check(&healthy, "storage").0, State::Ok);
    assert_eq!(bucket.files(), Vec::<PathBuf>::new(), "nothing is left");
    names(&with(&bucket.url(BUCKET), "guessed").await, &["storage"], "AWS_SECRET_ACCESS_KEY");
    names(&with(&bucket.url("other"), Bucket::SECRET).await, &["storage"], "Create the bucket");
    let away = format!("s3://beams?endpoint=http://{}&allow_http=true", closed());
    names(&with(&away, Bucket::SECRET).await, &["storage"], "Start the S3 server");

    let skewed = "HTTP/1.1 403 Forbidden\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n";
    let skewed = answers(skewed.as_bytes().to_vec()).await;
    let skewed = format!("s3://beams?endpoint=http://{skewed}&allow_http=true");
    let report = with(&skewed, Bucket::SECRET).await;
    assert_eq!(check(&report, "storage clock").0, State::Failed);
    assert!(check(&report, "storage clock").1.contains("s behind this machine"));
}

#[tokio::test]
async fn a_port_that_another_program_has_is_named() {
    let other = answers(b"220 mail.example.org\r\n".to_vec()).await.to_string();
    let report = findings(folder().path(), &["--listen", &other], None).await;
    names(&report, &["port for http"], "--listen");
}

#[tokio::test]
async fn a_certificate_that_expired_is_for_another_name_or_has_another_key_is_named() {
    let here = folder();
    let public = ["--public-url", "https://127.0.0.1"];
    let with = async |pair: &(PathBuf, PathBuf)| {
        let tls = tls(pair);
        let flags = ["--tls", &tls, "--tls-listen", "127.0.0.1:0"];
        findings(here.path(), &[&flags[..], &public].concat(), None).await
    };
    names(
        &with(&certificate(here.path(), "127.0.0.1", (2020, 2021))).await,
        &["certificate"],
        "Renew",
    );
    let other = certificate(here.path(), "other.example", (2020, 2100));
    names(&with(&other).await, &["certificate"], "name by which devices open");
    let good = certificate(here.path(), "127.0.0.1", (2020, 2100));
    let report = with(&good).await;
    names(&report, &[], "");
    assert!(check(&report, "certificate").1.contains("2100-01-01"));
    std::fs::write(&good.1, KeyPair::generate().unwrap().serialize_pem()).unwrap();
    names(&with(&good).await, &["certificate"], "belong together");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_server_that_is_away_or_has_another_secret_is_named() {
    let (here, port) = (folder(), free_port());
    let turn = turn_on(port);
    let turn: Vec<_> = turn.iter().map(String::as_str).collect();
    let _server = TestServer::with(&turn).await;
    let secret = here.path().join("secret");
    std::fs::write(&secret, "not that of the server").unwrap();
    let secret = ["--turn-secret-file", secret.to_str().unwrap()];
    let ways = |port| format!("turn:127.0.0.1:{port},turn:127.0.0.1:{port}?transport=tcp");
    let with = async |urls: &str| {
        findings(here.path(), &[&["--turn", urls][..], &secret].concat(), None).await
    };
    names(&with(&ways(port)).await, &["TURN over UDP", "TURN over TCP"], "same secret");
    let away = with(&ways(closed().port())).await;
    names(&away, &["STUN", "TURN over UDP", "TURN over TCP"], "firewall");
    // The embedded server finds its port taken.
    names(&findings(here.path(), &turn, None).await, &["TURN"], "--turn-listen");
}

#[tokio::test(flavor = "multi_thread")]
async fn turn_that_is_missing_behind_a_proxy_is_a_warning() {
    let here = folder();
    let proxied = ["--public-url", "https://93.184.216.34"];
    let data = here.path().to_str().unwrap();
    let all = ["serve", "--listen", "127.0.0.1:0", "--disk-share", "100", "--data", data];
    let config = Config::parse_from(all.iter().chain(&proxied));
    let report = examine(&config, None, Clock::System).await;
    names(&report, &[], "");
    assert_eq!(check(&report, "TURN").0, State::Warning, "{}", report.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_relay_address_behind_a_public_name_is_named() {
    let turn = turn_on(free_port());
    let public = ["--public-url", "https://93.184.216.34"];
    let turn: Vec<_> = turn.iter().map(String::as_str).chain(public).collect();
    let report = findings(folder().path(), &turn, None).await;
    names(&report, &["TURN relay address"], "--turn-relay-address");
    let mapped = [&turn[..], &["--turn-relay-address", "93.184.216.34"]].concat();
    names(&findings(folder().path(), &mapped, None).await, &[], "");
}
