//! Hostile clients, one kind after the other, against a server in a process of its own. Its memory must not grow, and
//! well-behaved clients must notice nothing. `make bench` measures a longer form.

use std::fs;
use std::io::Cursor;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use image::{DynamicImage, ImageFormat};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::device::unknown_beam;
use super::file::png;
use super::person::form;
use super::program::address_of;
use super::server::{Answer, TestServer, ask, send, until};

const MIB: u64 = 1024 * 1024;
/// How long each kind of client goes on. Without its bound, each takes hundreds of MiB in this time.
const RUDE: Duration = Duration::from_secs(2);
/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_mins(1);

/// The server as a process, so that its memory can be measured.
struct Server {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Server {
    async fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_heliograph"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--disk-share", "100"]);
        command.arg("--data").arg(folder.path()).args(flags);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let address = timeout(PATIENCE, address_of(&mut process)).await.expect("it gets ready");
        let address = address.expect("it says its address");
        let server = Self { process, address, _folder: folder };
        // The first requests allocate memory that does not count.
        server.gets("/healthz").await;
        server
    }

    /// Waits until it is well, as [`TestServer::is_well`] does.
    async fn is_well(&self) {
        until(async || self.gets("/healthz").await.status == 200).await;
    }

    /// Highest resident memory in bytes since the process began (`VmHWM`).
    fn peak(&self) -> u64 {
        let id = self.process.id().expect("the server is alive");
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn gets(&self, path: &str) -> Answer {
        ask(self.connect().await, &self.address.to_string(), "GET", path, &[]).await
    }

    async fn posts(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        send(self.connect().await, &self.address.to_string(), "POST", path, headers, body).await
    }

    /// Registers an account and returns its cookies.
    async fn registers(&self, username: &str) -> String {
        let fields = [
            ("first_name", "Ada"),
            ("last_name", "Lovelace"),
            ("username", username),
            ("email", "ada@example.org"),
            ("password", "a password for tests"),
        ];
        let (kind, body) = form(&fields);
        let answer = self.posts("/api/auth/register/", &[("content-type", &kind)], &body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let pairs = answer.cookies.iter().filter_map(|cookie| cookie.split(';').next());
        pairs.collect::<Vec<_>>().join("; ")
    }

    /// Sends a form with a profile picture, and waits a moment for the server to begin. Otherwise hanging up would cost it nothing.
    async fn sends_picture(&self, cookies: &str, body: &[u8]) -> TcpStream {
        let mut stream = self.connect().await;
        let request = format!(
            "POST /api/auth/profile-picture/ HTTP/1.1\r\nhost: {}\r\ncookie: {cookies}\r\ncontent-length: {}\r\n\
             content-type: multipart/form-data; boundary=x\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let _ = stream.write_all(body).await;
        let _ = timeout(Duration::from_millis(20), stream.read(&mut [0])).await;
        stream
    }

    /// Opens a socket of a new beam and says nothing yet.
    async fn opens_socket(&self) -> TcpStream {
        let mut stream = self.connect().await;
        let request = format!(
            "GET /ws/beam/{}/ HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            unknown_beam(),
            self.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// Begins a form with an endless body, and sends its first bytes.
    async fn begins_form(&self, path: &str, first: &str) -> TcpStream {
        let mut stream = self.connect().await;
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ntransfer-encoding: chunked\r\n\
             content-type: multipart/form-data; boundary=x\r\n\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.write_all(&chunk(first.as_bytes())).await.unwrap();
        stream
    }
}

/// A frame of a client, with a mask of zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let (short, length) = match u16::try_from(payload.len()) {
        Ok(length @ ..126) => (u8::try_from(length).unwrap(), vec![]),
        Ok(length) => (126, length.to_be_bytes().to_vec()),
        Err(_) => (127, payload.len().to_be_bytes().to_vec()),
    };
    [&[first, 0x80 | short], &length[..], &[0; 4], payload].concat()
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// Sends the same bytes again and again until it is refused. Returns the response, if there is one.
async fn floods(mut stream: TcpStream, bytes: Vec<u8>) -> String {
    let flooding = async { while stream.write_all(&bytes).await.is_ok() {} };
    let _ = timeout(RUDE, flooding).await;
    let mut answer = vec![0; 1024];
    let read = timeout(Duration::from_secs(1), stream.read(&mut answer)).await;
    let read = read.map_or(0, Result::unwrap_or_default);
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s23_a_form_without_an_end_is_refused_before_it_is_held() {
    let server = Server::start(&[]).await;
    let before = server.peak();
    let field = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n\r\n";
    let floods: Vec<_> = ["/api/upload/", "/api/auth/register/"]
        .into_iter()
        .flat_map(|path| {
            [("", field), ("--x\r\n", "header: value\r\n"), ("", "preamble")]
                .map(|(first, more)| (path, first, more))
        })
        .map(async |(path, first, more)| {
            let stream = server.begins_form(path, first).await;
            floods(stream, chunk(more.repeat(2_000).as_bytes())).await
        })
        .collect();
    for answer in futures_util::future::join_all(floods).await {
        // A connection that breaks under a flood may lose the response.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let growth = server.peak() - before;
    assert!(growth < 24 * MIB, "{} MiB", growth / MIB);
    server.is_well().await;
}

/// A PNG with a note, after its header, that it must be turned by a quarter.
fn turned(png: &[u8]) -> Vec<u8> {
    // A tag of EXIF: orientation, a SHORT, 6.
    let chunk = b"eXIfMM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let length = u32::try_from(chunk.len() - 4).unwrap().to_be_bytes();
    // The checksum of a PNG chunk (ISO 3309).
    let sum = !chunk.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    });
    [&png[..33], &length, chunk, &sum.to_be_bytes(), &png[33..]].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s2_a_caller_who_hangs_up_leaves_no_picture_to_be_decoded_beside_the_others() {
    let server = Server::start(&[]).await;
    let mut png = Cursor::new(Vec::new());
    DynamicImage::new_rgba16(4096, 4096).write_to(&mut png, ImageFormat::Png).unwrap();
    let png = turned(png.get_ref());
    let head =
        "--x\r\ncontent-disposition: form-data; name=\"profile_picture\"; filename=\"a\"\r\n\r\n";
    let body = [head.as_bytes(), &png, b"\r\n--x--\r\n"].concat();
    let mut callers = Vec::new();
    for number in 0..20 {
        let cookies = server.registers(&format!("ada{number}")).await;
        callers.extend((0..10).map(|_| cookies.clone()));
    }
    let who_waits = server.registers("bob").await;
    // Two pictures at a time, the forms that wait for their turn, and the hashes of the passwords.
    let before = server.peak();
    let most = before + (2 * 160 + 128) * MIB;
    for cookies in callers {
        drop(server.sends_picture(&cookies, &body).await);
    }
    assert!(server.peak() < most, "{} MiB", server.peak() / MIB);
    // The pixels of one picture were there, also where the server stood still until now.
    let mut waiting = Vec::new();
    for _ in 0..5 {
        waiting.push(server.sends_picture(&who_waits, &body).await);
    }
    let decoding = async {
        while server.peak() <= before + 128 * MIB {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, decoding).await.expect("pictures are decoded");
    drop(waiting);
    assert!(server.peak() < most, "{} MiB", server.peak() / MIB);
    server.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s3_connections_further_than_there_may_be_get_a_503_and_the_open_ones_go_on() {
    let server = Server::start(&["--connections", "20"]).await;
    let mut open = Vec::new();
    // An answer shows that a connection is one of the twenty, whatever became of those before.
    while open.len() < 20 {
        let mut stream = server.connect().await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"}") {
            assert!(stream.read_buf(&mut answer).await.unwrap() > 0, "{answer:?}");
        }
        if answer.starts_with(b"HTTP/1.1 200") {
            open.push(stream);
        }
    }
    // Closing with the request unread would reset the connection, and the answer might be lost.
    let asks = async || {
        let mut stream = server.connect().await;
        stream.write_all(b"POST / HTTP/1.1\r\ncontent-length: 1000000\r\n\r\n").await.unwrap();
        stream.write_all(&vec![0; 1_000_000]).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.map(|_| answer)
    };
    for _ in 0..5 {
        assert!(asks().await.unwrap().starts_with("HTTP/1.1 503"));
    }
    let refused = asks().await.unwrap();
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("retry-after: "), "{refused}");
    let (_, body) = refused.split_once("\r\n\r\n").unwrap();
    assert!(refused.contains(&format!("content-length: {}\r\n", body.len())));
    assert_eq!(serde_json::from_str::<Value>(body).unwrap()["code"], "unavailable");

    let host = server.address.to_string();
    let answer = ask(open.pop().unwrap(), &host, "GET", "/api/site", &[]).await;

    assert_eq!(answer.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s27_readers_who_read_nothing_are_refused_before_they_fill_the_memory() {
    let server = Server::start(&["--memory-answers", "16MiB"]).await;
    let cookies = server.registers("ada").await;
    let file = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), vec![7; 32 << 20]].concat();
    let head = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
                content-type: image/png\r\n\r\n";
    let body = [head.as_bytes(), &file, b"\r\n--x--\r\n"].concat();
    let kind = ("content-type", "multipart/form-data; boundary=x");
    let kept = server.posts("/api/upload/", &[kind, ("cookie", &cookies)], &body).await;
    let url = kept.json()["url"].as_str().unwrap().to_owned();
    let before = server.peak();
    let (mut readers, mut statuses) = (Vec::new(), Vec::new());
    let request = format!("GET {url} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    for _ in 0..200 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4 * 1024).unwrap();
        let mut stream = socket.connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        statuses.push(String::from_utf8_lossy(&status[9..]).into_owned());
        readers.push(stream);
    }
    assert_eq!(statuses.iter().filter(|status| *status == "200").count(), 16);
    assert_eq!(statuses.iter().filter(|status| *status == "503").count(), 184);
    server.is_well().await;
    let growth = server.peak() - before;
    assert!(growth < 40 * MIB, "{} MiB", growth / MIB);
    drop(readers);
    let until_free = async { while server.gets(&url).await.status != 200 {} };
    timeout(PATIENCE, until_free).await.expect("what was held is given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_messages_that_never_end_are_bounded_and_whoever_ends_theirs_is_heard() {
    const LENGTH: usize = 1024 * 1024;
    const PONG: &[u8] = &[0x8a, 0];
    const OVERLOAD: &[u8] = &[0x88, 2, 3, 0xf5];
    let server = Server::start(&["--memory-arriving", "8MiB"]).await;
    let before = server.peak();
    let (auth, ping) = (frame(0x81, br#"{"type":"auth","message":null}"#), frame(0x89, b""));
    let mut held: Vec<TcpStream> = Vec::new();
    for _ in 0..150 {
        let mut stream = server.opens_socket().await;
        // All parts of a message but the last, and a ping. Whoever is closed meanwhile may not be able to send all of it.
        for bytes in [&auth, &frame(0x02, &vec![0; LENGTH - 1]), &ping] {
            let _ = stream.write_all(bytes).await;
        }
        let heard = hears(&mut stream, &[PONG, OVERLOAD]).await;
        if has(&heard, PONG) && !has(&heard, OVERLOAD) {
            held.push(stream);
        }
        // However long this takes, none is closed because it is silent.
        for stream in &mut held {
            stream.write_all(&ping).await.unwrap();
        }
    }
    assert_eq!(held.len(), 7);
    let growth = server.peak() - before;
    assert!(growth < 32 * MIB, "{} MiB", growth / MIB);
    let mut ada = server.opens_socket().await;
    let share = json!({"type": "share_clipboard", "message": "x".repeat(200 * 1024)}).to_string();
    for bytes in [&auth, &frame(0x81, share.as_bytes())] {
        ada.write_all(bytes).await.unwrap();
    }
    hears(&mut ada, &[b"rec_clipboard"]).await;
}

fn has(heard: &[u8], what: &[u8]) -> bool {
    heard.windows(what.len()).any(|part| part == what)
}

/// Reads until one of these has come.
async fn hears(stream: &mut TcpStream, awaited: &[&[u8]]) -> Vec<u8> {
    let mut heard = Vec::new();
    let hearing = async {
        while !awaited.iter().any(|what| has(&heard, what)) {
            assert!(stream.read_buf(&mut heard).await.unwrap() > 0, "{}", heard.escape_ascii());
        }
    };
    timeout(PATIENCE, hearing).await.expect("it comes");
    heard
}

/// Processor time that the server has used.
fn processor_time(server: &Server) -> Duration {
    let id = server.process.id().unwrap();
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    // After the name in brackets: utime and stime are fields 14 and 15, in ticks of 10 ms.
    let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks = |field: usize| fields[field - 3].parse::<u64>().unwrap();
    Duration::from_millis((ticks(14) + ticks(15)) * 10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s23_chunks_of_one_byte_cost_little_of_the_processor() {
    let server = Server::start(&[]).await;
    let head = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\
                content-type: image/gif\r\n\r\nGIF89a";
    let stream = server.begins_form("/api/upload/", head).await;
    let (before, began) = (processor_time(&server), Instant::now());
    floods(stream, chunk(b"x").repeat(10_000)).await;
    let (used, time) = (processor_time(&server).saturating_sub(before), began.elapsed());
    assert!(used < time / 4, "{used:?} in {time:?}");
}

#[tokio::test]
async fn h19_what_the_memory_has_no_room_for_is_refused_for_now() {
    let (form, form_type) = png(1_000).form();
    let json_type = ("content-type", "application/json");
    for (flag, path, body_type, body) in [
        ("--memory-uploads", "/api/upload/", form_type, &form[..]),
        ("--memory-requests", "/api/upload/", form_type, &form[..]),
        ("--memory-requests", "/api/auth/login/", json_type, b"{}"),
    ] {
        let server = TestServer::with(&[flag, "10KiB"]).await;
        let answer = server.send("POST", path, &[body_type], body).await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, "5"), "{flag} {path}");
        server.is_well().await;
        assert_eq!(server.app.budget.taken_in_all(), 0);
    }
}
