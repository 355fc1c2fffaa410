//! Hostile clients: how much memory they can make the server hold, at its peak and afterwards, and how long a
//! well-behaved client waits meanwhile. The memory budget of the process is the bound.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt as _};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::Failure;
use crate::client::{beam, join, see_devices};
use crate::http::{Connection, load};
use crate::process::Process;
use crate::table::{Row, Target};

/// How long each kind of client goes on.
const TIME: Duration = Duration::from_secs(5);
/// Time in which the server must free what they left.
const AFTERWARDS: Duration = Duration::from_secs(3);
/// Memory besides the budget, in MiB: a connection costs some KiB even when nothing waits for it.
const BESIDE_MIB: f64 = 48.0;
/// How far the allocator may round a block up: jemalloc has four sizes for each doubling.
const ROUNDED_UP: f64 = 1.25;
/// Silent connections. Each needs about 8 KiB: a task, and a buffer for its requests.
const SILENT: usize = 8_000;
const CONNECTIONS_MIB: f64 = 50.0;
/// A receive buffer that fills up soon, in bytes.
const DEAF: u32 = 4 * 1024;

/// A kind of hostile client.
struct Rude {
    name: &'static str,
    /// Its part of the budget, in MiB, by default.
    budget_mib: f64,
}

/// Measures each kind of hostile client against a fresh server, and the time of a well-behaved client meanwhile.
pub async fn measure(heliograph: &Path) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (name, budget_mib) in [
        ("forms without an end", 128.0),
        ("bodies that stop", 128.0),
        ("uploads that stop", 512.0),
        ("readers of pages who read nothing", 128.0),
        ("messages without an end", 128.0),
        ("devices that read no messages", 128.0),
        // The items, and the messages about them for devices that do not read.
        ("beams full of items", 256.0 + 128.0),
        ("devices that read no frames", 128.0),
        ("devices that read no short frames", 128.0),
        ("connections that say nothing", CONNECTIONS_MIB),
    ] {
        let product = Process::product(heliograph).await?;
        rows.extend(Rude { name, budget_mib }.against(&product).await?);
    }
    Ok(rows)
}

impl Rude {
    async fn against(&self, product: &Process) -> Result<[Row; 2], Failure> {
        let host = product.address;
        let before = product.resident_bytes()?;
        let health = tokio::spawn(load(host, "/healthz", "", 1, TIME));
        let (_left, highest) = tokio::join!(self.be_rude(host), highest_memory(product));
        let (highest, health) = (highest?, health.await??);
        // By now everything is dropped, except for the closing of sockets.
        sleep(AFTERWARDS).await;
        let after = product.resident_bytes()?;
        let wait = health.p99.as_secs_f64() * 1e3;
        let growth = mib(highest.saturating_sub(before));
        Ok([
            Row {
                figure: format!("memory: {}", self.name),
                product: format!("+{growth:.0} MiB"),
                reference: format!("after +{:.0} MiB", mib(after.saturating_sub(before))),
                value: growth,
                target: Target::AtMost(self.budget_mib * ROUNDED_UP + BESIDE_MIB),
            },
            Row {
                figure: "  p99 of /healthz during it, ms".to_owned(),
                product: format!("{wait:.1} ms"),
                reference: String::new(),
                value: wait,
                target: Target::AtMost(250.0),
            },
        ])
    }

    /// Goes on until the time is over. A refusal is fine.
    async fn be_rude(&self, host: SocketAddr) {
        let end = Instant::now() + TIME;
        match self.name {
            "forms without an end" => {
                let field = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n\r\n";
                let forms = [("", field), ("--x\r\n", "a: b\r\n"), ("", "preamble")];
                let forms = (0..24).map(|n| forms[n % forms.len()]);
                join_all(forms.map(|(first, more)| flood_with_form(host, first, more, end))).await;
            }
            "bodies that stop" => {
                let head =
                    request(host, "POST", "/api/auth/login/", "content-type: application/json\r\n");
                join_all((0..4_000).map(|_| begin(host, &head, 60_000, end))).await;
            }
            "uploads that stop" => {
                let head = request(host, "POST", "/api/upload/", FORM) + FILE;
                join_all((0..500).map(|_| begin(host, &head, 1 << 20, end))).await;
            }
            "readers of pages who read nothing" => {
                let path = largest_file(host).await.unwrap_or_else(|_| "/".to_owned());
                let head = request(host, "GET", &path, "");
                join_all((0..1_000).map(|_| begin(host, &head, 0, end))).await;
            }
            "messages without an end" => {
                join_all((0..400).map(|number| never_end(host, number, end))).await;
            }
            "devices that read no messages" => read_nothing(host, Wanted::Signals, end).await,
            "beams full of items" => read_nothing(host, Wanted::Items, end).await,
            "devices that read no frames" => read_nothing(host, Wanted::Frames(200_000), end).await,
            "devices that read no short frames" => {
                read_nothing(host, Wanted::Frames(16), end).await;
            }
            _ => {
                join_all((0..SILENT).map(|_| begin(host, "", 0, end))).await;
            }
        }
    }
}

