//! What the handlers may reach.

use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::Blobs;
use heliograph_storage::{BeamWriter, Lease, Storage};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::address::{Client, Network};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::config::{Config, Origin};
use crate::connections::Connections;
use crate::error::Error;
use crate::files::uploads::Uploads;
use crate::limit::{Buckets, Counts, Rate};
use crate::live::beam::commit::Beams;
use crate::live::beam::hub::Hub;
use crate::live::socket::Context;
use crate::live::sockets::Sockets;
use crate::live::websocket::Pool;
use crate::network;
use crate::people::beam_lists::BeamLists;
use crate::people::logins::{Logins, Surroundings};
use crate::people::pictures::Pictures;

/// Sockets of one address: a family or an office behind one, with a few tabs each.
const SOCKETS_PER_CLIENT: usize = 200;
/// Guessing the ids and keys of beams must be hopeless; mistyping them must not hurt.
const GUESSES: Rate = Rate { burst: 10, every: Duration::from_secs(6) };
/// Enough to share a beam with a class; listing who has an account by one name every 20 s takes for ever.
const USERNAMES: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// Every visit to the page may make a beam.
const BEAM_CREATIONS: Rate = Rate { burst: 240, every: Duration::from_secs(15) };
/// Guessing passwords of many accounts: 30 in ten minutes.
const PASSWORDS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// Forms to register: somebody may need a few tries at it, and each may bring 5 MiB.
const REGISTRATION_FORMS: Rate = Rate { burst: 60, every: Duration::from_secs(20) };
/// Pictures that one account sends, which each cost a second of work at most: a person tries a few.
const PICTURES: Rate = Rate { burst: 10, every: Duration::from_secs(30) };
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
    /// What every socket works with.
    pub live: Arc<Context>,
    /// Changes saved beams.
    pub beams: Beams,
    /// The right to be the one server on these tables.
    pub lease: Lease,
    /// What was answered of saved beams.
    pub beam_lists: BeamLists,
    /// The open sockets.
    pub sockets: Arc<Sockets>,
    /// Buffers of relayed frames.
    pub buffers: Arc<Pool>,
    /// The memory that waiting may cost.
    pub budget: Arc<Budget>,
    /// The connections that may be open.
    pub connections: Connections,
    /// Files on their way in.
    pub uploads: Arc<Uploads>,
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

/// The parts that need more than a configuration to be opened.
#[derive(Debug)]
pub struct Parts {
    /// The right to use the others.
    pub lease: Lease,
    /// The tables.
    pub storage: Storage,
    /// Changes saved beams.
    pub writer: BeamWriter,
    /// The bytes of files and pictures.
    pub blobs: Blobs,
    /// Files on their way in.
    pub uploads: Uploads,
    /// The memory that waiting may cost.
    pub budget: Arc<Budget>,
    /// What time it is.
    pub clock: Clock,
}

/// The limits by address. A program on this machine has no address and no limits (see [`Client::of`]).
#[derive(Debug)]
pub struct Limits {
    /// Open sockets.
    pub sockets: Counts<Client>,
    /// Guesses of ids and keys, over HTTP and on the socket.
    guesses: Arc<Buckets<Client>>,
    beam_creations: Buckets<Client>,
    passwords: Buckets<Client>,
    forms: Buckets<Client>,
    registrations: Buckets<Client>,
    pictures: Buckets<AccountId>,
    usernames: Buckets<Client>,
    /// Accounts are free, and so are addresses for some: both count.
    usernames_by_account: Buckets<AccountId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sockets: Counts::new(SOCKETS_PER_CLIENT),
            guesses: Arc::new(Buckets::new(GUESSES)),
            beam_creations: Buckets::new(BEAM_CREATIONS),
            passwords: Buckets::new(PASSWORDS),
            forms: Buckets::new(REGISTRATION_FORMS),
            registrations: Buckets::new(REGISTRATIONS),
            pictures: Buckets::new(PICTURES),
            usernames: Buckets::new(USERNAMES),
            usernames_by_account: Buckets::new(USERNAMES),
        }
    }
}

impl Limits {
    /// Somebody asked for the id of a beam that is not there or not theirs, or came with a wrong key. One limit for all
    /// of it: who guesses does not get more by guessing elsewhere.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn guess(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.guesses, client, now)
    }

    /// Somebody makes a beam.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn create_beam(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.beam_creations, client, now)
    }

    /// Somebody tries a password.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn try_password(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.passwords, client, now)
    }

    /// Somebody registers.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn register(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.registrations, client, now)
    }

    /// Somebody sends a form to register, whatever comes of it.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_form(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.forms, client, now)
    }

    /// Somebody sends a profile picture.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_picture(&self, account: AccountId, now: Instant) -> Result<(), Error> {
        take(&self.pictures, Some(account), now)
    }

    /// The answer will tell whether somebody has a username. Counted whether anybody has: else the limit would tell.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn ask_for_username(
        &self,
        account: AccountId,
        client: Option<Client>,
        now: Instant,
    ) -> Result<(), Error> {
        take(&self.usernames_by_account, Some(account), now)?;
        take(&self.usernames, client, now)
    }

    /// Forgets those of whom there is nothing to remember.
    pub fn sweep(&self, now: Instant) {
        let Self { guesses, beam_creations, passwords, forms, registrations, usernames, .. } = self;
        for buckets in [guesses, beam_creations, passwords, forms, registrations, usernames] {
            buckets.sweep(now);
        }
        self.pictures.sweep(now);
        self.usernames_by_account.sweep(now);
    }
}

fn take<K: Copy + Eq + Hash>(
    buckets: &Buckets<K>,
    key: Option<K>,
    now: Instant,
) -> Result<(), Error> {
    key.map_or(Ok(()), |key| buckets.take(key, now)).map_err(Error::TooFast)
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
    ///
    /// # Errors
    /// When the tables or the machine's randomness fail.
    pub async fn open(
        config: &Config,
        listening: Listening,
        parts: Parts,
    ) -> Result<Arc<Self>, Error> {
        let Parts { lease, storage, writer, blobs, uploads, budget, clock } = parts;
        let limits = Limits::default();
        let live = Arc::new(Context {
            clock,
            storage: storage.clone(),
            hub: Hub::new(
                clock,
                storage.clone(),
                writer,
                config.uploads.account_total.0,
                budget.clone(),
            ),
            sockets: Arc::new(Sockets::new(budget.clone())),
            buffers: Arc::default(),
            guesses: limits.guesses.clone(),
        });
        let tasks = TaskTracker::new();
        let beams = Beams::new(live.hub.clone(), tasks.clone());
        let around = Surroundings {
            storage: storage.clone(),
            sockets: live.sockets.clone(),
            hub: live.hub.clone(),
            beams: beams.clone(),
            clock,
            tasks: tasks.clone(),
        };
        let logins = Logins::open(around).await?;
        Ok(Arc::new(Self {
            clock,
            hub: live.hub.clone(),
            beams,
            lease,
            storage,
            blobs,
            uploads: Arc::new(uploads),
            pictures: Pictures::new(budget.clone()),
            connections: Connections::new(config),
            logins,
            beam_lists: BeamLists::default(),
            sockets: live.sockets.clone(),
            budget,
            buffers: live.buffers.clone(),
            limits,
            live,
            trusted_proxies: config.trusted_proxies.clone(),
            public_url: config.public_url.clone(),
            repository_url: config.repository_url.clone(),
            listening,
            tasks,
        }))
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
