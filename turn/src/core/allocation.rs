//! One allocation: what a client has on the server (RFC 8656 section 3.2).

use std::net::SocketAddr;
use std::time::Instant;

use super::channels::{Channels, Permissions};
use super::event::{Family, RelayId};
use super::quotas::Place;
use super::rate::TokenBucket;
use crate::message::integrity::{Integrity, Key};
use crate::message::refusal::Refusal;

/// Who a request comes from, proven by its signature.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The user name of the credentials.
    pub username: String,
    /// By which answers are signed.
    pub key: Key,
    /// How they are signed.
    pub integrity: Integrity,
}

/// A relay that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The socket.
    pub id: RelayId,
    /// The relayed transport address, as it is told.
    pub address: SocketAddr,
}

impl Relay {
    /// The family of addresses that it reaches.
    #[must_use]
    pub fn family(&self) -> Family {
        Family::of(&self.address)
    }
}

/// An allocation whose relays are being opened.
#[derive(Debug)]
pub struct Opening {
    /// The Allocate request, to be answered.
    pub request: Vec<u8>,
    /// Who sent it.
    pub signer: Signer,
    /// Granted lifetime in seconds.
    pub lifetime: u32,
    /// The relays that have not been reported yet.
    pub awaited: Vec<(RelayId, Family)>,
    /// Those that are open.
    pub relays: Vec<Relay>,
    /// Families of which there is no relay, and why it is so.
    pub missing: Vec<(Family, Refusal)>,
    /// Its place among the quotas.
    pub place: Place,
}

/// An allocation.
#[derive(Debug)]
pub struct Allocation {
    /// The user name it was made with. No other may use it.
    pub username: String,
    /// The transaction that made it: the same again is answered the same.
    pub transaction: u128,
    /// Granted lifetime in seconds.
    pub lifetime: u32,
    /// When it ends.
    pub expires: Instant,
    /// One relay, or one of each family.
    pub relays: Vec<Relay>,
    /// Hosts that may send and be sent to.
    pub permissions: Permissions,
    /// Numbers that stand for peers.
    pub channels: Channels,
    /// What may go to peers.
    pub to_peers: TokenBucket,
    /// What may come from peers.
    pub to_client: TokenBucket,
    /// Its place among the quotas, free when the allocation ends.
    pub _place: Place,
}

impl Allocation {
    /// The relay that reaches a peer.
    #[must_use]
    pub fn relay_for(&self, peer: &SocketAddr) -> Option<Relay> {
        self.relays.iter().find(|relay| relay.family() == Family::of(peer)).copied()
    }
}