const FORM: &str = "content-type: multipart/form-data; boundary=x\r\n";
const FILE: &str = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.webm\"\r\n\
    content-type: video/webm\r\n\r\n\x1aE";

/// The head of a request. A body that it announces is longer than what will follow.
fn request(host: SocketAddr, method: &str, path: &str, headers: &str) -> String {
    let length = if method == "GET" { "" } else { "content-length: 62000\r\n" };
    let length = if headers == FORM { "content-length: 90000000\r\n" } else { length };
    format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}{length}\r\n")
}

async fn connect(host: SocketAddr) -> Result<TcpStream, Failure> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(DEAF)?;
    Ok(socket.connect(host).await?)
}

/// Sends some bytes and then nothing, and reads nothing, until the end.
async fn begin(host: SocketAddr, head: &str, body: usize, end: Instant) {
    let Ok(mut stream) = connect(host).await else { return };
    let saying = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&vec![b' '; body]).await
    };
    let _ = timeout(end - Instant::now(), saying).await;
    tokio::time::sleep_until(end).await;
}

/// A message of a mebibyte whose last byte never comes.
async fn never_end(host: SocketAddr, number: u128, end: Instant) {
    const LENGTH: usize = 1 << 20;
    let Ok((mut device, _)) = join(host, beam(number), 4096).await else { return };
    let head = [&[0x82, 0xff][..], &LENGTH.to_be_bytes(), &[0; 4]].concat();
    let body = vec![0; LENGTH - 1];
    let saying = async {
        device.get_mut().write_all(&head).await?;
        device.get_mut().write_all(&body).await
    };
    let _ = timeout(end - Instant::now(), saying).await;
    tokio::time::sleep_until(end).await;
}

/// Sends a form that repeats itself without an end, and starts again when it is refused.
async fn flood_with_form(host: SocketAddr, first: &str, more: &str, end: Instant) {
    let chunk = |bytes: &str| format!("{:x}\r\n{bytes}\r\n", bytes.len());
    let head = format!(
        "POST /api/upload/ HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n{FORM}\r\n{}",
        if first.is_empty() { String::new() } else { chunk(first) }
    );
    let more = chunk(&more.repeat(2_000));
    let flooding = async {
        while let Ok(mut stream) = TcpStream::connect(host).await {
            let mut said = stream.write_all(head.as_bytes()).await;
            while said.is_ok() {
                said = stream.write_all(more.as_bytes()).await;
            }
        }
    };
    let _ = timeout(end - Instant::now(), flooding).await;
}

/// The messages for devices that do not read.
#[derive(Clone, Copy)]
enum Wanted {
    Signals,
    Items,
    Frames(usize),
}

/// Many beams of devices that do not read, with one device in each that keeps sending.
async fn read_nothing(host: SocketAddr, wanted: Wanted, end: Instant) {
    let beams = (0..40).map(|number| async move {
        let _ = timeout(end - Instant::now(), talk_to_the_deaf(host, number, wanted)).await;
    });
    join_all(beams).await;
}

async fn talk_to_the_deaf(host: SocketAddr, number: u128, wanted: Wanted) -> Result<(), Failure> {
    let (mut talker, _) = join(host, beam(number), 4096).await?;
    let mut deaf = Vec::new();
    for _ in 0..10 {
        deaf.push(join(host, beam(number), 4096).await?);
    }
    see_devices(&mut talker, deaf.len() + 1).await?;
    let content = "x".repeat(200_000);
    let item = json!({"type": "share_clipboard", "message": content}).to_string();
    let (mut sink, mut source) = talker.split();
    let listening = async { while source.next().await.is_some() {} };
    let talking = async {
        loop {
            for (_, id) in &deaf {
                let message = match wanted {
                    Wanted::Items => Message::text(item.clone()),
                    Wanted::Signals => {
                        let extra = json!({"to": id});
                        let signal = json!({"type": "signal", "message": content, "extra": extra});
                        Message::text(signal.to_string())
                    }
                    Wanted::Frames(length) => {
                        Message::Binary([id.as_bytes(), &vec![7; length][..]].concat().into())
                    }
                };
                SinkExt::<Message>::send(&mut sink, message).await?;
            }
        }
    };
    tokio::select! {
        () = listening => Ok(()),
        result = talking => result,
    }
}

/// The path of the page's largest script.
async fn largest_file(host: SocketAddr) -> Result<String, Failure> {
    let page = Connection::open(host).await?.ask("GET", "/", "", b"").await?.body;
    let page = String::from_utf8(page)?;
    let (_, rest) = page.split_once("src=\"").ok_or("no script")?;
    Ok(rest.split('"').next().unwrap_or("/").to_owned())
}

/// The highest memory of the server meanwhile.
async fn highest_memory(product: &Process) -> Result<u64, Failure> {
    let (end, mut highest) = (Instant::now() + TIME, 0);
    while Instant::now() < end {
        highest = highest.max(product.resident_bytes()?);
        sleep(Duration::from_millis(20)).await;
    }
    Ok(highest)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
