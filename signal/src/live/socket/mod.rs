//! One websocket: reading, writing, the heartbeat, and the close codes. It knows no rules of a beam, and of HTTP only
//! the upgraded connection. Each socket is one task, in which a blocked write does not keep it from reading, nor the
//! other way round.

mod allowance;
mod ending;
mod joining;
mod last_heard;
mod reading;

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use bytes::BytesMut;
use heliograph_shared::api::accounts::PublicUser;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::{BeamId, DeviceId};
use heliograph_shared::limits::{MAX_FRAME_BYTES, PING_INTERVAL, SOCKET_IDLE};
use heliograph_shared::socket::{JoinPolicy, RelayUse, ServerMessage};
use heliograph_storage::Storage;
use heliograph_storage::accounts::AccountId;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{ReadHalf, WriteHalf};
use tokio::time::{sleep, sleep_until};

use ending::finish;
use last_heard::{LastHeard, Listening};

use crate::address::Client;
use crate::budget::{Budget, Kind, Share};
use crate::clock::Clock;
use crate::ice::{IceServers, RENEW_AFTER};
use crate::limit::Buckets;
use crate::live::beam::ConnectionId;
use crate::live::beam::hub::Hub;
use crate::live::outbox::Outbox;
use crate::live::refusal::Refusal;
use crate::live::sockets::Sockets;
use crate::live::websocket::{Memory, Message, Pool, Reader, Utf8Bytes, Writer};
use crate::quota;
use crate::random;
use crate::tally::Tally;

type SocketReader<'a> = Reader<Listening<'a, ReadHalf<TokioIo<Upgraded>>>, Share>;
type SocketWriter = Writer<WriteHalf<TokioIo<Upgraded>>>;

/// The parts of the server that every socket uses.
#[derive(Debug)]
pub struct Context {
    /// The wall clock and the steady clock.
    pub clock: Clock,
    /// The database.
    pub storage: Storage,
    /// The live beams.
    pub hub: Hub,
    /// The open sockets. Each removes itself when it ends.
    pub sockets: Arc<Sockets>,
    /// Buffers for relayed frames.
    pub buffers: Arc<Pool>,
    /// The memory for waiting data.
    pub budget: Arc<Budget>,
    /// What the server counts.
    pub counts: Arc<Tally>,
    /// What each device is told for its `RTCPeerConnection`s (S4, S37).
    pub ice_servers: IceServers,
    /// Where files go through the server (R6).
    pub relay: RelayUse,
    /// How devices without the link are let into a sealed beam (E13).
    pub join_policy: JoinPolicy,
    /// The quotas, of which a device is told its own (S4).
    pub quotas: quota::Limits,
    /// The limit on guesses of ids and keys, by address (S2).
    pub guesses: Arc<Buckets<Client>>,
    /// The limit on wishes to keep a beam, by address (S30).
    pub keeps: Arc<Buckets<Client>>,
}

/// The login that the upgrade's cookie proved (S27).
#[derive(Debug)]
pub struct Login {
    /// The account, which decides what the device may do.
    pub account: AccountId,
    /// How other devices see the user.
    pub user: PublicUser,
}

/// Why a socket ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The other side closes, with or without a code.
    Goodbye(Option<u16>),
    /// The connection broke.
    Lost,
    /// The server closes it.
    Close(CloseCode),
}

/// A message for the beam or the relay. The websocket handles control frames itself.
enum Received {
    Text(Utf8Bytes),
    Frame(BytesMut),
}

/// One open socket.
pub struct Socket {
    context: Arc<Context>,
    beam: BeamId,
    client: Option<Client>,
    /// The name under which the client reaches this server.
    host: String,
    connection: ConnectionId,
    outbox: Arc<Outbox>,
    login: Option<Login>,
    /// The device, once it has joined and if it understands more than a plain one.
    device: OnceLock<DeviceId>,
}

