//! Opens sockets with the options that they need.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;

use super::ports::{Port, Ports};
use crate::core::event::Parity;
use crate::core::own_relays::RelayHost;

/// Bytes that the system may keep for a listener: a burst of all clients while the shard is busy.
const LISTENER_BUFFER: usize = 4 * 1024 * 1024;
/// Bytes that the system may keep for a relay: 1/30 s at the default bandwidth.
const RELAY_BUFFER: usize = 512 * 1024;
/// Streams that wait to be accepted.
const BACKLOG: i32 = 1_024;
/// How many ports are tried that some other program may have.
const TRIES: usize = 16;

/// One socket for each shard, all on the same address: the system gives each of them the datagrams of some clients,
/// and always of the same ones.
pub fn shared_udp(address: SocketAddr, shards: usize) -> io::Result<Vec<Arc<UdpSocket>>> {
    // Sockets that share an address would also share it with another server. This one would be told.
    let alone = socket(address, Type::DGRAM)?;
    alone.bind(&address.into())?;
    let address = alone.local_addr()?.as_socket().unwrap_or(address);
    drop(alone);
    (0..shards).map(|_| one_of_shared(address)).collect()
}

fn one_of_shared(address: SocketAddr) -> io::Result<Arc<UdpSocket>> {
    let socket = socket(address, Type::DGRAM)?;
    socket.set_reuse_port(true)?;
    bound(&socket, address, LISTENER_BUFFER)?;
    UdpSocket::from_std(socket.into()).map(Arc::new)
}

/// A listener for streams.
pub fn tcp(address: SocketAddr) -> io::Result<tokio::net::TcpListener> {
    let socket = socket(address, Type::STREAM)?;
    // A restart need not wait for the streams of the last run.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    tokio::net::TcpListener::from_std(TcpListener::from(socket))
}

/// A relay on a free port, if there is one.
pub fn relay(
    host: RelayHost,
    ports: &Arc<Ports>,
    parity: Parity,
) -> Option<(Arc<UdpSocket>, Port)> {
    // Ports of other programs are kept until one is found, so that each is tried once.
    let mut of_others = Vec::new();
    while of_others.len() < TRIES {
        let port = ports.take(getrandom::u32().ok()?, parity)?;
        match relay_at(SocketAddr::new(host.bind, port.number)) {
            Ok(socket) => return Some((socket, port)),
            Err(_) => of_others.push(port),
        }
    }
    None
}

fn relay_at(address: SocketAddr) -> io::Result<Arc<UdpSocket>> {
    let socket = socket(address, Type::DGRAM)?;
    bound(&socket, address, RELAY_BUFFER)?;
    UdpSocket::from_std(socket.into()).map(Arc::new)
}

fn socket(address: SocketAddr, kind: Type) -> io::Result<Socket> {
    let protocol = if kind == Type::DGRAM { Protocol::UDP } else { Protocol::TCP };
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        // IPv4 in the form of IPv6 would come in under addresses that no rule expects.
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// The system may grant less than this.
fn bound(socket: &Socket, address: SocketAddr, buffer: usize) -> io::Result<()> {
    // Some systems refuse instead of granting less.
    let _ = socket.set_recv_buffer_size(buffer);
    let _ = socket.set_send_buffer_size(buffer);
    socket.bind(&address.into())
}
