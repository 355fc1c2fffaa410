//! The client's address, behind trusted proxies. Limits by address use it.

use std::fmt;
use std::net::{AddrParseError, IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use heliograph_storage::secrets::Secret;
use hmac::{Hmac, KeyInit as _, Mac as _};
use ipnet::{IpNet, Ipv6Net};
use sha2::Sha256;

/// The header in which a proxy appends the address that it saw.
pub const FORWARDED_FOR: &str = "x-forwarded-for";
/// Length of the IPv6 prefix that one customer usually has (RFC 6177, section 2).
const IPV6_PREFIX: u8 = 64;

/// The other end of a connection, as the accept loop saw it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its address.
    pub ip: IpAddr,
    /// Whether the connection uses TLS.
    pub tls: bool,
}

impl Peer {
    /// Whether its address is in one of these networks.
    #[must_use]
    pub fn is_one_of(self, networks: &[Network]) -> bool {
        let ip = self.ip.to_canonical();
        networks.iter().any(|network| network.contains(ip))
    }
}

/// The unit that limits count: one IPv4 address or one IPv6 /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Client {
    /// The client whose limits a request counts toward; `None` for a program on this machine. A proxy on this machine
    /// forwards for others, and counts itself when it names nobody.
    #[must_use]
    pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Option<Self> {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let mut client = peer.to_canonical();
        for hop in hops(headers) {
            if !is_trusted(client) {
                break;
            }
            // A trusted proxy writes only addresses, so anything else ends the chain.
            let Some(address) = hop else { break };
            client = address;
        }
        (headers.contains_key(FORWARDED_FOR) || !client.is_loopback())
            .then(|| Self::counting(client))
    }

    /// The client that another node of the server names.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        text.parse().ok().map(Self::counting)
    }

    /// A pseudonym of the address for the database: HMAC-SHA-256 under the server's secret, cut to 128 bits. It is
    /// stable, and without the secret nobody can find the address by trying them all.
    #[must_use]
    pub fn pseudonym(self, secret: &Secret) -> String {
        // HMAC pads a key shorter than a block with zeros (RFC 2104, section 2).
        let mut key = [0; 64];
        key[..32].copy_from_slice(secret.as_bytes());
        let mut mac = Hmac::<Sha256>::new(&key.into());
        mac.update(self.0.to_string().as_bytes());
        let hash = mac.finalize().into_bytes();
        let cut = hash.first_chunk::<16>().copied().unwrap_or_default();
        format!("{:032x}", u128::from_be_bytes(cut))
    }

    fn counting(address: IpAddr) -> Self {
        Self(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(v6) => Ipv6Net::new_assert(v6, IPV6_PREFIX).network().into(),
        })
    }
}

/// The addresses of `X-Forwarded-For`, nearest first.
fn hops(headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
    headers
        .get_all(FORWARDED_FOR)
        .iter()
        .rev()
        .flat_map(|value| value.to_str().unwrap_or_default().rsplit(','))
        .map(|hop| parse_hop(hop.trim()))
}

/// Parses `1.2.3.4`, `1.2.3.4:5678`, `::1` or `[::1]:5678`.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let address = hop.parse().or_else(|_| hop.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// A network such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(pub IpNet);

impl Network {
    /// Whether the network contains an address.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let network = text.parse().or_else(|_| text.parse().map(|one: IpAddr| one.into()));
        let wrong = "expected an address like 10.1.2.3 or a network like 10.0.0.0/8";
        network.map(Self).map_err(|_: AddrParseError| wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> Option<String> {
        let trusted = ["127.0.0.0/8", "::1", "10.0.0.0/8"].map(|text| text.parse().unwrap());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        Client::of(peer.parse().unwrap(), &headers, &trusted).map(|client| client.0.to_string())
    }

    #[test]
    fn a_program_on_this_machine_has_no_limits_by_address() {
        assert_eq!(client("127.0.0.1", &[]), None);
        assert_eq!(client("::1", &[]), None);
        assert_eq!(client("::ffff:127.0.0.1", &[]), None);
        assert_eq!(client("192.0.2.1", &[]).as_deref(), Some("192.0.2.1"));
    }

    #[test]
    fn only_trusted_proxies_say_who_the_client_is() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("127.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            ("192.0.2.1", &["198.51.100.9"], "192.0.2.1"),
            // The client wrote the first address; the proxy appended the one that it saw.
            ("127.0.0.1", &["1.1.1.1, 192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["1.1.1.1", "192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7, 10.0.0.3"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7:4711"], "192.0.2.7"),
            ("127.0.0.1", &["127.0.0.1"], "127.0.0.1"),
            ("10.0.0.3", &["nonsense"], "10.0.0.3"),
            ("127.0.0.1", &["unix:"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.7, garbage"], "127.0.0.1"),
            ("127.0.0.1", &[""], "127.0.0.1"),
            ("10.0.0.3", &["1.1.1.1, nonsense"], "10.0.0.3"),
        ];
        for (peer, forwarded, expected) in cases {
            assert_eq!(client(peer, forwarded).as_deref(), Some(*expected), "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn an_ipv6_customer_counts_as_one() {
        assert_eq!(client("2001:db8:1:2:3::4", &[]), client("2001:db8:1:2:ffff::1", &[]));
        assert_ne!(client("2001:db8:1:2::1", &[]), client("2001:db8:1:3::1", &[]));
        assert_eq!(client("::ffff:192.0.2.1", &[]), client("192.0.2.1", &[]));
    }

    #[test]
    fn networks_are_read_strictly() {
        for wrong in ["", "10.0.0.0/33", "::/129", "ten", "10.0.0.0/", "10.0.0.0/-1"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong:?}");
        }
        let all: Network = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains("203.0.113.9".parse().unwrap()));
        assert!(!all.contains("::1".parse().unwrap()));
    }
}
