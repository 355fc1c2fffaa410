//! What outlives a restart. One [`Storage`], one file a noun, plain SQL that SQLite and Postgres both read.
//! It knows no clock: times come in as milliseconds since the Unix epoch.

pub mod beams;
mod error;

use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

pub use error::Error;

/// How long a statement waits for another process that holds the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call waits for a connection: a little longer, so that the database's own answer comes first.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(6);
/// Connections that only read; in WAL mode they never wait for the writer.
const READERS: u32 = 4;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// The tables. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    /// One connection: SQLite has one writer anyway, and waiting here is fair.
    writer: SqlitePool,
    reader: SqlitePool,
}

impl Storage {
    /// Opens the database in `folder`, makes it if it is not there, and brings it up to date.
    ///
    /// # Errors
    /// [`Error::Database`] when the folder cannot be written to or the file is no database of ours.
    pub async fn open(folder: &Path) -> Result<Self, Error> {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("heliograph.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true);
        let pool = |connections: u32| {
            SqlitePoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT)
        };
        let writer = pool(1).connect_with(options.clone()).await?;
        MIGRATIONS.run(&writer).await?;
        let reader = pool(READERS).connect_with(options.read_only(true)).await?;
        Ok(Self { writer, reader })
    }

    /// Whether the tables can be read.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot.
    pub async fn check(&self) -> Result<(), Error> {
        sqlx::query("SELECT 1 FROM beams LIMIT 1").fetch_optional(&self.reader).await?;
        Ok(())
    }

    /// Waits for what is under way, then lets go of the file.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}
