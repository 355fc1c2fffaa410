//! Whose request it is: the client's address, through the proxies that are trusted. Limits by address use it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;

/// Bits of an IPv6 address that one customer usually has to himself.
const IPV6_PREFIX: u32 = 64;

/// Who is counted as one: an IPv4 address or an IPv6 /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

impl Client {
    /// Whose limits a request counts for. Nobody's: a program on this machine, unless a proxy says otherwise.
    #[must_use]
    pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Option<Self> {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let mut client = peer.to_canonical();
        let mut forwarded = false;
        for hop in hops(headers) {
            if !is_trusted(client) {
                break;
            }
            // What a trusted proxy cannot have written ends the chain there.
            let Some(address) = hop else { break };
            (client, forwarded) = (address, true);
        }
        (forwarded || !client.is_loopback()).then(|| Self::counting(client))
    }

    fn counting(address: IpAddr) -> Self {
        Self(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(v6) => Network::new(v6.into(), IPV6_PREFIX).address,
        })
    }
}

/// The addresses of `X-Forwarded-For`, nearest first.
fn hops(headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
    headers
        .get_all("x-forwarded-for")
        .iter()
        .rev()
        .flat_map(|value| value.to_str().unwrap_or_default().rsplit(','))
        .map(|hop| parse_hop(hop.trim()))
}

/// `1.2.3.4`, `1.2.3.4:5678`, `::1`, `[::1]:5678`.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let address = hop.parse().or_else(|_| hop.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// Addresses that share their first bits: `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    fn new(address: IpAddr, prefix: u32) -> Self {
        let address = match address {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - prefix.min(32)).unwrap_or(0);
                Ipv4Addr::from_bits(v4.to_bits() & mask).into()
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX.checked_shl(128 - prefix.min(128)).unwrap_or(0);
                Ipv6Addr::from_bits(v6.to_bits() & mask).into()
            }
        };
        Self { address, prefix }
    }

    /// Whether an address is one of these.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4() && Self::new(address, self.prefix) == *self
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected an address like 10.1.2.3 or a network like 10.0.0.0/8";
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.trim().parse().map_err(|_| WRONG)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), str::parse).map_err(|_| WRONG)?;
        if prefix > bits { Err(WRONG) } else { Ok(Self::new(address, prefix)) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
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
            // The client wrote the first; the proxy added what it saw.
            ("127.0.0.1", &["1.1.1.1, 192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["1.1.1.1", "192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7, 10.0.0.3"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7:4711"], "192.0.2.7"),
            ("127.0.0.1", &["127.0.0.1"], "127.0.0.1"),
            ("10.0.0.3", &["nonsense"], "10.0.0.3"),
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
