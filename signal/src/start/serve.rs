//! The accept loops, and the graceful shutdown.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::address::Peer;
use crate::app::{App, Listening};
use crate::connections::Connected;
use crate::edge::passing_on;
use crate::edge::router::router;
use crate::start::http::{self, ACCEPT_PAUSE, HEADER_TIMEOUT};
use crate::start::linger::Linger;
use crate::start::patience::Patient;
use crate::start::sweeper;
use crate::start::{metrics, nodes, operator};

/// The response on a connection beyond the limits.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
    content-type: application/json\r\ncontent-length: 81\r\n\r\n\
    {\"detail\":\"The server has too many connections. Try again.\",\"code\":\"unavailable\"}";
/// Refused connections that are answered at a time. Further ones are closed without an answer.
const REFUSALS: usize = 64;
/// Time for open connections to end after the sockets were closed; with those ten seconds it stays under 15 (S19).
const END_TIMEOUT: Duration = Duration::from_millis(3_500);
/// Time for beams to go to other nodes.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(8);
/// Time to store what is not stored yet, before 15 s are over.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

/// The bound listeners, not yet accepting.
pub struct Listeners {
    /// For http.
    pub plain: TcpListener,
    /// For https, with the TLS handshake.
    pub tls: Option<(TcpListener, TlsAcceptor)>,
    /// The embedded TURN server, which runs already.
    pub turn: Option<Arc<heliograph_turn::Handle>>,
    /// For the metrics.
    pub metrics: Option<TcpListener>,
    /// For the other nodes of the server.
    pub nodes: Option<TcpListener>,
    /// For the operator's commands.
    pub commands: Option<operator::Commands>,
}

impl Listeners {
    /// Their addresses, with the real ports.
    ///
    /// # Errors
    /// When the operating system does not tell them.
    pub fn listening(&self) -> io::Result<Listening> {
        let tls = self.tls.as_ref().map(|(listener, _)| listener.local_addr()).transpose()?;
        let metrics = self.metrics.as_ref().map(TcpListener::local_addr).transpose()?;
        Ok(Listening { plain: self.plain.local_addr()?, tls, metrics })
    }
}

/// Serves until `shutdown`, then shuts down gracefully (S19).
pub async fn serve(listeners: Listeners, app: Arc<App>, shutdown: CancellationToken) {
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    let server = Server { router: router(app.clone()), refusals, app: app.clone(), shutdown };
    server.app.tasks.spawn(sweeper::run(app.clone(), server.shutdown.clone()));
    let Listeners { plain, tls, turn, metrics, nodes: for_nodes, commands } = listeners;
    let left = CancellationToken::new();
    let stays = tokio::spawn(nodes::stay(app.clone(), left.clone()));
    if let Some(listener) = for_nodes {
        // Until the node has left: others pass devices on.
        tokio::spawn(nodes::answer(listener, app.clone(), left.clone()));
    }
    if let Some(listener) = commands {
        app.tasks.spawn(operator::listen(listener, app.clone(), server.shutdown.clone()));
    }
    if let Some(listener) = metrics {
        let (app, shutdown) = (app.clone(), server.shutdown.clone());
        app.tasks.spawn(metrics::serve(listener, app.clone(), turn.clone(), shutdown));
    }
    if let Some((listener, acceptor)) = tls {
        app.tasks.spawn(server.clone().accept(listener, Some(acceptor)));
    }
    server.clone().accept(plain, None).await;
    let hand_over = async {
        if !app.bus.is_alone()
            && timeout(HAND_OVER_TIMEOUT, app.live.hub.hand_over_all()).await.is_err()
        {
            tracing::warn!("some beams could not be handed over in time");
        }
        app.live.sockets.close_all().await;
    };
    // The devices that are passed on are in beams of other nodes.
    tokio::join!(hand_over, passing_on::end_all(&app));
    app.tasks.close();
    let turn_stops = async {
        if let Some(turn) = turn {
            turn.stop().await;
        }
    };
    let all_end = async { tokio::join!(app.tasks.wait(), turn_stops) };
    if timeout(END_TIMEOUT, all_end).await.is_err() {
        tracing::warn!(tasks = app.tasks.len(), "some connections did not end in time");
    }
    if timeout(STORE_TIMEOUT, app.live.hub.store_all()).await.is_err() {
        tracing::warn!("some beams could not be stored in time");
    }
    left.cancel();
    let _ = stays.await;
}

#[derive(Clone)]
struct Server {
    router: Router,
    /// Places for [`REFUSALS`].
    refusals: Arc<Semaphore>,
    app: Arc<App>,
    shutdown: CancellationToken,
}

impl Server {
    async fn accept(self, listener: TcpListener, tls: Option<TlsAcceptor>) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.shutdown.cancelled() => return,
            };
            match accepted {
                Ok((stream, peer)) => self.admit(stream, peer.ip(), tls.as_ref()),
                Err(error) if is_of_one_client(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "accept failed");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves a connection, or refuses it for lack of a place.
    fn admit(&self, stream: TcpStream, ip: IpAddr, tls: Option<&TlsAcceptor>) {
        let tasks = &self.app.tasks;
        if let Some(connected) = self.app.connections.enter(ip) {
            tasks.spawn(self.clone().connection(stream, ip, tls.cloned(), connected));
            return;
        }
        self.app.counts.refused_connections.one();
        // No response over https: it would take a TLS handshake first.
        if tls.is_none()
            && let Ok(place) = self.refusals.clone().try_acquire_owned()
        {
            tasks.spawn(async move {
                refuse(stream).await;
                drop(place);
            });
        }
    }

    async fn connection(
        self,
        stream: TcpStream,
        ip: IpAddr,
        tls: Option<TlsAcceptor>,
        connected: Connected,
    ) {
        let tasks = self.app.tasks.clone();
        let Ok(stream) = Patient::of(stream, connected, tasks) else { return };
        match tls {
            None => http::serve(stream, self.router, Peer { ip, tls: false }, &self.shutdown).await,
            Some(acceptor) => {
                let handshake = timeout(HEADER_TIMEOUT, acceptor.accept(stream)).await;
                if let Ok(Ok(stream)) = handshake {
                    let peer = Peer { ip, tls: true };
                    http::serve(stream, self.router, peer, &self.shutdown).await;
                }
            }
        }
    }
}

/// Answers 503 and closes.
async fn refuse(mut stream: TcpStream) {
    // It fits into the kernel's buffer, so no slow reader is waited for. The client may be gone already.
    if stream.write_all(TOO_MANY).await.is_ok() && stream.shutdown().await.is_ok() {
        Linger::new(stream, None).await;
    }
}

/// Whether only this client's connection failed, so that the next can be accepted at once.
fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
