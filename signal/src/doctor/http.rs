//! A small HTTP client, which says in which step a server cannot be reached and shows the certificate it has.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use heliograph_turn::client::Stream;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::certificate::takes_any;
use crate::config::Origin;

/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(8);
/// Time for an answer.
const ANSWER: Duration = Duration::from_secs(20);

/// The longest answer that is read: whatever is at an address may send without an end.
const LONGEST: usize = 1 << 20;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whether it speaks TLS.
    pub tls: bool,
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// A connection to a server.
pub struct Connection {
    /// Its bytes.
    pub stream: Box<dyn Stream>,
    /// Our end.
    pub own: SocketAddr,
    /// Its certificates, with TLS.
    pub chain: Vec<CertificateDer<'static>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The name leads nowhere.
    #[error("the name leads to no address")]
    Name,
    /// Nothing listens there, or nothing gets through.
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    /// The handshake failed.
    #[error("no TLS: {0}")]
    Tls(#[source] io::Error),
    /// The connection broke before the answer.
    #[error("no answer: {0}")]
    Broken(String),
    /// It took too long.
    #[error("no answer in time")]
    Late,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Place {
    /// The place of an origin.
    #[must_use]
    pub fn of(origin: &Origin) -> Self {
        let tls = origin.is_https();
        let port = origin.authority().strip_prefix(origin.host()).unwrap_or_default();
        let port = port.trim_start_matches(':').parse();
        let host = origin.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Self { tls, host, port: port.unwrap_or(if tls { 443 } else { 80 }) }
    }

    /// As in a `Host` header.
    #[must_use]
    pub fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match (self.tls, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Its addresses.
    ///
    /// # Errors
    /// [`Failure::Name`].
    pub async fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        let found = timeout(CONNECT, lookup_host((self.host.as_str(), self.port))).await;
        let found = found.map_err(|_| Failure::Name)?.map_err(|_| Failure::Name)?;
        let found: Vec<_> = found.collect();
        if found.is_empty() { Err(Failure::Name) } else { Ok(found) }
    }

    /// Connects to the first address that takes the connection.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn connect(&self) -> Result<Connection, Failure> {
        let mut failure = Failure::Name;
        for address in self.addresses().await? {
            match timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return self.secure(stream).await,
                Ok(Err(error)) => failure = Failure::Connect(error),
                Err(_) => failure = Failure::Connect(io::ErrorKind::TimedOut.into()),
            }
        }
        Err(failure)
    }

    async fn secure(&self, stream: TcpStream) -> Result<Connection, Failure> {
        let own = stream.local_addr().map_err(Failure::Connect)?;
        if !self.tls {
            return Ok(Connection { stream: Box::new(stream), own, chain: Vec::new() });
        }
        let config = takes_any().map_err(|error| Failure::Tls(io::Error::other(error)))?;
        let name = ServerName::try_from(self.host.clone()).map_err(|_| Failure::Name)?;
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
        let late = |_| Failure::Tls(io::ErrorKind::TimedOut.into());
        let stream = timeout(CONNECT, connecting).await.map_err(late)?.map_err(Failure::Tls)?;
        let chain = stream.get_ref().1.peer_certificates().unwrap_or_default().to_vec();
        Ok(Connection { stream: Box::new(stream), own, chain })
    }

    /// Reads a page.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.ask(Method::GET, path, None, Bytes::new()).await
    }

    /// Asks on a connection of its own.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        kind: Option<&str>,
        body: Bytes,
    ) -> Result<Answer, Failure> {
        let connection = self.connect().await?;
        let mut request =
            Request::builder().method(method).uri(path).header(HOST, self.authority());
        if let Some(kind) = kind {
            request = request.header(CONTENT_TYPE, kind);
        }
        let broken = |error: &dyn std::error::Error| Failure::Broken(error.to_string());
        let request = request.body(Full::new(body)).map_err(|error| broken(&error))?;
        let asking = async {
            let io = TokioIo::new(connection.stream);
            let (mut sender, driver) =
                http1::handshake(io).await.map_err(|error| broken(&error))?;
            let driving = tokio::spawn(driver);
            let answer = sender.send_request(request).await.map_err(|error| broken(&error))?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, LONGEST).collect().await;
            let body = body.map_err(|error| broken(&*error))?.to_bytes();
            driving.abort();
            Ok(Answer { status: head.status, headers: head.headers, body })
        };
        timeout(ANSWER, asking).await.unwrap_or(Err(Failure::Late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_leads_to_a_place() {
        for (origin, host, port, authority) in [
            ("https://a.example", "a.example", 443, "a.example"),
            ("http://a.example:8080", "a.example", 8080, "a.example:8080"),
            ("https://[::1]:8443", "::1", 8443, "[::1]:8443"),
            ("http://[::1]", "::1", 80, "[::1]"),
        ] {
            let place = Place::of(&origin.parse().unwrap());
            assert_eq!((&*place.host, place.port), (host, port));
            assert_eq!(place.authority(), authority);
        }
    }

    #[tokio::test]
    async fn an_answer_without_an_end_is_not_read_for_ever() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            // A request that is not read would end the connection with an error by itself.
            assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
            let mut bytes = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
            bytes.resize(LONGEST + 1_000, b'a');
            let _ = stream.write_all(&bytes).await;
        });
        let place = Place { tls: false, host: "127.0.0.1".to_owned(), port };
        assert!(matches!(place.get("/").await, Err(Failure::Broken(_))));
    }
}
