//! Calls from one node to another, over HTTP: notices, and the websockets of devices whose beam the other one drives. They go
//! directly, because a bus in between would copy every frame of every file.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header,
};
use futures_util::future::{join, join_all};
use heliograph_shared::ids::BeamId;
use heliograph_storage::secrets::Secret;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::member::Member;
use super::notice::{News, Notice};
use super::others::Node;

/// The path to which notices go.
pub const NOTICES: &str = "/notices";
/// The id of the node that is called. At its address may be another one: after a change of addresses, or when several nodes
/// say that they are at 127.0.0.1.
const CALLED: HeaderName = HeaderName::from_static("heliograph-node");
/// Time for a connection to another node, and for its answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// A node that is heard, but could not be told for so long, is told by Redis that it has missed something.
const LONGEST: Duration = Duration::from_secs(3);

/// Why another node could not be called.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be reached.
    #[error("another node cannot be reached: {0}")]
    Connection(#[from] std::io::Error),
    /// It does not answer as a node does.
    #[error("another node does not answer: {0}")]
    Http(#[from] hyper::Error),
    /// It refuses.
    #[error("another node answers {0}")]
    Status(StatusCode),
    /// It takes too long.
    #[error("another node takes too long")]
    Slow,
    /// The call cannot be written.
    #[error("a call to another node cannot be written")]
    Unwritable,
}

/// The header value by which nodes know each other.
fn credential(secret: &Secret) -> String {
    let hash = Sha256::new_with_prefix(b"heliograph node ").chain_update(secret.as_bytes());
    hash.finalize().iter().fold("Bearer ".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

impl Member {
    /// Whether a call comes from a node of this server.
    #[must_use]
    pub fn knows(&self, headers: &HeaderMap) -> bool {
        // Hashes are compared, so that the time tells nothing of the secret.
        let hash = |text: &[u8]| -> [u8; 32] { Sha256::digest(text).into() };
        let shown = headers.get(header::AUTHORIZATION).map(|shown| hash(shown.as_bytes()));
        shown == Some(hash(credential(self.secret()).as_bytes()))
    }

    /// Whether a call is for this node.
    #[must_use]
    pub fn is_called(&self, headers: &HeaderMap) -> bool {
        let called = headers.get(CALLED).and_then(|id| id.to_str().ok());
        called.is_some_and(|id| id == self.node().to_string())
    }

    /// Tells the others, and waits until each has heeded it or is gone, or acts no more on what it knew before.
    pub(super) async fn tell_others(&self, notice: &Notice) {
        let others = self.others_now().await;
        let calls = others.iter().map(|node| self.tell(node, notice));
        let ids: Vec<_> = others.iter().map(|node| node.id).collect();
        let outlasts = async {
            if notice.is_of_what_is_stored() {
                self.outlasts_all_but(&ids).await;
            }
        };
        join(join_all(calls), outlasts).await;
    }

    /// Tells the node that drives a beam, if it is another one. The change is stored: whoever takes the beam after this
    /// finds it.
    pub(super) async fn tell_driver(&self, beam: BeamId, news: News) {
        let notice = Notice::Beam(beam, news);
        match self.driver_elsewhere(beam).await {
            Ok(Some(driver)) => self.tell(&driver, &notice).await,
            Ok(None) if self.is_driving(beam) => {}
            // A node may drive it that Redis does not name.
            Ok(None) => match self.storage().driver_of(beam).await {
                Ok(Some((node, _))) if node != self.node() => match self.find(node).await {
                    // Redis has lost that it does.
                    Ok(Some(driver)) => self.tell(&driver, &notice).await,
                    Ok(None) | Err(_) => self.outlasts(node).await,
                },
                Ok(_) | Err(_) => {}
            },
            // Whoever it is, it is among those that were heard last.
            Err(_) => self.tell_others(&notice).await,
        }
    }

    /// Tells a node, and waits until it has heeded it, or acts no more on what it knew before. What the nodes only count is said once.
    async fn tell(&self, node: &Node, notice: &Notice) {
        let Ok(text) = serde_json::to_string(notice) else { return };
        let until = Instant::now() + LONGEST;
        loop {
            match self.post(node, text.clone()).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "a node was not told"),
            }
            if !notice.is_of_what_is_stored() {
                return;
            }
            if matches!(self.find(node.id).await, Ok(None)) {
                return self.outlasts(node.id).await;
            }
            if Instant::now() >= until {
                return self.could_not_tell(node.id).await;
            }
            sleep(PAUSE).await;
        }
    }

    async fn post(&self, to: &Node, text: String) -> Result<(), Error> {
        let mut request = Request::new(Body::from(text));
        *request.method_mut() = Method::POST;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        *request.uri_mut() = axum::http::Uri::from_static(NOTICES);
        let answer = self.call(to, request).await?;
        match answer.status() {
            StatusCode::NO_CONTENT => Ok(()),
            status => Err(Error::Status(status)),
        }
    }

    /// Whether a node is at an address, and not another one or nobody.
    pub(super) async fn answers(&self, id: Uuid, address: SocketAddr) -> bool {
        let node = Node { id, address, gone: CancellationToken::new() };
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = axum::http::Uri::from_static(NOTICES);
        // It has no notices to give, and says so when it is the one.
        let answer = self.call(&node, request).await;
        answer.is_ok_and(|answer| answer.status() == StatusCode::METHOD_NOT_ALLOWED)
    }

    /// Sends a request to a node on a connection of its own, which lives on when it is upgraded.
    ///
    /// # Errors
    /// [`Error`], also when another node is at its address.
    pub async fn call(
        &self,
        to: &Node,
        mut request: Request<Body>,
    ) -> Result<Response<Incoming>, Error> {
        let credential = HeaderValue::from_str(&credential(self.secret()));
        let credential = credential.map_err(|_| Error::Unwritable)?;
        request.headers_mut().insert(header::AUTHORIZATION, credential);
        let host = HeaderValue::from_str(&to.address.to_string()).map_err(|_| Error::Unwritable)?;
        request.headers_mut().insert(header::HOST, host);
        let id = HeaderValue::from_str(&to.id.to_string()).map_err(|_| Error::Unwritable)?;
        request.headers_mut().insert(CALLED, id);
        let answered = async {
            let stream = TcpStream::connect(to.address).await?;
            stream.set_nodelay(true)?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
            tokio::spawn(async move {
                if let Err(error) = connection.with_upgrades().await {
                    tracing::debug!(%error, "a connection to another node failed");
                }
            });
            Ok::<_, Error>(sender.send_request(request).await?)
        };
        let answer = timeout(PATIENCE, answered).await.unwrap_or(Err(Error::Slow))?;
        match answer.status() {
            status @ StatusCode::MISDIRECTED_REQUEST => Err(Error::Status(status)),
            _ => Ok(answer),
        }
    }
}
