//! The way to a server: connections, calls over HTTP (`PROTOCOL.md`, section H), parts of stored copies, and the handshake of a socket
//! (section S).

mod calls;
mod dialing;
mod failure;
mod logged_in;
mod parts;
mod uploads;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use heliograph_shared::api::{BeamCode, CodeBeam, CreatedBeam};
use heliograph_shared::ids::BeamId;
use heliograph_shared::short_code::ShortCode;
use hyper::header::COOKIE;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use url::Url;

pub(super) use self::calls::{Answer, Call};
pub(super) use self::dialing::Stream;
pub use self::failure::Failure;
pub(super) use self::logged_in::{Cookie, now};
pub(super) use self::parts::{Connections, Part};
pub(super) use self::uploads::Uploaded;
use super::login::Login;
use crate::session::beam_link::server_of;

/// Time for a handshake, and for the answer to a call.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Longest message that is taken from a server. A page of `sync` has 256 KiB, unless a single item is larger.
const MOST_MESSAGE: usize = 4 << 20;

/// An open socket.
pub(super) type WebSocket = WebSocketStream<Box<dyn Stream>>;

/// A server, by its address.
#[derive(Clone)]
pub struct Server {
    url: Url,
    /// What proves that it is the one of that name; `None` for an address by http.
    tls: Option<TlsConnector>,
    /// Who is logged in there.
    login: Option<Arc<Login>>,
}

impl Server {
    /// The server at an address by http or https. By https, it has to prove itself to what this machine trusts.
    ///
    /// # Errors
    /// [`Failure::NoAddress`] for any other address, and [`Failure::Trust`] where this machine does not say what it trusts.
    pub fn at(address: &Url) -> Result<Self, Failure> {
        let url = server_of(address).ok_or(Failure::NoAddress)?;
        let tls = if url.scheme() == "https" { Some(connector()?) } else { None };
        Ok(Self { url, tls, login: None })
    }

    /// The same, whose sockets belong to a login (S27).
    #[must_use]
    pub(super) fn with_login(self, login: Arc<Login>) -> Self {
        Self { login: Some(login), ..self }
    }

    /// Its address, without a path.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Makes a beam (H1).
    ///
    /// # Errors
    /// Why there is none.
    pub async fn create_beam(&self) -> Result<CreatedBeam, Failure> {
        Call::post("/api/beams/create/").make(self).await?.json()
    }

    /// Returns the beam that a short code stands for (H34).
    ///
    /// # Errors
    /// [`Failure::Refused`] with 404 where it stands for none, or not any more.
    pub async fn find_by_code(&self, code: ShortCode) -> Result<BeamId, Failure> {
        let path = format!("/api/codes/{code}/");
        let found: CodeBeam = Call::get(&path).make(self).await?.json()?;
        Ok(found.beam_id)
    }

    /// Asks for the short code of a beam: a new one, or the one that it has (H33).
    ///
    /// # Errors
    /// Why there is none.
    pub async fn create_code(&self, beam: BeamId) -> Result<BeamCode, Failure> {
        let path = format!("/api/beams/{beam}/code/");
        Call::post(&path).make(self).await?.json()
    }

    /// Opens the socket of a beam.
    pub(super) async fn open_socket(&self, beam: BeamId) -> Result<WebSocket, Failure> {
        let scheme = if self.tls.is_some() { "wss" } else { "ws" };
        let address = format!("{scheme}://{}/ws/beam/{beam}/", self.url.authority());
        let mut address = address.into_client_request().map_err(|_| Failure::NoAddress)?;
        if let Some(cookies) = self.login_cookies().await? {
            address.headers_mut().insert(COOKIE, cookies);
        }
        let stream = dialing::dial(&self.url, self.tls.as_ref()).await?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MOST_MESSAGE))
            .max_frame_size(Some(MOST_MESSAGE));
        let opening = client_async_with_config(address, stream, Some(config));
        let (socket, _) =
            timeout(ANSWER_WITHIN, opening).await.map_err(|_| Failure::Late)?.map_err(|why| {
                use tokio_tungstenite::tungstenite::Error;
                match why {
                    Error::Http(answer) => Failure::Refused {
                        status: answer.status().as_u16(),
                        detail: calls::detail_of(answer.body().as_deref().unwrap_or_default()),
                    },
                    other => Failure::Broken(other.to_string()),
                }
            })?;
        Ok(socket)
    }
}

/// Connects to another server than this product's, which proves itself in the same way.
pub(super) async fn dial(host: &str, port: u16, is_tls: bool) -> Result<Box<dyn Stream>, Failure> {
    let tls = if is_tls { Some(connector()?) } else { None };
    dialing::dial_at(host.to_owned(), port, tls.as_ref()).await
}

/// What this machine trusts is read once: there are links that dial every few seconds, and some systems have hundreds of certificates.
fn connector() -> Result<TlsConnector, Failure> {
    static READ: OnceLock<TlsConnector> = OnceLock::new();
    if let Some(connector) = READ.get() {
        return Ok(connector.clone());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(Failure::Trust)?
        .with_no_client_auth();
    Ok(READ.get_or_init(|| TlsConnector::from(Arc::new(config))).clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use super::*;

    #[test]
    fn what_this_machine_trusts_is_read_once() {
        let (first, second) = (connector().unwrap(), connector().unwrap());
        assert!(Arc::ptr_eq(first.config(), second.config()));
    }
}
