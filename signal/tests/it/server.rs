//! A server for one test: on a free port, with a fresh folder, removed at the end.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use clap::Parser as _;
use heliograph_shared::api::CreatedBeam;
use heliograph_shared::ids::BeamId;
use heliograph_signal::address::Client;
use heliograph_signal::app::App;
use heliograph_signal::bus::Bus;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::Config;
use heliograph_signal::error::Error;
use heliograph_signal::limits::{Limits, Taken};
use heliograph_signal::start::{Error as StartError, Listeners, serve, start};
use heliograph_storage::LeaseError;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::spread::{self, Common, InTurns};

/// How often a test tries to start a server. Each start waits for the locks of another one.
pub const TRIES: u32 = 10;

pub struct TestServer {
    pub app: Arc<App>,
    pub address: SocketAddr,
    pub folder: TempDir,
    running: JoinHandle<()>,
    shutdown: CancellationToken,
    spread: Option<Spread>,
}

/// What a server has that is several nodes.
struct Spread {
    others: Vec<Node>,
    _front: InTurns,
    _common: Common,
}

struct Node {
    app: Arc<App>,
    running: JoinHandle<()>,
    _folder: TempDir,
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The values of the Set-Cookie headers.
    pub cookies: Vec<String>,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// Waits until the condition holds. Only the test's own end limits it.
pub async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.expect("in time");
}

impl TestServer {
    /// Waits until the server is well. It is not while a write that it tries takes two seconds, as on a busy machine (H3).
    pub async fn is_well(&self) {
        until(async || self.get("/healthz").await.status == 200).await;
    }

    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(flags: &[&str]) -> Self {
        Self::on(tempfile::tempdir().unwrap(), flags).await
    }

    /// Starts a server on the data of an earlier one.
    pub async fn on(folder: TempDir, flags: &[&str]) -> Self {
        Self::at(folder, flags, Clock::running(Clock::System.now())).await
    }

    /// The same, by this clock.
    pub async fn at(folder: TempDir, flags: &[&str], clock: Clock) -> Self {
        if spread::nodes() > 1 && !flags.contains(&"--bus") {
            return Self::spread(folder, flags, clock).await;
        }
        let shutdown = CancellationToken::new();
        let (app, running) = run(folder.path(), flags, clock, &shutdown).await;
        Self { address: app.listening.plain, app, folder, running, shutdown, spread: None }
    }

    /// A server of several nodes.
    async fn spread(folder: TempDir, flags: &[&str], clock: Clock) -> Self {
        let (common, shutdown) = (Common::start().await, CancellationToken::new());
        let in_common = common.flags(folder.path(), flags);
        let flags: Vec<_> =
            flags.iter().copied().chain(in_common.iter().map(String::as_str)).collect();
        let (app, running) = run(folder.path(), &flags, clock, &shutdown).await;
        let mut others = Vec::new();
        for _ in 1..spread::nodes() {
            let folder = tempfile::tempdir().unwrap();
            let (app, running) = run(folder.path(), &flags, clock, &shutdown).await;
            others.push(Node { app, running, _folder: folder });
        }
        let nodes: Vec<_> = others.iter().map(|node| &node.app).chain([&app]).collect();
        let nodes: Vec<_> = nodes.iter().map(|app| app.listening.plain).collect();
        let front = InTurns::start(&nodes).await;
        let address = front.address;
        let spread = Some(Spread { others, _front: front, _common: common });
        Self { app, address, folder, running, shutdown, spread }
    }

    /// Why a server does not start.
    pub async fn fails_on(flags: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let all = ["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--data", data];
        let config = Config::parse_from([&all, flags].concat());
        start(&config, Clock::System).await.err().expect("it fails").to_string()
    }

    /// Shuts the server down and returns its data.
    pub async fn ends(self) -> TempDir {
        self.shutdown.cancel();
        let others = self.spread.into_iter().flat_map(|spread| spread.others);
        let others = others.map(|Node { app, running, .. }| (app, running));
        for (app, running) in others.chain([(self.app, self.running)]) {
            running.await.unwrap();
            app.storage.close().await;
            app.lease.release().await;
        }
        self.folder
    }

    /// Whether the beam is live, on whichever node.
    pub fn has_live(&self, beam: BeamId) -> bool {
        self.apps().any(|app| app.live.hub.is_live(beam))
    }

    /// Every node.
    fn apps(&self) -> impl Iterator<Item = &App> {
        let others = self.spread.iter().flat_map(|spread| &spread.others);
        others.map(|node| &*node.app).chain([&*self.app])
    }

    /// Advances the clock without waiting, but for nodes: they have to hear each other again before they do anything.
    pub async fn time_passes(&self, time: Duration) {
        tokio::time::pause();
        tokio::time::advance(time).await;
        tokio::time::resume();
        if self.spread.is_none() {
            return;
        }
        let nodes: Vec<_> = self.apps().collect();
        let are_sure = async {
            for app in nodes {
                while !is_sure_of_its_bus(app) {
                    sleep(Duration::from_millis(20)).await;
                }
            }
        };
        // A test notices by itself when they do not.
        let _ = timeout(Duration::from_secs(30), are_sure).await;
    }

