//! The lease, which allows only one server per database, or the nodes of one that share it. Live beams are in the memory of
//! one process, so two servers that do not know of each other would each show half of a beam. A second server fails to
//! start. The lease ends with its process, however that ends.
//!
//! For a folder it is a file lock, which the operating system releases when the process dies. On Postgres it is an
//! advisory lock of one connection (Postgres manual, section 13.3.5), released when that connection ends; a heartbeat
//! detects its loss.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::str::FromStr as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::Location;
use crate::sharing::Sharing;

/// The locked file, beside the database file.
const LOCK_FILE: &str = "heliograph.lock";
/// Key of the advisory lock: "heliogra" in ASCII.
const LOCK_NUMBER: i64 = 0x6865_6c69_6f67_7261;
/// How long a start waits for the lock of a server that was just killed.
const START_PATIENCE: Duration = Duration::from_secs(5);
/// How often a start tries to get the lock of a folder. Where a server ends while its process starts another one, that one has
/// the lock too until it runs its own program: `fork` copies open files, and `exec` closes them. Tries and not time, since a
/// machine may stand still for longer than that takes.
const FOLDER_TRIES: u32 = 11;
/// How long a server whose connection broke waits for its own old lock. Longer than [`KEEPALIVE`] takes.
const REGAIN_PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two tries to get the lock.
const RETRY: Duration = Duration::from_millis(100);
/// Pause between two heartbeats, and the time for each answer.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Makes Postgres detect within 11 s that the machine of a lease is gone: 5 s of silence, then 3 probes 2 s apart.
const KEEPALIVE: &str =
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";

/// Why the lease cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another server has it.
    #[error(
        "another Heliograph server is using this database or data folder. Stop it, give this one a database and a folder \
         of its own, or make both nodes of one server with the same --bus"
    )]
    Taken,
    /// The lock file cannot be created or locked.
    #[error("cannot lock {LOCK_FILE} in the data folder: {0}")]
    File(#[source] io::Error),
    /// The database cannot be reached.
    #[error("cannot open the database: {0}")]
    Database(#[from] sqlx::Error),
    /// A database in a folder is for one process.
    #[error("the nodes of a server need a Postgres database (--database)")]
    NotShareable,
}

impl Sharing {
    const fn try_lock(self) -> &'static str {
        match self {
            Self::Alone => "SELECT pg_try_advisory_lock($1)",
            Self::WithNodes => "SELECT pg_try_advisory_lock_shared($1)",
        }
    }
}

/// The right to be the only server on a database, or one of its nodes.
#[derive(Debug)]
pub struct Lease {
    held: Mutex<Option<Held>>,
    /// The lock of the data folder, where that is another one than the lease.
    folder: Mutex<Option<File>>,
    lost: watch::Receiver<bool>,
}

#[derive(Debug)]
enum Held {
    /// The file, locked while it is open.
    File(File),
    /// The task that holds the connection. It closes the connection when `stop` is dropped.
    Connection { stop: oneshot::Sender<()>, task: JoinHandle<()> },
}

impl Lease {
    /// Takes the lease. Call it before reading anything from the database.
    ///
    /// # Errors
    /// [`LeaseError::Taken`] when another server has it.
    pub async fn take(location: &Location) -> Result<Self, LeaseError> {
        match location {
            Location::Folder(folder) => {
                let (_, lost) = watch::channel(false);
                Ok(Self::of(Held::File(lock_file(folder).await?), lost))
            }
            Location::Postgres(url) => Self::lock(url, Sharing::Alone).await,
        }
    }

    /// Takes the lease together with the other nodes of the server. Call it before reading anything from the database.
    ///
    /// # Errors
    /// [`LeaseError::Taken`] when a server has it that is none of them, [`LeaseError::NotShareable`] for a folder.
    pub async fn share(location: &Location) -> Result<Self, LeaseError> {
        match location {
            Location::Folder(_) => Err(LeaseError::NotShareable),
            Location::Postgres(url) => Self::lock(url, Sharing::WithNodes).await,
        }
    }

    async fn lock(url: &str, sharing: Sharing) -> Result<Self, LeaseError> {
        let (taken_over, lost) = watch::channel(false);
        let options = PgConnectOptions::from_str(url)?.application_name("heliograph lease");
        let connection = lock_database(&options, sharing, START_PATIENCE).await?;
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(keep(options, sharing, connection, stopped, taken_over));
        Ok(Self::of(Held::Connection { stop, task }, lost))
    }

