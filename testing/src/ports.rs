//! Ports for servers that a test starts later, or starts again at the same place.

use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::process::id;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Systems do not give these ports to sockets that want any, so nobody else gets one before its server has it.
const FIRST: u32 = 20_000;
const COUNT: u32 = 12_000;

/// Test programs that run at once begin at different places.
static TURN: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(id() % 12 * 1_000));

/// A port of this machine at which nothing listens, for connections and datagrams. Each is given once.
#[must_use]
pub fn free_port() -> u16 {
    free_port_at(Ipv4Addr::LOCALHOST.into())
}

/// The same at another address of this machine.
#[must_use]
pub fn free_port_at(ip: IpAddr) -> u16 {
    let turns = (0..COUNT).map(|_| TURN.fetch_add(1, Ordering::Relaxed));
    let mut ports = turns.filter_map(|turn| u16::try_from(FIRST + turn % COUNT).ok());
    let is_free =
        |port: &u16| TcpListener::bind((ip, *port)).is_ok() && UdpSocket::bind((ip, *port)).is_ok();
    ports.find(is_free).expect("a free port")
}
