//! The relays of this server as peers of each other: two clients that both have to use it.
//!
//! Only its relay sockets can be reached so, and no other service of the host, which may trust its own address.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{PoisonError, RwLock};

use crate::message::incoming::Family;

/// Where the relays of one family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayHost {
    /// The address to which relay sockets are bound. It may be the unspecified one.
    pub bind: IpAddr,
    /// The address that clients and peers are told: another one where a router maps the one to the other.
    pub advertised: IpAddr,
}

impl RelayHost {
    /// The address under which the relays reach each other.
    fn inside(&self) -> IpAddr {
        match self.bind {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            bind => bind,
        }
    }
}

/// The relays that are open now, of all shards.
#[derive(Debug)]
pub struct OwnRelays {
    hosts: Vec<RelayHost>,
    open: RwLock<HashSet<SocketAddr>>,
}

impl OwnRelays {
    /// For the hosts that the configuration names, at most one of each family.
    #[must_use]
    pub fn new(hosts: Vec<RelayHost>) -> Self {
        Self { hosts, open: RwLock::default() }
    }

    /// Where relays of this family are, if there are any.
    #[must_use]
    pub fn host(&self, family: Family) -> Option<RelayHost> {
        let wanted = |host: &&RelayHost| host.bind.is_ipv4() == (family == Family::V4);
        self.hosts.iter().find(wanted).copied()
    }

    /// Records a relay by the address that is told.
    pub fn opened(&self, relay: SocketAddr) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(relay);
    }

    /// Forgets a relay.
    pub fn closed(&self, relay: SocketAddr) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&relay);
    }

    /// Whether the address is one that relays are told by.
    #[must_use]
    pub fn is_advertised(&self, ip: IpAddr) -> bool {
        self.hosts.iter().any(|host| host.advertised == ip)
    }

    /// Whether the address is one of the host's: only relays can be reached there.
    #[must_use]
    pub fn is_of_host(&self, ip: IpAddr) -> bool {
        self.hosts.iter().any(|host| host.advertised == ip || host.bind == ip)
    }

    /// Whether a relay is open under this address.
    #[must_use]
    pub fn is_open(&self, relay: SocketAddr) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).contains(&relay)
    }

    /// How many relays are open.
    #[must_use]
    pub fn count(&self) -> usize {
        self.open.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The address to send to, so that a datagram for an own relay does not leave the host.
    #[must_use]
    pub fn inward(&self, peer: SocketAddr) -> SocketAddr {
        let own = self.hosts.iter().find(|host| host.advertised == peer.ip());
        match own {
            Some(host) if self.is_open(peer) => SocketAddr::new(host.inside(), peer.port()),
            _ => peer,
        }
    }

    /// The address under which the sender of a datagram is known.
    #[must_use]
    pub fn outward(&self, source: SocketAddr) -> SocketAddr {
        let own = self.hosts.iter().find(|host| host.inside() == source.ip());
        let known = own.map(|host| SocketAddr::new(host.advertised, source.port()));
        known.filter(|relay| self.is_open(*relay)).unwrap_or(source)
    }
}
