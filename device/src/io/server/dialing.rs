//! Connections to a server.

use std::io;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::failure::Failure;

/// Time for a connection to one of the addresses, and for the handshake of TLS.
const CONNECT_WITHIN: Duration = Duration::from_secs(8);

/// A connection, with or without TLS.
pub(in crate::io) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Connects to a server.
pub(super) async fn dial(
    url: &Url,
    tls: Option<&TlsConnector>,
) -> Result<Box<dyn Stream>, Failure> {
    let host = match url.host() {
        // Without the brackets of an address in a URL.
        Some(Host::Ipv6(ip)) => ip.to_string(),
        Some(host) => host.to_string(),
        None => return Err(Failure::NoAddress),
    };
    let port = url.port_or_known_default().ok_or(Failure::NoAddress)?;
    dial_at(host, port, tls).await
}

/// Connects to a port of a host, which is an address without brackets or a name.
pub(super) async fn dial_at(
    host: String,
    port: u16,
    tls: Option<&TlsConnector>,
) -> Result<Box<dyn Stream>, Failure> {
    let stream = connect(&host, port).await?;
    // Frames of a few bytes must not wait for the answer to those before. Where this fails, they only come later.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    let name = ServerName::try_from(host).map_err(|_| Failure::NoAddress)?;
    let secured = timeout(CONNECT_WITHIN, tls.connect(name, stream)).await;
    Ok(Box::new(secured.map_err(|_| Failure::Late)?.map_err(Failure::Tls)?))
}

/// Connects to the first address of a name that answers.
async fn connect(host: &str, port: u16) -> Result<TcpStream, Failure> {
    let found = timeout(CONNECT_WITHIN, lookup_host((host, port))).await;
    let found = found.map_err(|_| Failure::Name(None))?.map_err(|why| Failure::Name(Some(why)))?;
    let mut failure = Failure::Name(None);
    for address in found {
        failure = match timeout(CONNECT_WITHIN, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(why)) => Failure::Connect(why),
            Err(_) => Failure::Connect(io::ErrorKind::TimedOut.into()),
        };
    }
    Err(failure)
}
