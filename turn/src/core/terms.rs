//! What all shards of a server have in common.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use super::event::Family;
use super::nonce::Nonces;
use super::own_relays::{OwnRelays, RelayHost};
use super::quotas::Quotas;
use crate::config::{Config, Limits};
use crate::counters::{Counters, Counts};
use crate::peers::PeerPolicy;

/// The conditions under which clients get a relay.
pub struct Terms {
    /// The name of the place for which credentials are good.
    pub(super) realm: String,
    /// By which credentials are made.
    pub(super) secret: Vec<u8>,
    /// The most that an allocation may relay each way, in bytes a second.
    pub(super) bandwidth: u64,
    pub(super) nonces: Nonces,
    pub(super) peers: PeerPolicy,
    pub(super) quotas: Arc<Quotas>,
    pub(super) relays: OwnRelays,
    pub(crate) counters: Counters,
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms").field("realm", &self.realm).finish_non_exhaustive()
    }
}

impl Terms {
    /// By the configuration, with no allocation yet. `random` is the secret of nonces.
    #[must_use]
    pub fn new(config: &Config, random: [u8; 64]) -> Self {
        let Limits { per_device, per_address, in_all, bandwidth, .. } = config.limits;
        Self {
            realm: config.realm.clone(),
            secret: config.secret.clone(),
            bandwidth,
            nonces: Nonces::new(random),
            peers: PeerPolicy::new(config.allowed_peers.clone()),
            quotas: Arc::new(Quotas::new(per_device, per_address, in_all)),
            relays: OwnRelays::new(config.relay_hosts.clone()),
            counters: Counters::default(),
        }
    }

    /// Where relays of a family are, if there are any.
    #[must_use]
    pub fn relay_host(&self, family: Family) -> Option<RelayHost> {
        self.relays.host(family)
    }

    /// Whether a permission may be given for this host. An own relay is known by its port, which a permission has not,
    /// so data is judged again by [`Terms::may_reach`].
    #[must_use]
    pub fn may_permit(&self, host: IpAddr) -> bool {
        self.peers.permits(host) || self.relays.is_advertised(host)
    }

    /// Whether data may go to this peer, and come from it.
    #[must_use]
    pub fn may_reach(&self, peer: SocketAddr) -> bool {
        if self.relays.is_of_host(peer.ip()) {
            self.relays.is_open(peer) || self.peers.names(peer.ip())
        } else {
            self.peers.permits(peer.ip())
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counters.read(u64::try_from(self.quotas.taken()).unwrap_or(u64::MAX))
    }

    /// The relays that are open.
    #[must_use]
    pub fn open_relays(&self) -> usize {
        self.relays.count()
    }
}
