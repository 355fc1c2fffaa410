//! The server's shared state, as the handlers reach it, and the limits by address and by account.

mod listening;

use std::hash::Hash;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::Blobs;
use heliograph_storage::{BeamWriter, Lease, Storage};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::{Client, Network};
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
use crate::limit::{Buckets, Counts, Rate};
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

/// Open sockets from one address: a family or an office behind one NAT, with a few tabs each.
const SOCKETS_PER_CLIENT: usize = 200;
/// Ten a minute: guessing the id or key of a beam is hopeless, mistyping it does no harm.
const GUESSES: Rate = Rate { burst: 10, every: Duration::from_secs(6) };
/// Enough to share a beam with a class. At one name every 20 s, nobody can list the accounts.
const USERNAMES: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// A client asks before each login. With the answers to many names, asked again later, somebody could tell accounts from made-up ones.
const LOGIN_WAYS: Rate = Rate { burst: 90, every: Duration::from_secs(7) };
/// More than a person asks for. Each wish writes all items of a beam.
const KEEPS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// A beam full of devices at once. Each removal writes a row.
const REMOVALS: Rate = Rate { burst: 100, every: Duration::from_secs(1) };
/// 240 an hour: every visit to the page may create a beam.
const BEAM_CREATIONS: Rate = Rate { burst: 240, every: Duration::from_secs(15) };
/// 30 in ten minutes, over all accounts: the throttle by account does not stop a guesser who tries many accounts.
const PASSWORDS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// Registration forms, of which some are refused: a person may need a few tries. Each may carry 5 MiB.
const REGISTRATION_FORMS: Rate = Rate { burst: 60, every: Duration::from_secs(20) };
/// Profile pictures of one account. Each costs up to a second of work; a person tries a few.
const PICTURES: Rate = Rate { burst: 10, every: Duration::from_secs(30) };
/// 20 accounts an hour: enough for a family that registers together.
const REGISTRATIONS: Rate = Rate { burst: 20, every: Duration::from_mins(3) };

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

/// The rate limits, by address and by account. A program on this machine is not limited by address (see
/// [`Client::of`]).
#[derive(Debug)]
pub struct Limits {
    /// Open sockets.
    pub sockets: Counts<Client>,
    /// Guesses of ids and keys, over HTTP and on the socket.
    guesses: Arc<Buckets<Client>>,
    /// Wishes to keep a beam.
    keeps: Arc<Buckets<Client>>,
    removals: Arc<Buckets<Client>>,
    beam_creations: Buckets<Client>,
    passwords: Buckets<Client>,
    /// Passwords from known devices, right ones too: each costs a hash, and a login.
    known_passwords: Buckets<AccountId>,
    forms: Buckets<Client>,
    registrations: Buckets<Client>,
    pictures: Buckets<AccountId>,
    login_ways: Buckets<Client>,
    usernames: Buckets<Client>,
    /// By account as well as by address, since an attacker can have many of either.
    usernames_by_account: Buckets<AccountId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sockets: Counts::new(SOCKETS_PER_CLIENT),
            guesses: Arc::new(Buckets::new(GUESSES)),
            keeps: Arc::new(Buckets::new(KEEPS)),
            removals: Arc::new(Buckets::new(REMOVALS)),
            beam_creations: Buckets::new(BEAM_CREATIONS),
            passwords: Buckets::new(PASSWORDS),
            known_passwords: Buckets::new(PASSWORDS),
            forms: Buckets::new(REGISTRATION_FORMS),
            registrations: Buckets::new(REGISTRATIONS),
            pictures: Buckets::new(PICTURES),
            login_ways: Buckets::new(LOGIN_WAYS),
            usernames: Buckets::new(USERNAMES),
            usernames_by_account: Buckets::new(USERNAMES),
        }
    }
}

impl Limits {
    /// Counts a request for a beam that does not exist or is not visible to the caller, or one with a wrong key. All of
    /// them share one limit, so that trying both HTTP and the socket gains nothing.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn guess(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.guesses, client, now)
    }

    /// Counts the creation of a beam.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn create_beam(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.beam_creations, client, now)
    }

    /// Counts a login or another check of a password.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn try_password(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.passwords, client, now)
    }

    /// Counts a login or another check of a password on a known device of the account, whatever its outcome.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn try_known_password(&self, account: AccountId, now: Instant) -> Result<(), Error> {
        take(&self.known_passwords, Some(account), now)
    }

    /// Counts a registration.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn register(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.registrations, client, now)
    }

    /// Counts a registration form, accepted or not.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_form(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.forms, client, now)
    }

    /// Counts a profile picture.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_picture(&self, account: AccountId, now: Instant) -> Result<(), Error> {
        take(&self.pictures, Some(account), now)
    }

    /// Counts a request whose answer tells whether a username exists. It counts whether or not the name exists:
    /// otherwise the limit itself would tell.
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

    /// Counts a question how a password is stretched (H53), whether or not somebody has the username.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn ask_for_way(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.login_ways, client, now)
    }

    /// Forgets the keys whose buckets are full.
    pub fn sweep(&self, now: Instant) {
        let Self { guesses, keeps, removals, beam_creations, passwords, forms, .. } = self;
        for buckets in [guesses, keeps, removals] {
            buckets.sweep(now);
        }
        let Self { registrations, login_ways, usernames, .. } = self;
        for buckets in [beam_creations, passwords, forms, registrations, login_ways, usernames] {
            buckets.sweep(now);
        }
        for buckets in [&self.pictures, &self.usernames_by_account, &self.known_passwords] {
            buckets.sweep(now);
        }
    }
}

fn take<K: Copy + Eq + Hash>(
    buckets: &Buckets<K>,
    key: Option<K>,
    now: Instant,
) -> Result<(), Error> {
    key.map_or(Ok(()), |key| buckets.take(key, now)).map_err(Error::TooFast)
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
