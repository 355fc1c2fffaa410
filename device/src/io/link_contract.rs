//! What a direct link is told and what it tells, whatever it is made of.

use std::net::SocketAddr;

use heliograph_shared::socket::IceServer;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::outbox::Outgoing;

/// How a connection is made.
#[derive(Clone, Debug)]
pub struct PeerLinkOptions {
    /// What its events bear.
    pub link: u64,
    /// Whether this device makes the offer (L1).
    pub is_initiator: bool,
    /// The STUN and TURN servers (S37).
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
    /// There is room for chunks again: [`DirectLink::buffer`](super::direct_link::DirectLink::buffer) says how much.
    Room,
    /// The connection has ended, for whatever reason, or could not be made. Nothing follows.
    Closed,
}

/// What the task of a connection is told.
pub(super) enum Command {
    /// The other device says this.
    Signal(Value),
    /// There are servers with new credentials.
    Renew(Vec<IceServer>),
}

/// What the task of a connection has of the link that it is for.
pub(super) struct LinkEnds {
    pub(super) options: PeerLinkOptions,
    pub(super) commands: mpsc::Receiver<Command>,
    /// The link is to end, or was dropped.
    pub(super) closing: watch::Receiver<bool>,
    /// The chunks that it is to send, and all other frames.
    pub(super) bulk: Outgoing,
    pub(super) control: Outgoing,
    pub(super) events: mpsc::Sender<LinkEvent>,
}
