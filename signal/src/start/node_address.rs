//! Where the other nodes reach this one. A wrong address is found at the start, because later each node would call itself
//! there, or nobody.

use std::net::{IpAddr, SocketAddr};

use redis::{Client, ConnectionAddr};
use tokio::net::lookup_host;

use crate::network;

/// Why the others would not reach this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It listens on all addresses, and there is none.
    #[error(
        "no address was found at which other nodes reach this one: name it with --node, instead of {0}"
    )]
    Nowhere(SocketAddr),
    /// It listens for this machine, and the others are on other ones.
    #[error(
        "other nodes do not reach this one at {0}, since the bus is on another machine: name an address in their network \
         with --node"
    )]
    Loopback(SocketAddr),
}

/// The address for the others of a node that listens there, with this bus.
///
/// # Errors
/// [`Error`].
pub(super) async fn published(bound: SocketAddr, bus: &str) -> Result<SocketAddr, Error> {
    let is_bus_elsewhere = bound.ip().is_loopback() && !is_here(bus).await;
    judge(bound, network::reachable(bound.ip()), is_bus_elsewhere)
}

fn judge(
    bound: SocketAddr,
    reachable: Option<IpAddr>,
    is_bus_elsewhere: bool,
) -> Result<SocketAddr, Error> {
    let ip = bound.ip();
    if ip.is_unspecified() {
        let reachable = reachable.ok_or(Error::Nowhere(bound))?;
        return Ok(SocketAddr::new(reachable, bound.port()));
    }
    if ip.is_loopback() && is_bus_elsewhere { Err(Error::Loopback(bound)) } else { Ok(bound) }
}

/// Whether the bus is on this machine.
async fn is_here(bus: &str) -> bool {
    // An address that cannot be read is refused elsewhere.
    let Ok(client) = Client::open(bus) else { return true };
    let (ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. }) =
        client.get_connection_info().addr()
    else {
        // A socket in the file system.
        return true;
    };
    let own = network::addresses().unwrap_or_default();
    let is_own = |address: SocketAddr| {
        let ip = address.ip().to_canonical();
        ip.is_loopback() || own.contains(&ip)
    };
    let found = lookup_host((host.trim_matches(['[', ']']), *port)).await;
    found.is_ok_and(|mut addresses| addresses.all(is_own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_no_other_node_reaches_is_refused() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let own = "10.0.0.1".parse().ok();
        let (all, loopback) = (at("0.0.0.0:9000"), at("127.0.0.1:9000"));
        assert_eq!(judge(all, own, true), Ok(at("10.0.0.1:9000")));
        assert_eq!(judge(all, None, false), Err(Error::Nowhere(all)));
        assert_eq!(judge(loopback, None, false), Ok(loopback));
        assert_eq!(judge(loopback, None, true), Err(Error::Loopback(loopback)));
        assert_eq!(judge(at("[2001:db8::1]:9"), own, true), Ok(at("[2001:db8::1]:9")));
    }

    #[tokio::test]
    async fn a_bus_is_here_if_all_its_addresses_are() {
        for (bus, here) in [
            ("redis://127.0.0.1:6379/", true),
            ("redis://[::1]/1", true),
            ("redis://localhost/", true),
            ("redis://192.0.2.1/", false),
            ("rediss://:hush@[2001:db8::1]:7000/", false),
        ] {
            assert_eq!(is_here(bus).await, here, "{bus}");
        }
    }
}
