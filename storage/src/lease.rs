//! One server at a time: live beams are in the memory of one process, so two servers on the same tables would each show
//! half of a beam. A lease refuses the second one at its start. It ends with the process, however that ends.
//!
//! In a folder it is a lock on a file, which the system lets go of when the process dies. On Postgres it is an advisory
//! lock of one connection (Postgres manual, section 13.3.5), which the database lets go of when that connection ends; a
//! heartbeat notices when it was lost.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::str::FromStr as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::Location;

/// The file that is locked, beside the tables.
const LOCK_FILE: &str = "heliograph.lock";
/// The advisory lock's number: "heliogra" in ASCII.
const LOCK_NUMBER: i64 = 0x6865_6c69_6f67_7261;
/// How long a start waits for the lock of a server that was killed a moment ago.
const START_PATIENCE: Duration = Duration::from_secs(5);
/// How long a server whose connection broke waits for its own old lock: longer than [`KEEPALIVE`] needs.
const REGAIN_PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(100);
/// Pause between two heartbeats, and the time for the answer to one.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Lets Postgres notice within 11 s that the machine of a lease is gone: 5 s of silence, then 3 probes at 2 s.
const KEEPALIVE: &str =
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";

/// Why there is no lease.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another server has it.
    #[error(
        "another Heliograph server is using this database. Several servers on one database are not supported yet: \
         stop the other one, or give this one a database of its own"
    )]
    Taken,
    /// The lock file cannot be made or locked.
    #[error("cannot lock {LOCK_FILE} in the data folder: {0}")]
    File(#[source] io::Error),
    /// The database cannot be reached.
    #[error("cannot open the database: {0}")]
    Database(#[from] sqlx::Error),
}

/// The right to be the one server on these tables.
#[derive(Debug)]
pub struct Lease {
    held: Mutex<Option<Held>>,
    lost: watch::Receiver<bool>,
}

#[derive(Debug)]
enum Held {
    /// Locked as long as it is open.
    File(File),
    /// The task that holds the connection ends, and closes it, when `stop` is dropped.
    Connection { stop: oneshot::Sender<()>, task: JoinHandle<()> },
}

impl Lease {
    /// Takes the lease, before anything is read from the tables.
    ///
    /// # Errors
    /// [`LeaseError::Taken`] when another server has it.
    pub async fn take(location: &Location) -> Result<Self, LeaseError> {
        let (taken_over, lost) = watch::channel(false);
        let held = match location {
            Location::Folder(folder) => Held::File(lock_file(folder)?),
            Location::Postgres(url) => {
                let options = PgConnectOptions::from_str(url)?.application_name("heliograph lease");
                let connection = lock_database(&options, START_PATIENCE).await?;
                let (stop, stopped) = oneshot::channel();
                let task = tokio::spawn(keep(options, connection, stopped, taken_over));
                Held::Connection { stop, task }
            }
        };
        Ok(Self { held: Mutex::new(Some(held)), lost })
    }

    /// Waits until another server has the lease: then this one must end. The database may be gone for any time before; as
    /// long as it is, nobody can take the lease.
    pub async fn lost(&self) {
        let mut lost = self.lost.clone();
        if lost.wait_for(|lost| *lost).await.is_err() {
            // A lock on a file is never lost, and neither is what was given back.
            std::future::pending::<()>().await;
        }
    }

    /// Gives the lease back, and waits until the next server can take it.
    pub async fn release(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        match held {
            Some(Held::Connection { stop, task }) => {
                drop(stop);
                // A task that panicked has dropped its connection.
                let _ = task.await;
            }
            Some(Held::File(file)) => drop(file),
            None => {}
        }
    }
}

fn lock_file(folder: &Path) -> Result<File, LeaseError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.open(folder.join(LOCK_FILE)).map_err(LeaseError::File)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LeaseError::Taken),
        Err(TryLockError::Error(error)) => Err(LeaseError::File(error)),
    }
}

async fn lock_database(
    options: &PgConnectOptions,
    patience: Duration,
) -> Result<PgConnection, LeaseError> {
    let mut connection = options.connect().await?;
    sqlx::raw_sql(KEEPALIVE).execute(&mut connection).await?;
    let start = Instant::now();
    loop {
        let lock = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(LOCK_NUMBER);
        if lock.fetch_one(&mut connection).await? {
            return Ok(connection);
        }
        if start.elapsed() >= patience {
            return Err(LeaseError::Taken);
        }
        sleep(RETRY).await;
    }
}

/// Holds the connection, checks on it, and takes the lease again when the connection breaks.
async fn keep(
    options: PgConnectOptions,
    mut connection: PgConnection,
    mut stopped: oneshot::Receiver<()>,
    taken_over: watch::Sender<bool>,
) {
    loop {
        let checked = tokio::select! {
            checked = check(&options, &mut connection) => checked,
            _ = &mut stopped => {
                // However the closing goes, the connection is gone afterwards.
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

/// One heartbeat. A connection that does not answer is replaced as soon as the database can be reached.
async fn check(
    options: &PgConnectOptions,
    connection: &mut PgConnection,
) -> Result<(), LeaseError> {
    sleep(HEARTBEAT).await;
    if matches!(timeout(HEARTBEAT, connection.ping()).await, Ok(Ok(()))) {
        return Ok(());
    }
    loop {
        match lock_database(options, REGAIN_PATIENCE).await {
            Ok(regained) => {
                *connection = regained;
                return Ok(());
            }
            Err(LeaseError::Taken) => return Err(LeaseError::Taken),
            Err(_) => sleep(HEARTBEAT).await,
        }
    }
}
