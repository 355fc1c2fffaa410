//! Starts the embedded TURN server, or takes the operator's own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use heliograph_turn::{Config as TurnConfig, Handle, RelayHost, StartError, TurnServer};
use tokio_rustls::TlsAcceptor;

use crate::address::Network;
use crate::config::Config;
use crate::ice::options::{Ports, Server};
use crate::ice::{Embedded, IceServers};
use crate::network;
use crate::random;

/// The port of TURN (RFC 8656, section 18).
const PORT: u16 = 3478;
/// What clients see when they are asked for credentials.
const REALM: &str = "heliograph";

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
pub fn start(config: &Config, acceptor: Option<TlsAcceptor>) -> Result<Turn, Error> {
    let off = || Turn { ice_servers: IceServers::off(), embedded: None };
    match &config.turn.server {
        Some(Server::Off) => Ok(off()),
        Some(Server::Other(urls)) => {
            let path = config.turn.secret_file.as_ref().ok_or(Error::NoSecret)?;
            let secret = fs::read(path).map_err(|error| Error::Secret(path.clone(), error))?;
            let ice_servers = IceServers::other(urls.clone(), secret.trim_ascii());
            Ok(Turn { ice_servers, embedded: None })
        }
        Some(Server::Embedded) => embedded(config, acceptor),
        None => embedded(config, acceptor).or_else(|error| {
            if config.turn.listen.is_some() {
                return Err(error);
            }
            tracing::warn!(%error, "no TURN: devices that cannot meet directly use the relay");
            Ok(off())
        }),
    }
}

fn embedded(config: &Config, acceptor: Option<TlsAcceptor>) -> Result<Turn, Error> {
    let options = &config.turn;
    let listen = options.listen.unwrap_or_else(|| SocketAddr::new(config.listen.ip(), PORT));
    let secret: [u8; 32] = random::bytes().map_err(Error::Randomness)?;
    let addresses = listeners(listen.ip());
    let at = |port| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect::<Vec<_>>();
    let Ports(relay_ports) = options.ports.clone();
    let server = TurnServer::start(&TurnConfig {
        udp: at(listen.port()),
        tcp: at(listen.port()),
        tls: if acceptor.is_some() { at(options.tls_port) } else { Vec::new() },
        acceptor,
        relay_hosts: relay_hosts(listen.ip(), options.relay_address)?,
        relay_ports,
        allowed_peers: options.allowed_peers.iter().map(|Network(network)| *network).collect(),
        ..TurnConfig::new(REALM, &secret)
    })?;
    let opened = server.addresses();
    let public = config.public_url.as_ref();
    let told = Embedded {
        host: options.host.clone().or_else(|| public.map(|url| url.host().to_owned())),
        port: opened.udp.first().map_or(listen.port(), SocketAddr::port),
        tls_port: opened.tls.first().map(SocketAddr::port),
    };
    tracing::info!(port = told.port, "the embedded TURN server is ready");
    let ice_servers = IceServers::embedded(told, &secret);
    Ok(Turn { ice_servers, embedded: Some(server) })
}

/// The addresses to listen on. All of them are named, since an answer must leave from the address that was asked.
fn listeners(listen: IpAddr) -> Vec<IpAddr> {
    if !listen.is_unspecified() {
        return vec![listen];
    }
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let own: BTreeSet<_> = network::addresses().into_iter().chain(loopback).collect();
    own.into_iter().filter(|ip| ip.is_ipv4() || listen.is_ipv6()).collect()
}

/// Where relays are: at one address of each family that this machine has, told as `advertised` where that is given.
fn relay_hosts(listen: IpAddr, advertised: Option<IpAddr>) -> Result<Vec<RelayHost>, Error> {
    let own: Vec<IpAddr> = if listen.is_unspecified() {
        let v4 = network::reachable(Ipv4Addr::UNSPECIFIED.into());
        let v6 = network::addresses().into_iter().find(|ip| ip.is_ipv6() && listen.is_ipv6());
        v4.into_iter().chain(v6).collect()
    } else {
        vec![listen]
    };
    let told = |bind: IpAddr| advertised.filter(|told| told.is_ipv4() == bind.is_ipv4());
    let hosts =
        own.into_iter().map(|bind| RelayHost { bind, advertised: told(bind).unwrap_or(bind) });
    let hosts: Vec<_> = hosts.collect();
    if hosts.is_empty() { Err(Error::NoAddress) } else { Ok(hosts) }
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
