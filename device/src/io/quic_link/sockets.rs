//! The sockets of one connection, one for each family of addresses, and where the device can be reached through them.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;

use futures_util::future::join_all;
use heliograph_shared::socket::IceServer;
use quinn::{Endpoint, EndpointConfig, ServerConfig, TokioRuntime};
use socket2::{Domain, Protocol, Socket, Type};

use super::description::MOST_ADDRESSES;
use super::stun;
use crate::io::system_buffers;

/// A packet that the other end does not understand, and that lets its packets through a NAT or a firewall here.
const OPENING: &[u8] = &[0];

/// One socket.
pub(super) struct End {
    pub(super) endpoint: Endpoint,
    /// The same socket, for packets that are not of QUIC.
    socket: UdpSocket,
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
        let all = self.ends.iter().flat_map(|end| end.addresses(&own));
        all.take(MOST_ADDRESSES).collect()
    }

    /// The socket from which an address is reached.
    pub(super) fn to(&self, address: SocketAddr) -> Option<&End> {
        self.ends.iter().find(|end| end.address.is_ipv4() == address.is_ipv4())
    }

    /// Lets packets from these addresses in, where a NAT or a firewall lets in what answers.
    pub(super) fn let_in(&self, addresses: &[SocketAddr]) {
        for address in addresses {
            if let Some(end) = self.to(*address) {
                // Another one follows.
                let _ = end.socket.send_to(OPENING, address);
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
        Ok(Self { endpoint, socket, address, seen })
    }

    fn addresses(&self, own: &[IpAddr]) -> Vec<SocketAddr> {
        if !self.address.ip().is_unspecified() {
            return [self.address].into_iter().chain(self.seen).collect();
        }
        let is_ours = |ip: &&IpAddr| ip.is_ipv4() == self.address.is_ipv4() && is_told(**ip);
        let port = self.address.port();
        let own = own.iter().filter(is_ours).map(|ip| SocketAddr::new(*ip, port));
        // First, so that no number of interfaces leaves it out.
        self.seen.into_iter().chain(own).collect()
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

/// Addresses of the loopback interface lead nowhere else, and those of one link need the number of an interface to lead anywhere.
fn is_told(ip: IpAddr) -> bool {
    let is_of_link = match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    };
    !ip.is_loopback() && !is_of_link
}
