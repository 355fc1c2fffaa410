//! A minimal HTTP/1.1 client: one connection, one request at a time, and no library whose time would be measured too.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::Failure;

/// A keep-alive connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    line: Vec<u8>,
}

/// A response.
pub struct Answer {
    pub status: u16,
    /// Name and value of every `Set-Cookie`, in the form of a `Cookie` header.
    pub cookies: String,
    pub body: Vec<u8>,
}

impl Connection {
    pub async fn open(host: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host, line: Vec::new() })
    }

    /// Sends a request and reads the whole response. `headers` are lines, each with its CRLF.
    pub async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> Result<Answer, Failure> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.write_all(&[head.as_bytes(), body].concat()).await?;
        self.read().await
    }

    async fn read(&mut self) -> Result<Answer, Failure> {
        let status = self.line().await?.split(' ').nth(1).ok_or("no status")?.parse()?;
        let (mut length, mut cookies) = (0, Vec::new());
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or("no header")?;
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse()?,
                "set-cookie" => {
                    cookies.extend(value.trim().split(';').next().map(str::to_owned));
                }
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(Answer { status, cookies: cookies.join("; "), body })
    }

    async fn line(&mut self) -> Result<String, Failure> {
        self.line.clear();
        self.stream.read_until(b'\n', &mut self.line).await?;
        Ok(std::str::from_utf8(&self.line)?.trim_end().to_owned())
    }
}

/// The result of a load.
pub struct Load {
    pub requests_per_second: f64,
    pub median: Duration,
    pub p99: Duration,
}

/// Sends the same request on many connections for a while. Every response must be a 200.
pub async fn load(
    host: SocketAddr,
    path: &'static str,
    headers: &str,
    connections: usize,
    time: Duration,
) -> Result<Load, Failure> {
    let started = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..connections {
        let (headers, mut connection) = (headers.to_owned(), Connection::open(host).await?);
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            while started.elapsed() < time {
                let asked = Instant::now();
                let answer = connection.ask("GET", path, &headers, b"").await?;
                if answer.status != 200 {
                    return Err(format!("{path} answered {}", answer.status).into());
                }
                times.push(asked.elapsed());
            }
            Ok::<_, Failure>(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.append(&mut task.await??);
    }
    Ok(summary(times, started.elapsed()))
}

fn summary(mut times: Vec<Duration>, over: Duration) -> Load {
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let requests_per_second = times.len() as f64 / over.as_secs_f64();
    Load { requests_per_second, median: at(50), p99: at(99) }
}
