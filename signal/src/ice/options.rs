//! The options of `serve` about TURN.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use crate::address::Network;

/// TURN, for devices that cannot reach each other directly.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct Options {
    /// TURN for devices that cannot reach each other directly: embedded, off, or the addresses of another server, such as
    /// turn:turn.example.org:3478,turns:turn.example.org:5349 [default: embedded, if its address is free].
    #[arg(id = "turn", long, value_name = "SERVER", env = "HELIOGRAPH_TURN")]
    pub server: Option<Server>,

    /// Address and port of the embedded TURN server, for UDP and TCP [default: host of --listen, port 3478].
    #[arg(id = "turn-listen", long, value_name = "ADDRESS", env = "HELIOGRAPH_TURN_LISTEN")]
    pub listen: Option<SocketAddr>,

    /// Port of the embedded TURN server for TLS, with the certificate of --tls.
    #[arg(
        id = "turn-tls-port",
        long,
        value_name = "PORT",
        env = "HELIOGRAPH_TURN_TLS_PORT",
        default_value_t = 5349
    )]
    pub tls_port: u16,

    /// Name or address at which devices find the embedded TURN server [default: host of --public-url, or the one in the
    /// page's address].
    #[arg(id = "turn-host", long, value_name = "HOST", env = "HELIOGRAPH_TURN_HOST")]
    pub host: Option<Host>,

    /// Address at which the internet reaches the embedded TURN server, where a router maps it to this machine [default:
    /// this machine's address].
    #[arg(
        id = "turn-relay-address",
        long,
        value_name = "IP",
        env = "HELIOGRAPH_TURN_RELAY_ADDRESS"
    )]
    pub relay_address: Option<IpAddr>,

    /// Ports of the relays, as FIRST-LAST. A firewall must let UDP to them in.
    #[arg(
        id = "turn-ports",
        long,
        value_name = "FIRST-LAST",
        env = "HELIOGRAPH_TURN_PORTS",
        default_value = "49152-65535"
    )]
    pub ports: Ports,

    /// Networks that the embedded TURN server may send to although they are private, comma-separated.
    #[arg(
        id = "turn-allow-peers",
        long,
        env = "HELIOGRAPH_TURN_ALLOW_PEERS",
        value_delimiter = ','
    )]
    pub allowed_peers: Vec<Network>,

    /// File with the secret of the other TURN server; coturn calls it static-auth-secret.
    #[arg(id = "turn-secret-file", long, value_name = "FILE", env = "HELIOGRAPH_TURN_SECRET_FILE")]
    pub secret_file: Option<PathBuf>,
}

/// Which TURN server devices use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// None.
    Off,
    /// The one inside of this server.
    Embedded,
    /// Another one, at these addresses.
    Other(Vec<String>),
}

impl FromStr for Server {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => Ok(Self::Off),
            "embedded" => Ok(Self::Embedded),
            urls if urls.split(',').all(is_turn) => {
                Ok(Self::Other(urls.split(',').map(str::to_owned).collect()))
            }
            _ => Err("expected embedded, off, or addresses such as turn:turn.example.org:3478"),
        }
    }
}

/// Whether this is an address of a TURN server (RFC 7065). Browsers refuse all servers when one is malformed.
fn is_turn(url: &str) -> bool {
    let address = url.strip_prefix("turn:").or_else(|| url.strip_prefix("turns:"));
    let Some(address) = address else { return false };
    let (address, query) = address.split_once('?').unwrap_or((address, "transport=udp"));
    let is_transport = matches!(query, "transport=udp" | "transport=tcp");
    let port = address.rfind(':').filter(|at| !address[*at..].contains(']'));
    let (host, port) = port.map_or((address, "3478"), |at| (&address[..at], &address[at + 1..]));
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    is_transport && is_port && host.parse::<Host>().is_ok_and(|Host(whole)| whole == host)
}

/// A host name, an IPv4 address, or an IPv6 address in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host(pub String);

impl FromStr for Host {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if bare.parse::<Ipv6Addr>().is_ok() {
            return Ok(Self(format!("[{bare}]")));
        }
        let is_label = |label: &str| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        let is_name = text.split('.').all(is_label);
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err("expected a name or an address, without a port")
        }
    }
}

/// A range of ports that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports(pub RangeInclusive<u16>);

impl FromStr for Ports {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ends = text.split_once('-').and_then(|(first, last)| {
            Some((first.parse().ok().filter(|first| *first > 0)?, last.parse().ok()?))
        });
        match ends {
            Some((first, last)) if first <= last => Ok(Self(first..=last)),
            _ => Err("expected two ports such as 49152-65535"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_server_is_named_by_its_addresses() {
        let urls = "turn:turn.example.org:3478,turns:turn.example.org:5349";
        let expected: Vec<_> = urls.split(',').map(str::to_owned).collect();
        assert_eq!(urls.parse(), Ok(Server::Other(expected)));
        assert_eq!("off".parse(), Ok(Server::Off));
        assert_eq!("embedded".parse(), Ok(Server::Embedded));
        for right in ["turn:a", "turn:[2001:db8::1]:3478", "turn:192.0.2.1:1?transport=tcp"] {
            assert_eq!(right.parse(), Ok(Server::Other(vec![right.to_owned()])));
        }
        let wrong =
            ["", "on", "turn:", "stun:a", "turn:a,", "http://a", "turn://a", "turn:a:99999"];
        for wrong in wrong.into_iter().chain(["turn:2001:db8::1:3478", "turn:a?transport=sctp"]) {
            assert!(wrong.parse::<Server>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address_without_a_port() {
        for (text, host) in [
            ("turn.example.org", "turn.example.org"),
            ("192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "[2001:db8::1]"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(text.parse(), Ok(Host(host.to_owned())));
        }
        for wrong in ["", "a:3478", "a b", "a/b", "[a]", "a..b", "?"] {
            assert!(wrong.parse::<Host>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn ports_are_a_range() {
        assert_eq!("50000-50010".parse(), Ok(Ports(50_000..=50_010)));
        for wrong in ["", "50000", "2-1", "0-5", "1-65536", "a-b", "1-2-3"] {
            assert!(wrong.parse::<Ports>().is_err(), "{wrong:?}");
        }
    }
}
