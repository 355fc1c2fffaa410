//! The sockets of one connection, one for each family of addresses, and where the device can be reached through them.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;

use futures_util::future::join_all;
use heliograph_shared::socket::IceServer;
use quinn::{Endpoint, EndpointConfig, ServerConfig, TokioRuntime};
use socket2::{Domain, Protocol, Socket, Type};

use super::description::{MOST_ADDRESSES, is_of_link};
use super::stun;
use crate::io::system_buffers;

/// A packet that the other end does not understand, and that lets its packets through a NAT or a firewall here.
const OPENING: &[u8] = &[0];

/// One socket.
pub(super) struct End {
    pub(super) endpoint: Endpoint,
    /// The same socket, for packets that are not of QUIC, until the ends have met.
    socket: Option<UdpSocket>,
    address: SocketAddr,
    /// The address under which servers see it.
    seen: Option<SocketAddr>,
}

/// All of a connection.
pub(super) struct Sockets {
    pub(super) ends: Vec<End>,
}

impl Sockets {
    /// Opens one for each address at which it can, and asks how it is seen.
    pub(super) async fn open(addresses: &[SocketAddr], servers: &[IceServer]) -> Self {
        let ends = addresses.iter().map(|address| End::open(*address, servers));
        Self { ends: join_all(ends).await.into_iter().flatten().collect() }
    }

    /// Where the device can be reached.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        let own = if_addrs::get_if_addrs().unwrap_or_default();
        let own: Vec<IpAddr> = own.iter().map(if_addrs::Interface::ip).collect();
        let seen = self.ends.iter().filter_map(|end| end.seen).collect();
        let own = self.ends.iter().map(|end| end.addresses(&own)).collect::<Vec<_>>();
        in_order(seen, &own)
    }

    /// The socket from which an address is reached. Services of this device that listen for nobody else are not.
    pub(super) fn to(&self, address: SocketAddr) -> Option<&End> {
        self.ends.iter().find(|end| {
            let leads_there = end.address.ip().is_loopback() || !is_loopback(address.ip());
            end.address.is_ipv4() == address.is_ipv4() && leads_there
        })
    }

    /// The ends have met by a connection to this address: the rest is needed no more.
    pub(super) fn keep(&mut self, address: SocketAddr) {
        self.ends.retain(|end| end.address.is_ipv4() == address.is_ipv4());
        for end in &mut self.ends {
            end.socket = None;
        }
    }

    /// Lets packets from these addresses in, where a NAT or a firewall lets in what answers.
    pub(super) fn let_in(&self, addresses: &[SocketAddr]) {
        for address in addresses {
            if let Some(socket) = self.to(*address).and_then(|end| end.socket.as_ref()) {
                // Another one follows.
                let _ = socket.send_to(OPENING, address);
            }
        }
    }

    /// Takes connections from now on, or none more.
    pub(super) fn listen(&self, config: Option<&ServerConfig>) {
        for end in &self.ends {
            end.endpoint.set_server_config(config.cloned());
        }
    }

    /// Ends all connections, and lets the other ends know.
    pub(super) async fn close(self) {
        for end in &self.ends {
            end.endpoint.close(0u8.into(), b"");
        }
        for end in &self.ends {
            end.endpoint.wait_idle().await;
        }
    }
}

impl End {
    async fn open(address: SocketAddr, servers: &[IceServer]) -> io::Result<Self> {
        let socket = bind(address)?;
        let address = socket.local_addr()?;
        let seen = stun::seen(&socket, servers).await;
        let (shared, runtime) = (socket.try_clone()?, Arc::new(TokioRuntime));
        let endpoint = Endpoint::new(EndpointConfig::default(), None, shared, runtime)?;
        Ok(Self { endpoint, socket: Some(socket), address, seen })
    }

    fn addresses(&self, own: &[IpAddr]) -> Vec<SocketAddr> {
        if !self.address.ip().is_unspecified() {
            return vec![self.address];
        }
        let is_ours = |ip: &&IpAddr| ip.is_ipv4() == self.address.is_ipv4() && is_told(**ip);
        let port = self.address.port();
        let own = own.iter().filter(is_ours).map(|ip| SocketAddr::new(*ip, port));
        own.collect()
    }
}

fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    let socket = socket.into();
    system_buffers::enlarge(&socket);
    Ok(socket)
}

/// Addresses of the loopback interface lead nowhere else.
fn is_told(ip: IpAddr) -> bool {
    !is_loopback(ip) && !is_of_link(ip)
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// Those that servers have seen come first, so that no number of interfaces leaves them out, then those of each family in turn.
fn in_order(seen: Vec<SocketAddr>, own: &[Vec<SocketAddr>]) -> Vec<SocketAddr> {
    let longest = own.iter().map(Vec::len).max().unwrap_or_default();
    let own = (0..longest).flat_map(|at| own.iter().filter_map(move |of_end| of_end.get(at)));
    let mut ordered = Vec::new();
    for address in seen.into_iter().chain(own.copied()) {
        if !ordered.contains(&address) && ordered.len() < MOST_ADDRESSES {
            ordered.push(address);
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(written: &str) -> SocketAddr {
        written.parse().unwrap()
    }

    async fn at(bound: &[&str]) -> Sockets {
        let bound: Vec<SocketAddr> = bound.iter().map(|written| address(written)).collect();
        Sockets::open(&bound, &[]).await
    }

    #[test]
    fn l7_no_number_of_interfaces_leaves_out_what_servers_see_or_either_family() {
        let v4: Vec<_> = (1..=40).map(|last| SocketAddr::from(([10, 0, 0, last], 9))).collect();
        let v6 = vec![address("[2001:db8::1]:9"), address("[2001:db8::2]:9")];
        let seen = vec![address("192.0.2.1:9"), address("[2001:db8::2]:9")];
        let ordered = in_order(seen.clone(), &[v4.clone(), v6.clone()]);
        assert_eq!(ordered[..5], [seen[0], seen[1], v4[0], v6[0], v4[1]]);
        assert_eq!(ordered.len(), MOST_ADDRESSES);
    }

    #[tokio::test]
    async fn l7_the_loopback_interface_is_reached_only_by_a_device_that_is_bound_to_it() {
        let sockets = at(&["0.0.0.0:0", "[::]:0"]).await;
        for inside in ["127.0.0.1:9", "[::1]:9", "[::ffff:127.0.0.1]:9"] {
            assert!(sockets.to(address(inside)).is_none(), "{inside}");
        }
        assert!(sockets.to(address("192.0.2.1:9")).is_some());
        assert!(at(&["127.0.0.1:0"]).await.to(address("127.0.0.1:9")).is_some());
    }

    #[tokio::test]
    async fn l7_once_the_ends_have_met_one_socket_is_left() {
        let mut sockets = at(&["127.0.0.1:0", "[::1]:0"]).await;
        sockets.keep(address("127.0.0.1:9"));
        assert!(
            matches!(&sockets.ends[..], [end] if end.address.is_ipv4() && end.socket.is_none())
        );
    }
}