    fn of(held: Held, lost: watch::Receiver<bool>) -> Self {
        Self { held: Mutex::new(Some(held)), folder: Mutex::default(), lost }
    }

    /// Also locks the data folder, in which two servers would replace each other's files whatever their databases are.
    /// Nothing is left to lock where the database is in the folder.
    ///
    /// # Errors
    /// [`LeaseError::Taken`] when another server uses the folder.
    pub async fn lock_folder(&self, folder: &Path) -> Result<(), LeaseError> {
        let is_elsewhere = matches!(*lock(&self.held), Some(Held::Connection { .. }));
        if is_elsewhere {
            let file = lock_file(folder).await?;
            *lock(&self.folder) = Some(file);
        }
        Ok(())
    }

    /// Waits until another server has the lease, so that this one must end. Does not return while the database is
    /// unreachable, because nobody else can take the lease then.
    pub async fn lost(&self) {
        let mut lost = self.lost.clone();
        if lost.wait_for(|lost| *lost).await.is_err() {
            // A file lock cannot be lost, and neither can a lease that was released.
            std::future::pending::<()>().await;
        }
    }

    /// Releases the lease and waits until another server can take it.
    pub async fn release(&self) {
        drop(lock(&self.folder).take());
        let held = lock(&self.held).take();
        match held {
            Some(Held::Connection { stop, task }) => {
                drop(stop);
                // If the task panicked, its connection is closed too.
                let _ = task.await;
            }
            Some(Held::File(file)) => drop(file),
            None => {}
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn lock_file(folder: &Path) -> Result<File, LeaseError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.open(folder.join(LOCK_FILE)).map_err(LeaseError::File)?;
    for tried in 1..=FOLDER_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if tried < FOLDER_TRIES => sleep(RETRY).await,
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(error)) => return Err(LeaseError::File(error)),
        }
    }
    Err(LeaseError::Taken)
}

async fn lock_database(
    options: &PgConnectOptions,
    sharing: Sharing,
    patience: Duration,
) -> Result<PgConnection, LeaseError> {
    let mut connection = in_time(options.connect()).await?;
    in_time(sqlx::raw_sql(KEEPALIVE).execute(&mut connection)).await?;
    let start = Instant::now();
    loop {
        let lock = sqlx::query_scalar(sharing.try_lock()).bind(LOCK_NUMBER);
        if in_time(lock.fetch_one(&mut connection)).await? {
            return Ok(connection);
        }
        if start.elapsed() >= patience {
            return Err(LeaseError::Taken);
        }
        sleep(RETRY).await;
    }
}

/// Gives an answer of the database its time: one that hangs must not hold up the tries after it.
async fn in_time<T>(answer: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let too_late = |_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into()));
    timeout(HEARTBEAT, answer).await.unwrap_or_else(too_late)
}

/// Holds the connection, checks it, and takes the lease again when it breaks.
async fn keep(
    options: PgConnectOptions,
    sharing: Sharing,
    mut connection: PgConnection,
    mut stopped: oneshot::Receiver<()>,
    taken_over: watch::Sender<bool>,
) {
    loop {
        let checked = tokio::select! {
            checked = check(&options, sharing, &mut connection) => checked,
            _ = &mut stopped => {
                // Whether or not closing succeeds, the connection is gone afterwards.
                let _ = connection.close().await;
                return;
            }
        };
        if checked.is_err() {
            let _ = taken_over.send(true);
            return;
        }
    }
}

/// Checks the connection. If it does not answer, replaces it as soon as the database is reachable.
async fn check(
    options: &PgConnectOptions,
    sharing: Sharing,
    connection: &mut PgConnection,
) -> Result<(), LeaseError> {
    sleep(HEARTBEAT).await;
    if matches!(timeout(HEARTBEAT, connection.ping()).await, Ok(Ok(()))) {
        return Ok(());
    }
    loop {
        match lock_database(options, sharing, REGAIN_PATIENCE).await {
            Ok(regained) => {
                *connection = regained;
                return Ok(());
            }
            Err(LeaseError::Taken) => return Err(LeaseError::Taken),
            Err(_) => sleep(HEARTBEAT).await,
        }
    }
}
