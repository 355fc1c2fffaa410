//! What the core is told, and what it says must happen.

use std::net::SocketAddr;
use std::time::Instant;

pub use crate::message::incoming::{Family, Parity};

/// How a client reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// A stream.
    Tcp,
    /// A stream that is encrypted.
    Tls,
}

/// The client and the server's address that it uses: what an allocation belongs to (RFC 8656 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FiveTuple {
    /// The protocol.
    pub transport: Transport,
    /// The client's address, as it is seen here.
    pub client: SocketAddr,
    /// The address at which the server was reached.
    pub server: SocketAddr,
    /// Tells streams apart that had the same addresses one after the other. 0 for datagrams.
    pub connection: u64,
}

impl FiveTuple {
    /// Whether the client sends a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.transport != Transport::Udp
    }
}

/// The number of a relay socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelayId(pub u64);

/// The time, as the core is told it.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Steady time, for lifetimes and rates.
    pub steady: Instant,
    /// Wall clock time in seconds since 1970, for credentials and nonces.
    pub unix: u64,
}

/// No port was left for a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPortLeft;

/// What has happened.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A client sent a datagram, or one whole message on its stream.
    FromClient(FiveTuple, &'a [u8]),
    /// A datagram arrived at a relay.
    FromPeer(RelayId, SocketAddr, &'a [u8]),
    /// A relay that was asked for is open, bound to this address, or could not be opened.
    RelayOpened(RelayId, Result<SocketAddr, NoPortLeft>),
    /// A client's stream has ended.
    Disconnected(FiveTuple),
    /// The deadline may have passed.
    Tick,
}

/// What must happen, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<'a> {
    /// Send this to a client.
    ToClient(FiveTuple, Vec<u8>),
    /// Send this from a relay to a peer.
    ToPeer(RelayId, SocketAddr, &'a [u8]),
    /// Open a relay, and tell whether it went well.
    OpenRelay(RelayId, Family, Parity),
    /// Close a relay.
    CloseRelay(RelayId),
    /// The allocation of this stream has run out: close the stream too (RFC 8656 section 3.1).
    Disconnect(FiveTuple),
}
