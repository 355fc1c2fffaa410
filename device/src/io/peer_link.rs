//! One WebRTC connection to one device, as `client/src/transport/peer-link.ts` has it: what two browsers say to each other by
//! simple-peer, and the two data channels of L5.
//!
//! The library is `webrtc`. Nothing but this module names it, so that it can be replaced.

mod connection;
mod negotiation;
mod path;
mod runtime;
mod signal;
mod task;
mod writing;

use std::net::SocketAddr;

use heliograph_shared::socket::IceServer;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use self::task::Task;
use super::outbox::Outboxes;
use crate::engine::contract::Buffer;

/// Signals that wait for the connection, at most. A device that sends more is not one that wants to connect.
const MOST_SIGNALS: usize = 256;

/// How a connection is made.
#[derive(Clone, Debug)]
pub struct PeerLinkOptions {
    /// What its events bear.
    pub link: u64,
    /// Whether this device makes the offer (L1).
    pub is_initiator: bool,
    /// The STUN and TURN servers (S37). Those that the library cannot use are left out: TURN over TCP and over TLS.
    pub ice_servers: Vec<IceServer>,
    /// Where it listens. An unspecified address stands for all addresses of its family that the device has, without those of
    /// the loopback interface; port 0 for any port.
    pub addresses: Vec<SocketAddr>,
}

impl PeerLinkOptions {
    /// All addresses of this device, over IPv4 and IPv6.
    #[must_use]
    pub fn every_address() -> Vec<SocketAddr> {
        vec![([0u8; 4], 0).into(), ([0u16; 8], 0).into()]
    }
}

/// How the packets of a connection travel: from device to device, or over a TURN server at either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerPath {
    /// Without a server.
    Direct,
    /// Over TURN.
    Turn,
}

/// What happens to a connection.
#[derive(Debug)]
pub struct LinkEvent {
    /// Which.
    pub link: u64,
    /// What.
    pub event: PeerLinkEvent,
}

/// What happens to one connection.
#[derive(Debug)]
pub enum PeerLinkEvent {
    /// The other device is to be told this.
    Signal(Value),
    /// Both data channels are open. Frames come after this only.
    Opened {
        /// The way of its packets.
        path: PeerPath,
        /// The largest frame that the other device takes, in bytes (F8).
        max_frame: usize,
    },
    /// The packets of the open connection take another way.
    Path(PeerPath),
    /// Nothing comes over the open connection any more, or again.
    Broken(bool),
    /// A frame came.
    Frame(Vec<u8>),
    /// There is room for chunks again: [`PeerLink::buffer`] says how much.
    Room,
    /// The connection has ended, for whatever reason, or could not be made. Nothing follows.
    Closed,
}

enum Command {
    Signal(Value),
    Renew(Vec<IceServer>),
    RoundTrip(oneshot::Sender<Option<std::time::Duration>>),
}

/// A connection. It ends when this is dropped.
#[derive(Debug)]
pub struct PeerLink {
    commands: mpsc::Sender<Command>,
    closing: watch::Sender<bool>,
    outboxes: Outboxes,
}

impl PeerLink {
    /// Begins to connect. What comes of it, a failure too, is told by `events`.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn open(options: PeerLinkOptions, events: mpsc::Sender<LinkEvent>) -> Self {
        let (commands, received) = mpsc::channel(MOST_SIGNALS);
        let (closing, is_closing) = watch::channel(false);
        let (outboxes, chunks, frames) = Outboxes::new();
        let link = options.link;
        let task = Task::new(options, received, is_closing, chunks, frames, events.clone());
        // Whatever a hostile device makes of it, what follows is an end.
        let running = tokio::spawn(task.run());
        tokio::spawn(async move {
            let _ = running.await;
            let _ = events.send(LinkEvent { link, event: PeerLinkEvent::Closed }).await;
        });
        Self { commands, closing, outboxes }
    }

    /// Takes a signal of the other device. One that makes no sense ends the connection.
    pub fn signal(&self, signal: Value) {
        if self.commands.try_send(Command::Signal(signal)).is_err() {
            self.close();
        }
    }

    /// Takes servers with new credentials. Only a connection over TURN needs them at once (L4).
    pub fn renew(&self, ice_servers: Vec<IceServer>) {
        let _ = self.commands.try_send(Command::Renew(ice_servers));
    }

    /// Sends a frame of chunks. A link on which more than 8 MiB wait closes.
    pub fn send(&self, frame: Vec<u8>) {
        if !self.outboxes.send(frame) {
            self.close();
        }
    }

    /// Sends any other frame, before the chunks that wait. A link on which more than 256 KiB of them wait closes.
    pub fn say(&self, frame: Vec<u8>) {
        if !self.outboxes.say(frame) {
            self.close();
        }
    }

    /// What waits, and how much room there is for chunks. What is on its way and not acknowledged counts as waiting.
    #[must_use]
    pub fn buffer(&self) -> Buffer {
        self.outboxes.buffer()
    }

    /// The round trip of the pair of addresses in use; `None` while there is none.
    pub async fn round_trip(&self) -> Option<std::time::Duration> {
        let (answer, told) = oneshot::channel();
        self.commands.send(Command::RoundTrip(answer)).await.ok()?;
        told.await.ok().flatten()
    }

    /// Ends the connection. [`PeerLinkEvent::Closed`] follows.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }
}
