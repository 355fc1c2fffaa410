//! TURN over TCP and over TLS (RFC 8656, section 3.1), for a library that has TURN over UDP alone: it is given a socket of this machine
//! as its server, and what it sends there is carried over a stream to the real one, and back.
//!
//! A stream is only opened where no other way to a relay was found before. So the relay of a server is reached over UDP where UDP
//! passes, and TLS is for networks that let TCP through to few ports.

mod carrying;
mod framing;
mod place;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use heliograph_shared::socket::IceServer;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::carrying::Terms;
use self::place::Place;
use super::server::dial;
use super::system_buffers;

/// What a server over UDP has to answer, and each stream before the next. An allocation takes two round trips.
const HEAD_START: Duration = Duration::from_millis(500);
/// For a stream to a server, with its name and TLS. The addresses of a name are tried one after the other.
const DIAL_WITHIN: Duration = Duration::from_secs(20);
/// For a message, until the system takes it. The library calls a connection broken after 5 seconds of silence.
const WRITE_WITHIN: Duration = Duration::from_secs(5);
/// Streams of one connection, at most.
const MOST_STREAMS: usize = 4;

/// The streams of one connection. They end when this is dropped.
#[derive(Debug, Default)]
pub(super) struct TurnStreams {
    /// Those of the connection, as it was given them.
    addresses: Vec<SocketAddr>,
    /// The address of their sockets on this machine.
    own: Option<IpAddr>,
    /// The addresses of servers, and in place of each the one on this machine.
    urls: Vec<(String, String)>,
    /// Whether there is a relay.
    has_relay: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl TurnStreams {
    /// Prepares one for each of the servers that are reached by one. `addresses` are those of the connection, as it is given them.
    pub(super) fn prepare(servers: &[IceServer], addresses: &[SocketAddr]) -> Self {
        let mut streams = Self { addresses: addresses.to_vec(), ..Self::default() };
        streams.stand_at(own_address(addresses), servers);
        streams
    }

    /// Takes an address of this machine for all streams. Returns whether it is another one than before; those before have ended then.
    fn stand_at(&mut self, own: Option<IpAddr>, servers: &[IceServer]) -> bool {
        if own == self.own {
            return false;
        }
        (self.own, self.urls, self.tasks) = (own, Vec::new(), JoinSet::new());
        let Some(own) = own else { return true };
        let urls = servers.iter().flat_map(|server| &server.urls);
        let places = urls.filter_map(|url| Some((url, Place::of(url)?)));
        for ((url, place), rank) in places.take(MOST_STREAMS).zip(1..) {
            let Ok((socket, at)) = bind(own) else { continue };
            let terms = Terms {
                others_first: HEAD_START * rank,
                has_relay: self.has_relay.subscribe(),
                dial_within: DIAL_WITHIN,
                write_within: WRITE_WITHIN,
            };
            self.urls.push((url.clone(), format!("turn:{at}?transport=udp")));
            self.tasks.spawn(carrying::run(socket, terms, move || {
                let Place { host, port, is_tls } = place.clone();
                async move { dial(&host, port, is_tls).await.ok() }
            }));
        }
        true
    }

    /// The address on this machine that stands for one of a server.
    pub(super) fn local(&self, url: &str) -> Option<&str> {
        self.urls.iter().find(|(server, _)| server == url).map(|(_, local)| &**local)
    }

    /// A candidate was found, as a line of SDP.
    pub(super) fn found(&self, candidate: &str) {
        if candidate.contains(" typ relay") {
            self.has_relay.send_replace(true);
        }
    }

    /// Candidates are looked for, from the beginning, and maybe in another network (L4). Returns whether other addresses stand for the
    /// servers than before.
    pub(super) fn look_again(&mut self, servers: &[IceServer]) -> bool {
        self.has_relay.send_replace(false);
        self.stand_at(own_address(&self.addresses), servers)
    }
}

fn bind(own: IpAddr) -> std::io::Result<(UdpSocket, SocketAddr)> {
    let socket = std::net::UdpSocket::bind((own, 0))?;
    socket.set_nonblocking(true)?;
    system_buffers::enlarge(&socket);
    let at = socket.local_addr()?;
    Ok((UdpSocket::from_std(socket)?, at))
}

/// An address that a socket of the connection has, too: not every system lets a socket with an address of its own reach those of the
/// loopback interface. What comes from there comes from this machine.
fn own_address(addresses: &[SocketAddr]) -> Option<IpAddr> {
    let mut ips: Vec<_> = addresses.iter().map(SocketAddr::ip).collect();
    // One is enough, and IPv4 is the family that is rarely switched off.
    ips.sort_by_key(IpAddr::is_ipv6);
    ips.into_iter().find_map(|ip| if ip.is_unspecified() { of_interface(ip) } else { Some(ip) })
}

/// The first address that the library takes for all of a family.
fn of_interface(every: IpAddr) -> Option<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let mut ips = interfaces.iter().map(if_addrs::Interface::ip);
    ips.find(|ip| {
        let is_of_link = match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        ip.is_ipv4() == every.is_ipv4() && !ip.is_loopback() && !is_of_link
    })
}
