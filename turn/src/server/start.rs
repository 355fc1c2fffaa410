//! Starts a server, tells where it is and what it does, and stops it.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::net::UdpSocket;
use tokio::sync::mpsc::{self, Sender};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::admission::Admission;
use super::outbox::Pool;
use super::ports::Ports;
use super::shard::{PortsByFamily, Shard};
use super::sockets;
use super::streams::{StreamEvent, Streams};
use crate::config::Config;
use crate::core::event::{Family, Parity};
use crate::core::terms::Terms;
use crate::counters::Counts;

/// Messages of streams that wait for a shard; beyond, the streams wait.
const EVENTS: usize = 256;
/// How often a port is chosen when the system may choose it.
const TRIES: usize = 8;
/// The longest realm, in bytes. It is part of what unproven clients get, which is kept short.
const LONGEST_REALM: usize = 63;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address for clients cannot be opened.
    #[error(
        "TURN cannot listen on {0}: {1}. Choose another address or end the program that has it."
    )]
    Listen(SocketAddr, #[source] io::Error),
    /// No relay can be opened.
    #[error(
        "TURN cannot open relays on {0}: choose an address of this machine and a free range of ports."
    )]
    Relay(std::net::IpAddr),
    /// Two relay hosts of one family, or one that is bound to another family than it is told by.
    #[error(
        "TURN takes one relay host of each family, bound to and told by addresses of that family."
    )]
    RelayHosts,
    /// The secret is empty.
    #[error(
        "The TURN secret is empty: everybody could make credentials. Give it at least 16 random bytes."
    )]
    NoSecret,
    /// The realm is empty or longer than 63 bytes.
    #[error("The TURN realm must have 1 to 63 bytes.")]
    Realm,
    /// The system gives no randomness.
    #[error("The system gives no randomness: {0}")]
    Randomness(#[from] getrandom::Error),
}

/// Where a server listens. Ports that were 0 in the configuration are those that the system chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// For datagrams.
    pub udp: Vec<SocketAddr>,
    /// For streams.
    pub tcp: Vec<SocketAddr>,
    /// For encrypted streams.
    pub tls: Vec<SocketAddr>,
}

/// The server. It needs a tokio runtime with I/O and time, and nothing else: sockets, relays and streams are its own.
#[derive(Clone, Copy, Debug)]
pub struct TurnServer;

/// A server that runs. It stops when this is dropped.
#[derive(Debug)]
pub struct Handle {
    addresses: Addresses,
    terms: Arc<Terms>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Handle {
    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// What it has counted so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.terms.counts()
    }

    /// Waits until the server is told to stop, or is dropped.
    pub fn is_stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        self.stop.clone().cancelled_owned()
    }

    /// Closes all sockets, and returns when they are closed. Allocations end without a word, as the protocol has none.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl TurnServer {
    /// Starts a server on as many shards as there are cores. It must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// An address cannot be opened, or the configuration makes no sense; nothing is left open then.
    pub fn start(config: &Config) -> Result<Handle, StartError> {
        let is_free = config.udp.iter().any(|wanted| wanted.port() == 0);
        again_while_taken(is_free, || Self::try_to_start(config))
    }

    fn try_to_start(config: &Config) -> Result<Handle, StartError> {
        check(config)?;
        let mut random = [0; 64];
        getrandom::fill(&mut random)?;
        let terms = Arc::new(Terms::new(config, random));
        let shards = available_parallelism().map_or(1, Into::into);
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let mut addresses = Addresses::default();
        let mut listeners = udp_listeners(config, shards, &mut addresses)?;
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..shards).map(|_| mpsc::channel(EVENTS)).unzip();
        let streams = streams(config, senders, &terms, &stop, &tasks);
        start_streams(config, &streams, &mut addresses)?;
        let ports = Arc::new(ports(config));
        for events in receivers {
            let listeners = listeners.pop().unwrap_or_default();
            let shard = Shard::new(Arc::clone(&terms), Arc::clone(&ports), listeners, events);
            tasks.spawn(shard.run(stop.clone()));
        }
        tasks.close();
        Ok(Handle { addresses, terms, stop, tasks })
    }
}

/// A port that the system chose for one socket may be another program's when it is opened for the others too. Then the
/// system chooses again.
fn again_while_taken<T>(
    is_free: bool,
    mut start: impl FnMut() -> Result<T, StartError>,
) -> Result<T, StartError> {
    for _ in 1..TRIES {
        match start() {
            Err(StartError::Listen(_, error))
                if is_free && error.kind() == io::ErrorKind::AddrInUse => {}
            started => return started,
        }
    }
    start()
}