impl Socket {
    /// A socket for `beam`. `connection` is its id from [`Sockets::open`].
    #[must_use]
    pub fn new(
        context: Arc<Context>,
        beam: BeamId,
        client: Option<Client>,
        host: String,
        (connection, outbox): (ConnectionId, Arc<Outbox>),
        login: Option<Login>,
    ) -> Self {
        let device = OnceLock::new();
        Self { context, beam, client, host, connection, outbox, login, device }
    }

    /// Runs the socket until it ends.
    pub async fn run(self, upgraded: Upgraded) {
        let heard = LastHeard::new(self.context.clock);
        let (reading, writing) = tokio::io::split(TokioIo::new(upgraded));
        let listening = Listening { io: reading, heard: &heard };
        let buffers = &self.context.buffers;
        let memory = self.context.budget.nothing(Kind::Arriving);
        let reader = Reader::new(listening, MAX_FRAME_BYTES, buffers.clone());
        let mut reader: SocketReader<'_> = reader.within(memory);
        let mut writer = SocketWriter::new(writing, buffers.clone());
        let end = tokio::select! {
            biased;
            code = self.outbox.closing() => End::Close(code),
            end = self.read(&mut reader) => end,
            () = self.write(&mut writer) => End::Lost,
            code = self.heartbeat(&heard) => End::Close(code),
            never = self.renew_ice_servers() => match never {},
        };
        self.context.sockets.closed(self.connection);
        match end {
            End::Close(code) => self.context.counts.closed(code),
            End::Goodbye(_) | End::Lost => self.context.counts.sockets_left.one(),
        }
        tracing::debug!(?end, "socket ended");
        // What had come of a message is not needed any more, and others may need the memory.
        let closing = reader.closing();
        Box::pin(finish(closing, writer, &end)).await;
    }

    /// Writes what the outbox holds, until the connection breaks.
    async fn write(&self, writer: &mut SocketWriter) {
        loop {
            let mut batch = self.outbox.take(self.context.clock).await;
            if writer.write(&mut batch.messages).await.is_err() {
                return;
            }
            self.outbox.written(&batch);
        }
    }

    /// Sends pings, and returns a close code after a silence (S13).
    async fn heartbeat(&self, heard: &LastHeard) -> CloseCode {
        let mut ping_at = heard.at() + PING_INTERVAL;
        loop {
            sleep_until(ping_at.min(heard.at() + SOCKET_IDLE)).await;
            let now = self.context.clock.steady();
            if now >= heard.at() + SOCKET_IDLE {
                return CloseCode::Idle;
            }
            if now >= ping_at {
                self.outbox.push(Message::Ping);
                ping_at = now + PING_INTERVAL;
            }
        }
    }

    /// Sends new credentials before the last ones expire (S37). Their time is counted from here, a moment before the
    /// first ones are made.
    async fn renew_ice_servers(&self) -> Infallible {
        loop {
            sleep(RENEW_AFTER).await;
            let Some(device) = self.device.get() else { continue };
            let now = self.context.clock.now();
            let message = self.context.ice_servers.for_device(*device, &self.host, now);
            if message.iter().any(|server| server.credential.is_some()) {
                self.tell(&ServerMessage::IceServers { message });
            }
        }
    }

    /// Tells the device that something was refused. The socket stays open.
    fn refuse(&self, refusal: Refusal) {
        self.outbox.count_refusal(refusal.code());
        self.tell(&ServerMessage::from(refusal));
    }

    fn tell(&self, message: &ServerMessage) {
        match serde_json::to_string(message) {
            Ok(text) => self.outbox.push(Message::text(text)),
            Err(error) => tracing::error!(%error, "a message could not be written"),
        }
    }
}

/// A message that is being received counts for the budget.
impl Memory for Share {
    fn hold(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes());
        more == 0 || self.grow(more).is_ok()
    }

    fn free(&mut self) {
        if self.bytes() > 0 {
            self.shrink(self.bytes());
        }
    }
}

/// Random bytes for an id or a token. The socket cannot go on without them.
fn fresh<const N: usize>() -> Result<[u8; N], CloseCode> {
    random::bytes().map_err(|error| {
        tracing::error!(%error, "no randomness");
        CloseCode::Overload
    })
}
