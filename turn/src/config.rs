//! How the server is set up. No command line and no files: whoever starts it says it all.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use ipnet::IpNet;
use tokio_rustls::TlsAcceptor;

use crate::core::own_relays::RelayHost;

/// What a server is started with.
#[derive(Clone)]
pub struct Config {
    /// The name that clients see when they are asked for credentials; at most 63 bytes.
    pub realm: String,
    /// The secret by which credentials are minted and checked. coturn calls it `static-auth-secret`.
    pub secret: Vec<u8>,
    /// Addresses for datagrams. An answer leaves from the address that the system chooses, so a host with several
    /// addresses names each of them instead of the unspecified one. IPv6 addresses take IPv6 alone.
    pub udp: Vec<SocketAddr>,
    /// Addresses for streams.
    pub tcp: Vec<SocketAddr>,
    /// Addresses for encrypted streams. They are only used with [`Config::acceptor`].
    pub tls: Vec<SocketAddr>,
    /// The certificate. Without it there are no encrypted streams.
    pub acceptor: Option<TlsAcceptor>,
    /// Where relays are, at most one host of each family. A family without a host is refused (440).
    pub relay_hosts: Vec<RelayHost>,
    /// The ports of relays. A firewall has to let them in.
    pub relay_ports: RangeInclusive<u16>,
    /// Networks that peers may be in although they are denied by default (see [`crate::peers`]).
    pub allowed_peers: Vec<IpNet>,
    /// How much of everything.
    pub limits: Limits,
}

/// How much of everything there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Allocations of one device: the part of a user name after the first colon.
    pub per_device: usize,
    /// Allocations of one address (IPv6: of one /64).
    pub per_address: usize,
    /// Allocations in all.
    pub in_all: usize,
    /// The most that an allocation may relay each way, in bytes a second. What is beyond is dropped.
    pub bandwidth: u64,
    /// Streams from one address.
    pub streams_per_address: usize,
    /// Streams in all.
    pub streams_in_all: usize,
    /// Bytes that wait for one client that does not read its stream. What is beyond is dropped.
    pub waiting_bytes: usize,
    /// The same for all clients together.
    pub waiting_bytes_in_all: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // A browser takes one for each transport and network of each connection.
            per_device: 64,
            // An office behind one NAT.
            per_address: 512,
            // As many as there are ports for relays.
            in_all: 16_384,
            // 1 Gbit/s: against mistakes more than against people.
            bandwidth: 125_000_000,
            streams_per_address: 128,
            streams_in_all: 4_096,
            // Two browsers on one machine dropped 1.6 % with 256 KiB, and nothing with this.
            waiting_bytes: 1024 * 1024,
            waiting_bytes_in_all: 64 * 1024 * 1024,
        }
    }
}

impl Config {
    /// A server without listeners and relays, which are added by the fields.
    #[must_use]
    pub fn new(realm: &str, secret: &[u8]) -> Self {
        Self {
            realm: realm.to_owned(),
            secret: secret.to_vec(),
            udp: Vec::new(),
            tcp: Vec::new(),
            tls: Vec::new(),
            acceptor: None,
            relay_hosts: Vec::new(),
            // The ports that nobody registers (RFC 6335), which RFC 8656 section 7.2 recommends.
            relay_ports: 49_152..=65_535,
            allowed_peers: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("realm", &self.realm)
            .field("udp", &self.udp)
            .field("tcp", &self.tcp)
            .field("tls", &self.tls)
            .field("relay_hosts", &self.relay_hosts)
            .field("relay_ports", &self.relay_ports)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