fn check(config: &Config) -> Result<(), StartError> {
    if config.secret.is_empty() {
        return Err(StartError::NoSecret);
    }
    if !(1..=LONGEST_REALM).contains(&config.realm.len()) {
        return Err(StartError::Realm);
    }
    let families: Vec<_> = config.relay_hosts.iter().map(|host| host.bind.is_ipv4()).collect();
    let mixed = config.relay_hosts.iter().any(|h| h.bind.is_ipv4() != h.advertised.is_ipv4());
    if mixed || families.len() > 2 || matches!(families[..], [a, b] if a == b) {
        return Err(StartError::RelayHosts);
    }
    for host in &config.relay_hosts {
        let ports = Ports::new(config.relay_ports.clone());
        sockets::relay(*host, &ports, Parity::Any).ok_or(StartError::Relay(host.bind))?;
    }
    Ok(())
}

fn ports(config: &Config) -> PortsByFamily {
    [Family::V4, Family::V6]
        .map(|family| (family, Ports::new(config.relay_ports.clone())))
        .into_iter()
        .collect()
}

type Listeners = HashMap<SocketAddr, Arc<UdpSocket>>;

/// The sockets of each shard, by address.
fn udp_listeners(
    config: &Config,
    shards: usize,
    addresses: &mut Addresses,
) -> Result<Vec<Listeners>, StartError> {
    let mut listeners: Vec<Listeners> = vec![HashMap::new(); shards];
    for &wanted in &config.udp {
        let failed = |error| StartError::Listen(wanted, error);
        let sockets = match sockets::shared_udp(wanted, shards) {
            Err(error) if is_missing(wanted, &error) => continue,
            sockets => sockets.map_err(failed)?,
        };
        let address = sockets.first().map_or(Ok(wanted), |socket| socket.local_addr());
        let address = address.map_err(failed)?;
        addresses.udp.push(address);
        for (listeners, socket) in listeners.iter_mut().zip(sockets) {
            listeners.insert(address, socket);
        }
    }
    match config.udp.first() {
        Some(wanted) if addresses.udp.is_empty() => {
            Err(StartError::Listen(*wanted, io::ErrorKind::AddrNotAvailable.into()))
        }
        _ => Ok(listeners),
    }
}

/// Whether this machine does not have an address, or not now. The others are listened on without it.
fn is_missing(address: SocketAddr, error: &io::Error) -> bool {
    let is_taken = error.kind() == io::ErrorKind::AddrInUse;
    // Without IPv6 the system refuses the socket, by an error for which there is no kind.
    error.kind() == io::ErrorKind::AddrNotAvailable || (address.is_ipv6() && !is_taken)
}

fn streams(
    config: &Config,
    shards: Vec<Sender<StreamEvent>>,
    terms: &Arc<Terms>,
    stop: &CancellationToken,
    tasks: &TaskTracker,
) -> Streams {
    Streams {
        shards,
        admission: Admission::new(&config.limits),
        waiting: Pool::new(config.limits.waiting_bytes_in_all, config.limits.waiting_bytes),
        terms: Arc::clone(terms),
        numbers: Arc::default(),
        stop: stop.clone(),
        tasks: tasks.clone(),
    }
}

/// Where datagrams are taken. A port that is left to the system is the same one for streams, as clients expect.
struct SamePorts(Vec<SocketAddr>);

impl SamePorts {
    fn of(&self, wanted: SocketAddr) -> SocketAddr {
        let same = self.0.iter().find(|udp| wanted.port() == 0 && udp.ip() == wanted.ip());
        same.copied().unwrap_or(wanted)
    }
}

/// Opens all listeners before the first of them takes clients.
fn start_streams(
    config: &Config,
    streams: &Streams,
    addresses: &mut Addresses,
) -> Result<(), StartError> {
    let mut open = Vec::new();
    let same = SamePorts(addresses.udp.clone());
    let plain = config.tcp.iter().map(|wanted| (same.of(*wanted), None));
    let encrypted = config.acceptor.iter();
    let encrypted =
        encrypted.flat_map(|acceptor| config.tls.iter().map(move |a| (*a, Some(acceptor))));
    for (wanted, acceptor) in plain.chain(encrypted) {
        let failed = |error| StartError::Listen(wanted, error);
        let listener = match sockets::tcp(wanted) {
            Err(error) if is_missing(wanted, &error) => continue,
            listener => listener.map_err(failed)?,
        };
        let address = listener.local_addr().map_err(failed)?;
        if acceptor.is_some() { &mut addresses.tls } else { &mut addresses.tcp }.push(address);
        open.push((listener, acceptor.cloned()));
    }
    for (listener, acceptor) in open {
        streams.tasks.spawn(streams.clone().accept(listener, acceptor));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it is tried when the port is taken the first two times.
    fn tries(is_free: bool) -> (usize, bool) {
        let mut tries = 0;
        let started = again_while_taken(is_free, || {
            tries += 1;
            let taken =
                StartError::Listen(([127, 0, 0, 1], 0).into(), io::ErrorKind::AddrInUse.into());
            if tries > 2 { Ok(()) } else { Err(taken) }
        });
        (tries, started.is_ok())
    }

    #[test]
    fn a_free_port_that_was_taken_meanwhile_is_chosen_again_and_a_wanted_one_is_not() {
        assert_eq!(tries(true), (3, true));
        assert_eq!(tries(false), (1, false));
    }
}
