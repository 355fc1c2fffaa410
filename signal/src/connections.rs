//! Limits on open connections: in all, and from one address. A refused connection costs no task and no TLS handshake.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::address::{Client, Network};
use crate::config::Config;
use crate::limit::{Counted, Counts};

/// Counts the open connections.
#[derive(Debug)]
pub struct Connections {
    places: Arc<Semaphore>,
    by_address: Counts<Client>,
    trusted_proxies: Vec<Network>,
}

/// The permit of one open connection. Dropping it frees the place.
#[derive(Debug)]
pub struct Connected {
    _place: OwnedSemaphorePermit,
    _of_address: Option<Counted<Client>>,
}

impl Connections {
    /// A counter with the limits of the configuration.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let most = config.connections.min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(most)),
            by_address: Counts::new(config.connections_per_address),
            trusted_proxies: config.trusted_proxies.clone(),
        }
    }

    /// Admits a connection; `None` at a limit. Connections from trusted proxies, which carry many people, and from this
    /// machine count only toward the total.
    #[must_use]
    pub fn enter(&self, peer: IpAddr) -> Option<Connected> {
        let peer = peer.to_canonical();
        let is_trusted = self.trusted_proxies.iter().any(|network| network.contains(peer));
        let client = Client::of(peer, &HeaderMap::new(), &[]).filter(|_| !is_trusted);
        let of_address = match client {
            Some(client) => Some(self.by_address.enter(client)?),
            None => None,
        };
        let place = self.places.clone().try_acquire_owned().ok()?;
        Some(Connected { _place: place, _of_address: of_address })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::config::{Cli, Command};

    fn connections(flags: &[&str]) -> Connections {
        let all = [&["heliograph", "serve"], flags].concat();
        let Command::Serve(config) = Cli::parse_from(all).command else { panic!("serve") };
        Connections::new(&config)
    }

    #[test]
    fn an_address_has_so_many_and_a_trusted_proxy_as_many_as_there_are() {
        let flags = ["--connections-per-address", "2", "--trusted-proxies", "192.0.2.9"];
        let connections = connections(&flags);
        let enter = |ip: &str| connections.enter(ip.parse().unwrap());
        let one = [enter("2001:db8::1"), enter("2001:db8::2")];
        assert!(one.iter().all(Option::is_some));
        assert!(enter("2001:db8::3").is_none() && enter("192.0.2.1").is_some());
        let proxied: Vec<_> = (0..9).map(|_| enter("::ffff:192.0.2.9").unwrap()).collect();

        drop((one, proxied));

        assert!(enter("2001:db8::3").is_some());
    }

    #[test]
    fn there_are_so_many_in_all() {
        let connections = connections(&["--connections", "2"]);
        let enter = || connections.enter("127.0.0.1".parse().unwrap());
        let (one, other) = (enter(), enter());
        assert!(one.is_some() && other.is_some() && enter().is_none());
        drop(one);
        assert!(enter().is_some());
    }
}
