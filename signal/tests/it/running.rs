//! The program as its operator sees it: its shutdown, the permissions of its files, its log.

use std::time::Duration;

use heliograph_shared::api::CreatedBeam;
use heliograph_shared::api::uploads::UploadedFile;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use futures_util::{SinkExt as _, StreamExt as _};

use super::bucket::{BUCKET, Bucket};
use super::program::Program;
use super::server::{Answer, send};

type Headers<'a> = &'a [(&'a str, &'a str)];

impl Program {
    async fn asks(&self, method: &str, path: &str, headers: Headers<'_>, body: &[u8]) -> Answer {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        send(stream, &self.address, method, path, headers, body).await
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_interrupt_ends_the_program_at_once() {
    let mut program = Program::start(&[], &[]);
    // A request that never ends delays the graceful shutdown.
    let mut stream = TcpStream::connect(&program.address).await.unwrap();
    let head = "POST /api/auth/login/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\
                content-type: application/json\r\nexpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server waits for the body.
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    program.is_interrupted();
    program.logs("shutting down").await;
    program.is_interrupted();
    assert_eq!(program.ends().code(), Some(130));
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupt_ends_a_program_that_still_waits_for_its_database() {
    // It accepts connections and never answers.
    let database = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://ada:x@{}/beams", database.local_addr().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_heliograph"))
        .args(["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--database", &url, "--data"])
        .arg(folder.path())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let _connection = database.accept().await.unwrap();
    let id = program.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = timeout(Duration::from_secs(20), program.wait()).await.expect("it ends");
    assert!(ended.unwrap().success());
}

#[cfg(unix)]
#[tokio::test]
async fn what_the_program_keeps_is_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::start(&[], &[]);
    assert_eq!(program.asks("POST", "/api/beams/create/", &[], b"").await.status, 201);
    let data = program.folder.path().join("data");
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(data.clone()), 0o700);
    for name in ["heliograph.db", "heliograph.db-wal", "heliograph.db-shm"] {
        assert_eq!(mode(data.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn the_log_is_one_object_a_line_and_as_loud_as_asked() {
    let mut program = Program::start(&["--log", "warn", "--log-format", "json"], &[]);
    program.asks("POST", "/api/beams/create/", &[], b"").await;
    program.is_interrupted();
    assert!(program.ends().success());
    let log = program.log();
    let mut lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // The library for databases warns where the machine is slow.
    let is_own = |line: &Value| line["target"].as_str().unwrap().starts_with("heliograph");
    assert!(!lines.any(|line| is_own(&line)), "{log}");

    let flags = ["--log", "off,heliograph_signal=debug", "--log-format", "json"];
    let mut program = Program::start(&flags, &[]);
    program.asks("GET", "/api/site", &[], b"").await;
    program.logs("/api/site").await;
    let log = program.log();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let request = lines.iter().find(|line| line["message"] == "request").unwrap();
    assert_eq!((&request["level"], &request["status"]), (&json!("DEBUG"), &json!(200)), "{log}");
    assert!(request["ms"].is_u64(), "{log}");
    assert!(lines.iter().all(|line| line["target"] != "heliograph"), "{log}");
}

#[tokio::test]
async fn the_log_names_no_beam_and_no_upload_at_any_level() {
    let bucket = Bucket::start().await;
    let url = bucket.url(BUCKET);
    let credentials = [
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", Bucket::SECRET),
        ("RUST_LOG", "trace"),
    ];
    let mut program = Program::start(&["--blobs", &url], &credentials);
    let answer = program.asks("POST", "/api/beams/create/", &[], b"").await;
    let beam: CreatedBeam = serde_json::from_slice(&answer.body).unwrap();
    let id = beam.beam_id;
    let key = serde_json::to_value(&beam.beam_key).unwrap();

    let stream = TcpStream::connect(program.socket_address()).await.unwrap();
    let socket = format!("ws://{}/ws/beam/{id}/", program.address);
    let (mut socket, _) = client_async(socket, stream).await.unwrap();
    for message in [
        json!({"type": "auth", "message": key}),
        json!({"type": "share_clipboard", "message": "hello"}),
    ] {
        socket.send(Message::text(message.to_string())).await.unwrap();
    }
    while !socket.next().await.unwrap().unwrap().to_text().unwrap().contains("rec_clipboard") {}

    let png = b"\x89PNG\r\n\x1a\n and more";
    let head = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
                content-type: image/png\r\n\r\n";
    let body = [head.as_bytes(), png, b"\r\n--x--\r\n"].concat();
    let kind = [("content-type", "multipart/form-data; boundary=x")];
    let answer = program.asks("POST", &format!("/api/upload/?beam_id={id}"), &kind, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    let upload: UploadedFile = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(program.asks("GET", &upload.url, &[], b"").await.body, png);
    let notes = format!("/api/notes/beam_notes/?beam_id={id}");
    assert_eq!(program.asks("GET", &notes, &[], b"").await.status, 200);
    let wrong = format!("/api/beams/{id}/");
    assert_eq!(program.asks("GET", &wrong, &[], b"").await.status, 401);
    bucket.dies();
    assert_eq!(program.asks("GET", &upload.url, &[], b"").await.status, 502);

    program.is_interrupted();
    program.logs("ended").await;
    let log = program.log();
    assert!(log.contains("DEBUG"), "it says much: {log}");
    let key = key.as_str().unwrap();
    for secret in [&id.to_string(), &id.to_string().replace('-', ""), &upload.id, key] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}
