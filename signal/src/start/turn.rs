//! Starts the embedded TURN server, or takes the operator's own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heliograph_turn::{Config as TurnConfig, Handle, Limits, RelayHost, StartError, TurnServer};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use crate::address::Network;
use crate::config::Config;
use crate::https::options::Tls;
use crate::ice::options::{Host, Options, Ports, Server};
use crate::ice::{Embedded, IceServers};
use crate::network;
use crate::random;

/// The port of TURN (RFC 8656, section 18).
const PORT: u16 = 3478;
/// What clients see when they are asked for credentials.
const REALM: &str = "heliograph";
/// Pause between two looks at this machine's addresses.
const LOOK_PAUSE: Duration = Duration::from_mins(1);

/// Why TURN that was asked for cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The embedded server cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// There is no address for relays.
    #[error("this machine has no address for relays; name one with --turn-relay-address")]
    NoAddress,
    /// Another server was named without its secret.
    #[error("a TURN server of your own needs its secret: --turn-secret-file FILE")]
    NoSecret,
    /// The secret is empty: everybody could make credentials.
    #[error("the TURN secret {} is empty", .0.display())]
    EmptySecret(PathBuf),
    /// The secret cannot be read.
    #[error("the TURN secret {} cannot be read", .0.display())]
    Secret(PathBuf, #[source] io::Error),
    /// The system gives no randomness.
    #[error("no randomness for the TURN secret")]
    Randomness(#[source] crate::error::Error),
}

/// What devices are told, and the embedded server while it runs.
#[derive(Debug)]
pub struct Turn {
    /// What devices are told.
    pub ice_servers: IceServers,
    /// The embedded server. It stops when this is dropped.
    pub embedded: Option<Handle>,
}

/// Starts what the options ask for. Without a wish of the operator, an embedded server that cannot start is only warned
/// about: devices of one network still meet, and all others use this server's relay.
///
/// # Errors
/// [`Error`] when something was asked for that cannot be had.
pub fn start(
    config: &Config,
    acceptor: Option<&TlsAcceptor>,
    descriptors: Option<usize>,
) -> Result<Turn, Error> {
    let off = || Turn { ice_servers: IceServers::off(), embedded: None };
    let embedded = |config: &Config| embedded(config, acceptor, descriptors);
    match &config.turn.server {
        Some(Server::Off) => Ok(off()),
        Some(Server::Other(urls)) => {
            let ice_servers = IceServers::other(urls.clone(), secret(&config.turn)?.trim_ascii());
            Ok(Turn { ice_servers, embedded: None })
        }
        Some(Server::Embedded) => embedded(config),
        None if is_behind_proxy(config) => {
            tracing::warn!(
                "no TURN behind a proxy on this machine, unless --turn-listen names an address"
            );
            Ok(off())
        }
        None => embedded(config).or_else(|error| {
            if config.turn.listen.is_some() {
                return Err(error);
            }
            tracing::warn!(%error, "no TURN: devices that cannot meet directly use the relay");
            Ok(off())
        }),
    }
}

/// Checks the options without starting anything.
///
/// # Errors
/// [`Error`] when another server was named without a good secret.
pub fn check(options: &Options) -> Result<(), Error> {
    match &options.server {
        Some(Server::Other(_)) => secret(options).map(|_| ()),
        _ => Ok(()),
    }
}

/// The secret of another server.
fn secret(options: &Options) -> Result<Vec<u8>, Error> {
    let path = options.secret_file.as_ref().ok_or(Error::NoSecret)?;
    let secret = fs::read(path).map_err(|error| Error::Secret(path.clone(), error))?;
    if secret.trim_ascii().is_empty() { Err(Error::EmptySecret(path.clone())) } else { Ok(secret) }
}

/// Whether devices reach only a proxy, which does not forward TURN.
#[must_use]
pub fn is_behind_proxy(config: &Config) -> bool {
    let is_public = config.public_url.is_some();
    is_public && config.listen.ip().is_loopback() && config.turn.listen.is_none()
}

/// Where the embedded server would take connections, each with the option that names it.
#[must_use]
pub fn connects_at(config: &Config) -> Vec<(&'static str, SocketAddr)> {
    let options = &config.turn;
    let is_embedded = match options.server {
        Some(Server::Embedded) => true,
        Some(Server::Off | Server::Other(_)) => false,
        None => !is_behind_proxy(config),
    };
    if !is_embedded {
        return Vec::new();
    }
    let listen = options.listen.unwrap_or_else(|| SocketAddr::new(config.listen.ip(), PORT));
    let mut at = vec![("--turn-listen", listen)];
    if config.tls.certificate != Tls::Off {
        at.push(("--turn-tls-port", SocketAddr::new(listen.ip(), options.tls_port)));
    }
    at
}

fn embedded(
    config: &Config,
    acceptor: Option<&TlsAcceptor>,
    descriptors: Option<usize>,
) -> Result<Turn, Error> {
    let options = &config.turn;
    let listen = options.listen.unwrap_or_else(|| SocketAddr::new(config.listen.ip(), PORT));
    let secret: [u8; 32] = random::bytes().map_err(Error::Randomness)?;
    let addresses = listeners(listen.ip());
    let at = |port| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect::<Vec<_>>();
    let Ports(relay_ports) = options.ports.clone();
    let relay_hosts = relay_hosts(listen.ip(), options.relay_address)?;
    let server = TurnServer::start(&TurnConfig {
        udp: at(listen.port()),
        tcp: at(listen.port()),
        tls: if acceptor.is_some() { at(options.tls_port) } else { Vec::new() },
        acceptor: acceptor.map(without_protocols),
        limits: limits(descriptors),
        relay_hosts: relay_hosts.clone(),
        relay_ports,
        allowed_peers: options.allowed_peers.iter().map(|Network(network)| *network).collect(),
        ..TurnConfig::new(REALM, &secret)
    })?;
    let opened = server.addresses();
    let public = config.public_url.as_ref();
    let host = options.host.as_ref().map(|Host(host)| host.clone());
    let told = Embedded {
        host: host.or_else(|| public.map(|url| url.host().to_owned())),
        addresses: addresses
            .iter()
            .copied()
            .chain(relay_hosts.iter().map(|at| at.advertised))
            .collect(),
        port: opened.udp.first().map_or(listen.port(), SocketAddr::port),
        tls_port: opened.tls.first().map(SocketAddr::port),
    };
    tracing::info!(port = told.port, "the embedded TURN server is ready");
    if listen.ip().is_unspecified() {
        let relays = relay_hosts.iter().map(|host| host.bind).collect();
        tokio::spawn(watch(relays, server.is_stopped()));
    }
    let ice_servers = IceServers::embedded(told, &secret);
    Ok(Turn { ice_servers, embedded: Some(server) })
}

/// The same certificate, without the protocols of the web: TURN clients name another one or none (RFC 7443).
fn without_protocols(acceptor: &TlsAcceptor) -> TlsAcceptor {
    let mut config = rustls::ServerConfig::clone(acceptor.config());
    config.alpn_protocols.clear();
    TlsAcceptor::from(Arc::new(config))
}

/// Each relay and each stream takes a file descriptor; an eighth of all for either leaves most for the rest.
fn limits(descriptors: Option<usize>) -> Limits {
    let all = Limits::default();
    let most = descriptors.map_or(usize::MAX, |descriptors| descriptors / 8);
    Limits { in_all: all.in_all.min(most), streams_in_all: all.streams_in_all.min(most), ..all }
}

/// The addresses to listen on. All of them are named, since an answer must leave from the address that was asked.
fn listeners(listen: IpAddr) -> Vec<IpAddr> {
    if !listen.is_unspecified() {
        return vec![listen];
    }
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let own: BTreeSet<_> =
        network::addresses().unwrap_or_default().into_iter().chain(loopback).collect();
    own.into_iter().filter(|ip| ip.is_ipv4() || listen.is_ipv6()).collect()
}

/// Where relays are: at one address of each family that this machine has, told as `advertised` where that is given.
fn relay_hosts(listen: IpAddr, advertised: Option<IpAddr>) -> Result<Vec<RelayHost>, Error> {
    let own: Vec<IpAddr> = if listen.is_unspecified() {
        let v4 = network::outward(Ipv4Addr::UNSPECIFIED.into());
        let v4 = v4.or_else(|| network::reachable(Ipv4Addr::UNSPECIFIED.into()));
        let v6 = network::outward(Ipv6Addr::UNSPECIFIED.into()).filter(|_| listen.is_ipv6());
        v4.into_iter().chain(v6).collect()
    } else {
        vec![listen]
    };
    let told =
        |own: IpAddr| advertised.filter(|told| told.is_ipv4() == own.is_ipv4()).unwrap_or(own);
    let mine = network::addresses().unwrap_or_default();
    // An address of this machine gets its packets itself; any other one is mapped to it by a router.
    let bind = |own: IpAddr| if mine.contains(&told(own)) { told(own) } else { own };
    let hosts = own.into_iter().map(|own| RelayHost { bind: bind(own), advertised: told(own) });
    let hosts: Vec<_> = hosts.collect();
    if hosts.is_empty() { Err(Error::NoAddress) } else { Ok(hosts) }
}

/// Warns when this machine loses an address of relays, as by a new lease at home: the sockets are bound to it.
async fn watch(relays: Vec<IpAddr>, stopped: impl Future<Output = ()>) {
    let Ok(own) = network::addresses() else { return };
    let mut losses = Losses::of(relays, &own);
    let look = async {
        loop {
            sleep(LOOK_PAUSE).await;
            // A look that fails says nothing of the addresses.
            let Ok(own) = network::addresses() else { continue };
            for address in losses.look(&own) {
                tracing::warn!(
                    %address,
                    "this machine has lost the address of its TURN relays: restart the server to relay at the new one; \
                     until then, devices that cannot meet directly send everything through the web server"
                );
            }
        }
    };
    tokio::select! {
        () = look => {}
        () = stopped => {}
    }
}

/// The addresses of relays that were lost, each told once until it is back.
struct Losses {
    relays: Vec<IpAddr>,
    told: BTreeSet<IpAddr>,
}

impl Losses {
    /// Only addresses that are seen now can be seen to go.
    fn of(mut relays: Vec<IpAddr>, own: &[IpAddr]) -> Self {
        relays.retain(|relay| own.contains(relay));
        Self { relays, told: BTreeSet::new() }
    }

    /// What is lost since the last look.
    fn look(&mut self, own: &[IpAddr]) -> Vec<IpAddr> {
        self.told.retain(|address| !own.contains(address));
        let lost = self.relays.iter().copied().filter(|relay| !own.contains(relay));
        lost.filter(|relay| self.told.insert(*relay)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_one_address_relays_there_and_tells_the_address_of_the_router() {
        let own: IpAddr = "192.168.1.4".parse().unwrap();
        let outside: IpAddr = "203.0.113.9".parse().unwrap();
        let expected = RelayHost { bind: own, advertised: outside };
        assert_eq!(relay_hosts(own, Some(outside)).unwrap(), [expected]);
        let expected = RelayHost { bind: own, advertised: own };
        assert_eq!(relay_hosts(own, None).unwrap(), [expected]);
        let v6: IpAddr = "2001:db8::1".parse().unwrap();
        assert_eq!(relay_hosts(own, Some(v6)).unwrap(), [expected]);
    }

    #[test]
    fn an_address_that_is_lost_is_told_once_and_again_when_it_was_back() {
        let [old, new, v6] =
            ["192.168.1.4", "192.168.1.5", "2001:db8::1"].map(|ip| ip.parse().unwrap());
        let loopback = IpAddr::from(Ipv4Addr::LOCALHOST);
        let mut losses = Losses::of(vec![old, v6, loopback], &[old, v6]);
        assert_eq!(losses.look(&[old, v6]), [] as [IpAddr; 0]);
        assert_eq!(losses.look(&[new, v6]), [old]);
        assert!(losses.look(&[new, v6]).is_empty());
        assert!(losses.look(&[old, v6]).is_empty());
        assert_eq!(losses.look(&[]), [old, v6]);
    }

    #[test]
    fn a_server_on_every_address_answers_on_each_also_on_this_machine() {
        let all = listeners(Ipv6Addr::UNSPECIFIED.into());
        assert!(all.contains(&Ipv4Addr::LOCALHOST.into()));
        assert!(all.contains(&Ipv6Addr::LOCALHOST.into()));
        let v4 = listeners(Ipv4Addr::UNSPECIFIED.into());
        assert!(v4.iter().all(IpAddr::is_ipv4) && v4.contains(&Ipv4Addr::LOCALHOST.into()));
        let one: IpAddr = "192.168.1.4".parse().unwrap();
        assert_eq!(listeners(one), [one]);
    }
}
