//! One websocket: the upgrade, reading and writing side by side, the heartbeat, the close codes. It owns no rules of a
//! beam. One task a socket; a blocked write never keeps it from reading, nor the other way round.

mod ending;
mod handshake;
mod reading;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::{MAX_FRAME_BYTES, PING_INTERVAL, SOCKET_IDLE};
use heliograph_shared::socket::ServerMessage;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{ReadHalf, WriteHalf};
use tokio::time::{Instant, sleep_until};

use ending::finish;
pub use handshake::upgrade;

use crate::address::Client;
use crate::app::App;
use crate::auth::Session;
use crate::beam::ConnectionId;
use crate::limit::Counted;
use crate::outbox::Outbox;
use crate::websocket::{Message, Reader, Writer};

type Incoming = Reader<ReadHalf<TokioIo<Upgraded>>>;
type Outgoing = Writer<WriteHalf<TokioIo<Upgraded>>>;

/// Why a socket's work is over.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The other side said goodbye.
    Goodbye,
    /// The connection broke.
    Lost,
    /// We close it.
    Close(CloseCode),
}

/// One open socket.
struct Socket {
    app: Arc<App>,
    beam: BeamId,
    client: Option<Client>,
    connection: ConnectionId,
    outbox: Arc<Outbox>,
    heard: Heard,
    /// Whose cookie came with the upgrade (S27).
    session: Option<Arc<Session>>,
    /// Counts for the limit by address while the socket is open.
    _counted: Option<Counted<Client>>,
}

/// When something last came, in milliseconds since the socket was opened.
struct Heard {
    opened: Instant,
    last: AtomicU64,
}

impl Heard {
    fn new(opened: Instant) -> Self {
        Self { opened, last: AtomicU64::new(0) }
    }

    fn now(&self, now: Instant) {
        let millis = now.duration_since(self.opened).as_millis();
        self.last.store(u64::try_from(millis).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn at(&self) -> Instant {
        self.opened + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }
}

impl Socket {
    /// Serves the socket until it ends.
    async fn run(self, upgraded: Upgraded) {
        let (reading, writing) = tokio::io::split(TokioIo::new(upgraded));
        let mut reader = Incoming::new(reading, MAX_FRAME_BYTES, self.app.buffers.clone());
        let mut writer = Outgoing::new(writing, self.app.buffers.clone());
        let mut joined = None;
        let end = tokio::select! {
            biased;
            code = self.outbox.closing() => End::Close(code),
            end = self.read(&mut reader, &mut joined) => end,
            () = self.write(&mut writer) => End::Lost,
            code = self.heartbeat() => End::Close(code),
        };
        if let Some(beam) = joined {
            beam.gone(self.connection).await;
        }
        self.app.sockets.closed(self.connection);
        tracing::debug!(?end, "a socket ended");
        Box::pin(finish(reader, writer, &end)).await;
    }

    /// Writes what the outbox holds until the connection breaks.
    async fn write(&self, writer: &mut Outgoing) {
        loop {
            let mut batch = self.outbox.take().await;
            if writer.write(batch.messages.drain(..)).await.is_err() {
                return;
            }
            self.outbox.written(&batch);
        }
    }

    /// Pings, and notices silence (S13).
    async fn heartbeat(&self) -> CloseCode {
        let mut ping_at = self.heard.opened + PING_INTERVAL;
        loop {
            sleep_until(ping_at.min(self.heard.at() + SOCKET_IDLE)).await;
            let now = self.app.clock.steady();
            if now >= self.heard.at() + SOCKET_IDLE {
                return CloseCode::Idle;
            }
            if now >= ping_at {
                self.outbox.push(Message::Ping);
                ping_at = now + PING_INTERVAL;
            }
        }
    }

    /// Tells the device that something was refused; the socket stays.
    fn refuse(&self, detail: &str, code: ErrorCode) {
        let error = ServerMessage::Error { message: detail.to_owned(), extra: code };
        match serde_json::to_string(&error) {
            Ok(text) => self.outbox.push(Message::text(text)),
            Err(error) => tracing::error!(%error, "a message could not be written"),
        }
    }
}
