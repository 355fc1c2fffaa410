//! The server's shared state, as the handlers reach it.

mod listening;

use std::path::PathBuf;
use std::sync::Arc;

use heliograph_storage::blobs::Blobs;
use heliograph_storage::{BeamWriter, Lease, Storage};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::Network;
use crate::budget::Budget;
use crate::bus::Bus;
use crate::clock::Clock;
use crate::config::{Config, Origin};
use crate::connections::Connections;
use crate::error::Error;
use crate::files::uploads::Uploads;
use crate::health::Health;
use crate::https::Certified;
use crate::https::options::Tls;
use crate::ice::IceServers;
use crate::limits::Limits;
use crate::live::beam::commit::Beams;
use crate::live::beam::hub::Hub;
use crate::live::codes::Codes;
use crate::live::rates::Rates;
use crate::live::socket::Context;
use crate::live::sockets::Sockets;
use crate::people::beam_lists::BeamLists;
use crate::people::logins::{Logins, Surroundings};
use crate::people::pictures::Pictures;
use crate::tally::Tally;
pub use listening::Listening;

/// The server's parts, shared by all its tasks.
#[derive(Debug)]
pub struct App {
    /// The wall clock and the steady clock; tests set their own.
    pub clock: Clock,
    /// The database.
    pub storage: Storage,
    /// The way to the other nodes of the server.
    pub bus: Bus,
    /// The store of files and pictures.
    pub blobs: Blobs,
    /// Accounts and sessions.
    pub logins: Logins,
    /// The parts that every socket uses.
    pub live: Arc<Context>,
    /// Commits changes of saved beams and then tells their devices.
    pub beams: Beams,
    /// The right to use this database, alone or with the other nodes of the server.
    pub lease: Lease,
    /// Cached answers about saved beams.
    pub beam_lists: BeamLists,
    /// The memory for waiting data.
    pub budget: Arc<Budget>,
    /// What the server counts.
    pub counts: Arc<Tally>,
    /// The limits on open connections.
    pub connections: Connections,
    /// Uploads that are being received.
    pub uploads: Arc<Uploads>,
    /// Decodes and stores profile pictures.
    pub pictures: Pictures,
    /// Whether the database can be written.
    pub health: Health,
    /// The short codes of beams.
    pub codes: Codes,
    /// The rate limits.
    pub limits: Limits,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    pub trusted_proxies: Vec<Network>,
    /// The server's public address (`--public-url`).
    pub public_url: Option<Origin>,
    /// What this server has a certificate for.
    pub certified: Certified,
    /// Where the certificate for https comes from.
    pub certificate: Tls,
    /// Address of the source code, for the link in the footer.
    pub repository_url: String,
    /// The data folder.
    pub data: PathBuf,
    /// The addresses at which the server listens.
    pub listening: Listening,
    /// Tasks that must finish before the server ends.
    pub tasks: TaskTracker,
    /// Ends the passing on of websockets to other nodes.
    pub passing_ends: CancellationToken,
}

/// The parts that are opened before the [`App`] and may fail.
#[derive(Debug)]
pub struct Parts {
    /// The right to use the database.
    pub lease: Lease,
    /// The database.
    pub storage: Storage,
    /// The way to the other nodes of the server.
    pub bus: Bus,
    /// Writes changes of saved beams.
    pub writer: BeamWriter,
    /// The store of files and pictures.
    pub blobs: Blobs,
    /// Uploads that are being received.
    pub uploads: Uploads,
    /// The memory for waiting data.
    pub budget: Arc<Budget>,
    /// The wall clock and the steady clock.
    pub clock: Clock,
    /// What devices are told for their `RTCPeerConnection`s.
    pub ice_servers: IceServers,
    /// What the server has a certificate for.
    pub certified: Certified,
}

/// What logins and their ends concern.
fn surroundings(live: &Context, beams: &Beams, bus: &Bus, tasks: &TaskTracker) -> Surroundings {
    Surroundings {
        storage: live.storage.clone(),
        sockets: live.sockets.clone(),
        hub: live.hub.clone(),
        beams: beams.clone(),
        clock: live.clock,
        bus: bus.clone(),
        tasks: tasks.clone(),
    }
}

impl App {
    /// Puts the parts together.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Random`] while the server's secret is read or made.
    pub async fn open(
        config: &Config,
        listening: Listening,
        parts: Parts,
    ) -> Result<Arc<Self>, Error> {
        let Parts { lease, storage, bus, writer, blobs, uploads, budget, clock, .. } = parts;
        let (limits, counts) = (Limits::default(), Arc::<Tally>::default());
        let rates = Rates::new(&config.relay);
        let live = Arc::new(Context {
            clock,
            storage: storage.clone(),
            hub: Hub::new(
                clock,
                storage.clone(),
                writer,
                uploads.capacity(),
                uploads.address_secret(),
                budget.clone(),
                limits.removals.clone(),
            )
            .on(bus.clone()),
            sockets: Arc::new(Sockets::new(budget.clone(), rates, counts.clone())),
            counts: counts.clone(),
            buffers: Arc::default(),
            budget: budget.clone(),
            guesses: limits.guesses.clone(),
            keeps: limits.keeps.clone(),
            ice_servers: parts.ice_servers,
            relay: config.relay.relay,
            join_policy: config.join_policy,
            quotas: config.uploads.clone(),
        });
        let tasks = TaskTracker::new();
        let beams = Beams::new(live.hub.clone(), tasks.clone());
        let around = surroundings(&live, &beams, &bus, &tasks);
        Ok(Arc::new(Self {
            clock,
            beams,
            lease,
            health: Health::new(clock, storage.clone()),
            storage,
            bus,
            blobs,
            uploads: Arc::new(uploads),
            pictures: Pictures::new(budget.clone()),
            connections: Connections::new(config),
            logins: Logins::open(around).await?,
            beam_lists: BeamLists::default(),
            budget,
            counts,
            codes: Codes::default(),
            limits,
            live,
            trusted_proxies: config.trusted_proxies.clone(),
            public_url: config.public_url.clone(),
            certified: parts.certified,
            certificate: config.tls.certificate.clone(),
            repository_url: config.repository_url.clone(),
            data: config.data.clone(),
            listening,
            tasks,
            passing_ends: CancellationToken::new(),
        }))
    }
}