    pub fn is_told_to_end(&self) {
        self.shutdown.cancel();
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[]).await
    }

    pub async fn post(&self, path: &str) -> Answer {
        self.ask("POST", path, &[]).await
    }

    pub async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(method, path, headers, b"").await
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let stream = TcpStream::connect(self.address).await.unwrap();
        send(stream, &self.address.to_string(), method, path, headers, body).await
    }

    /// Repeats a wrong try with ever longer pauses, after five without one, until the next pause is longer than a minute.
    /// A test can then be slow.
    pub async fn is_tried(&self, mut wrong: impl AsyncFnMut()) {
        for pause in [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64] {
            self.time_passes(Duration::from_secs(pause)).await;
            wrong().await;
        }
    }

    /// Uses up what an address has left of a limit, and what it would get back in the next minute. A test can then be
    /// slow. Returns how much was left: what it got back since it took the rest.
    pub fn has_none_left(
        &self,
        address: &str,
        take: impl Fn(&Limits, Option<Client>, Instant) -> Result<(), Error>,
    ) -> usize {
        let client = Client::of(address.parse().unwrap(), &HeaderMap::new(), &[]);
        let take_all = |at| {
            let takes = std::iter::repeat_with(|| take(&self.app.limits, client, at));
            takes.take_while(Result::is_ok).count()
        };
        let now = self.app.clock.steady();
        let left = take_all(now);
        take_all(now + Duration::from_mins(1));
        left
    }

    /// More was taken of a limit, which counts at each node.
    pub fn was_taken(&self, taken: &[Taken]) {
        for app in self.apps() {
            app.limits.was_taken(taken, app.clock.steady());
        }
    }

    pub async fn create_beam(&self) -> CreatedBeam {
        let answer = self.post("/api/beams/create/").await;
        serde_json::from_slice(&answer.body).unwrap()
    }
}

/// Whether a node may act on what it remembers, and takes beams.
fn is_sure_of_its_bus(app: &App) -> bool {
    match &app.bus {
        Bus::Alone => true,
        Bus::Shared(member) => app.bus.is_assured() && !member.is_bus_gone(),
    }
}

/// Runs a server, or one node.
async fn run(
    folder: &Path,
    flags: &[&str],
    clock: Clock,
    shutdown: &CancellationToken,
) -> (Arc<App>, JoinHandle<()>) {
    let data = folder.to_str().unwrap();
    let mut all = vec!["serve", "--listen", "127.0.0.1:0", "--data", data];
    all.extend(flags);
    // Its port may be taken by another test.
    if !flags.contains(&"--turn") {
        all.extend(["--turn", "off"]);
    }
    // How full this machine's disk is must not matter.
    if !flags.contains(&"--disk-share") {
        all.extend(["--disk-share", "100"]);
    }
    let (listeners, app) = starts(&Config::parse_from(all), clock).await;
    (app.clone(), tokio::spawn(serve(listeners, app, shutdown.clone())))
}

/// Starts a server, also where the one before it has its locks for a while longer than a start waits: so has a process that
/// another test starts, until it runs its own program, and Postgres, until it sees that a connection is gone.
async fn starts(config: &Config, clock: Clock) -> (Listeners, Arc<App>) {
    for _ in 0..TRIES {
        match start(config, clock).await {
            Err(StartError::Lease(LeaseError::Taken) | StartError::Folder(_)) => {}
            started => return started.unwrap(),
        }
    }
    panic!("another server has the locks");
}

/// Sends a request without a body on a connection of its own.
pub async fn ask(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> Answer {
    send(stream, host, method, path, headers, b"").await
}

/// Sends a request on a connection of its own.
pub async fn send(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let length = body.len().to_string();
    let mut all = vec![("host", host), ("connection", "close")];
    if !body.is_empty() {
        all.push(("content-length", &length));
    }
    all.retain(|(name, _)| !headers.iter().any(|(own, _)| own == name));
    all.extend(headers);
    let lines: Vec<_> = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("{method} {path} HTTP/1.1\r\n{}\r\n", lines.concat());
    stream.write_all(request.as_bytes()).await.unwrap();
    // A server that has already refused may not read the rest.
    let _ = stream.write_all(body).await;
    // A TLS stream keeps what its socket did not take at once, and reading from it sends none of that.
    let _ = stream.flush().await;
    let mut bytes = Vec::new();
    // A TLS server may close without a notification. What came before it counts.
    let ended = stream.read_to_end(&mut bytes).await;
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no whole header, but {ended:?} after {bytes:?}"));
    parse(&bytes, end)
}

/// An answer whose header ends at `end`.
fn parse(bytes: &[u8], end: usize) -> Answer {
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    // Proxies write the names in capitals.
    let lines = lines.map(|line| line.split_once(": ").unwrap());
    let lines: Vec<_> = lines.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    let cookies = lines.iter().filter(|(name, _)| name == "set-cookie");
    let cookies = cookies.map(|(_, value)| (*value).to_owned()).collect();
    let headers = lines.iter().map(|(name, value)| (name.clone(), (*value).to_owned()));
    let headers: HashMap<_, _> = headers.collect();
    let is_chunked = headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked");
    let body = &bytes[end + 4..];
    let body = if is_chunked { join_chunks(body) } else { body.to_vec() };
    Answer { status, cookies, headers, body }
}

/// Joins a chunked body (RFC 9112, section 7.1). Panics on one that breaks off.
fn join_chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").expect("a whole chunk");
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..][..size]);
        rest = &rest[end + 2 + size + 2..];
    }
}
