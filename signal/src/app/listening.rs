//! The addresses at which the server listens.

use std::net::SocketAddr;

use crate::network;

/// The addresses at which the server listens, with the real ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// The http listener.
    pub plain: SocketAddr,
    /// The https listener, if there is one.
    pub tls: Option<SocketAddr>,
    /// The listener for metrics, if there is one.
    pub metrics: Option<SocketAddr>,
}

impl Listening {
    /// The http address for a browser on this machine.
    #[must_use]
    pub fn local_url(&self) -> String {
        let ip = self.plain.ip();
        let is_local = ip.is_unspecified() || ip.is_loopback();
        if is_local {
            format!("http://localhost:{}", self.plain.port())
        } else {
            format!("http://{}", self.plain)
        }
    }

    /// The address for other devices on the network, https where it is served; `None` when they cannot reach the server
    /// (P3). Computed at each call, because a laptop changes networks.
    #[must_use]
    pub fn network_url(&self) -> Option<String> {
        let url = |scheme: &str, at: SocketAddr| {
            let address = SocketAddr::new(network::reachable(at.ip())?, at.port());
            Some(format!("{scheme}://{address}"))
        };
        let tls = self.tls.and_then(|at| url("https", at));
        tls.or_else(|| url("http", self.plain))
    }
}
