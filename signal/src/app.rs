//! What the handlers may reach.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::Storage;
use heliograph_storage::blobs::Blobs;
use tokio_util::task::TaskTracker;

use crate::address::{Client, Network};
use crate::beam::hub::Hub;
use crate::beam_lists::BeamLists;
use crate::clock::Clock;
use crate::config::{Config, Origin};
use crate::limit::{Buckets, Counts, Rate};
use crate::logins::Logins;
use crate::network;
use crate::pictures::Pictures;
use crate::sockets::Sockets;
use crate::uploads::Uploads;
use crate::websocket::Pool;

/// Sockets of one address: a family or an office behind one, with a few tabs each.
const SOCKETS_PER_CLIENT: usize = 200;
/// Guessing beam ids must be hopeless; mistyping them must not hurt.
const UNKNOWN_JOINS: Rate = Rate { burst: 10, every: Duration::from_secs(6) };
/// Every visit to the page may make a beam.
const BEAM_CREATIONS: Rate = Rate { burst: 240, every: Duration::from_secs(15) };
/// Guessing passwords of many accounts: 30 in ten minutes.
const LOGINS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// A family may register in one go; nobody needs hundreds: 20 an hour.
const REGISTRATIONS: Rate = Rate { burst: 20, every: Duration::from_mins(3) };

/// The server's parts, shared by all its tasks.
#[derive(Debug)]
pub struct App {
    /// What time it is.
    pub clock: Clock,
    /// What outlives a restart.
    pub storage: Storage,
    /// The bytes of files and pictures.
    pub blobs: Blobs,
    /// Who is logged in.
    pub logins: Logins,
    /// The live beams.
    pub hub: Hub,
    /// What was answered of saved beams.
    pub beam_lists: BeamLists,
    /// The open sockets.
    pub sockets: Sockets,
    /// Buffers of relayed frames.
    pub buffers: Arc<Pool>,
    /// Files on their way in.
    pub uploads: Uploads,
    /// Profile pictures in the making.
    pub pictures: Pictures,
    /// How much one address may.
    pub limits: Limits,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// The address that the operator gave.
    pub public_url: Option<Origin>,
    /// Where the source code is.
    pub repository_url: String,
    /// Where the server listens.
    pub listening: Listening,
    /// Tasks that the end of the server waits for.
    pub tasks: TaskTracker,
}

/// The limits by address.
#[derive(Debug)]
pub struct Limits {
    /// Open sockets.
    pub sockets: Counts<Client>,
    /// Joins of ids that nobody created.
    pub unknown_joins: Buckets<Client>,
    /// New beams.
    pub beam_creations: Buckets<Client>,
    /// Tries to log in.
    pub logins: Buckets<Client>,
    /// New accounts.
    pub registrations: Buckets<Client>,
}

/// Where the server really listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// http.
    pub plain: SocketAddr,
    /// https.
    pub tls: Option<SocketAddr>,
}

impl App {
    /// The parts, put together.
    #[must_use]
    pub fn new(
        config: &Config,
        listening: Listening,
        storage: Storage,
        blobs: Blobs,
        logins: Logins,
        clock: Clock,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            hub: Hub::new(clock, Some(storage.clone())),
            storage,
            blobs,
            uploads: Uploads::new(config.uploads.clone()),
            pictures: Pictures::default(),
            logins,
            beam_lists: BeamLists::default(),
            sockets: Sockets::default(),
            buffers: Arc::default(),
            limits: Limits {
                sockets: Counts::new(SOCKETS_PER_CLIENT),
                unknown_joins: Buckets::new(UNKNOWN_JOINS),
                beam_creations: Buckets::new(BEAM_CREATIONS),
                logins: Buckets::new(LOGINS),
                registrations: Buckets::new(REGISTRATIONS),
            },
            trusted_proxies: config.trusted_proxies.clone(),
            public_url: config.public_url.clone(),
            repository_url: config.repository_url.clone(),
            listening,
            tasks: TaskTracker::new(),
        })
    }
}

impl Listening {
    /// The address for a browser on this machine.
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

    /// The address for other devices on the network, https if there is one; none when they cannot reach us (P3).
    /// Asked anew each time: a laptop changes its network.
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
