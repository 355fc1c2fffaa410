//! A server of one's own: any free port, a fresh folder, everything gone with it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use clap::Parser as _;
use heliograph_shared::api::CreatedBeam;
use heliograph_signal::app::App;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::Config;
use heliograph_signal::start::start;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub struct TestServer {
    pub app: Arc<App>,
    pub address: SocketAddr,
    pub folder: TempDir,
    running: JoinHandle<()>,
    shutdown: CancellationToken,
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
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

impl TestServer {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let own = ["serve", "--listen", "127.0.0.1:0", "--data", data];
        let config = Config::parse_from([&own, flags].concat());
        let (listeners, app) = start(&config, Clock::System).await.unwrap();
        let (address, shutdown) = (app.listening.plain, CancellationToken::new());
        let running =
            tokio::spawn(heliograph_signal::serve(listeners, app.clone(), shutdown.clone()));
        Self { app, address, folder, running, shutdown }
    }

    /// Tells the server to end, and waits until it has.
    pub async fn ends(self) {
        self.shutdown.cancel();
        self.running.await.unwrap();
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
        let stream = TcpStream::connect(self.address).await.unwrap();
        ask(stream, &self.address.to_string(), method, path, headers).await
    }

    pub async fn create_beam(&self) -> CreatedBeam {
        let answer = self.post("/api/beams/create/").await;
        serde_json::from_slice(&answer.body).unwrap()
    }
}

/// One request on a connection of its own, spelt out.
pub async fn ask(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let mut all = vec![("host", host), ("connection", "close")];
    all.retain(|(name, _)| !headers.iter().any(|(own, _)| own == name));
    all.extend(headers);
    let lines: Vec<_> = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("{method} {path} HTTP/1.1\r\n{}\r\n", lines.concat());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // A TLS server may close without a word; what came before it counts.
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole header");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.map(|line| line.split_once(": ").unwrap());
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Answer { status, headers, body: bytes[end + 4..].to_vec() }
}
