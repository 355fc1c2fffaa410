//! HTTP on one connection, with the same bounds on every listener.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::address::Peer;

/// Time for a request's head, and for a TLS handshake. A slower client only occupies a connection.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest head of a request. Also what a connection reads ahead of a body, which each connection may make the server
/// hold.
const HEADER_BYTES: usize = 16 * 1024;
/// Pause after a failed accept, such as for lack of file descriptors: the next one would fail too.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Answers the requests of a connection until it ends, or until the shutdown and the end of its last answer.
pub async fn serve<S>(stream: S, router: Router, peer: Peer, shutdown: &CancellationToken)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = Box::pin(connection);
    let ended = tokio::select! {
        result = connection.as_mut() => result,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection failed");
    }
}
