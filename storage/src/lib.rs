//! What outlives a restart. One [`Storage`], one file a noun, plain SQL that SQLite and Postgres both read.
//! It knows no clock: times come in as milliseconds since the Unix epoch.

mod account_deletion;
pub mod accounts;
pub mod beams;
pub mod blobs;
mod changes;
mod database;
pub mod dead_blobs;
mod error;
pub mod export;
pub mod notes;
pub mod passwords;
mod pictures;
pub mod saved_beams;
pub mod secrets;
pub mod sessions;
pub mod shares;
pub mod uploads;
mod words;

pub use database::Location;
pub use error::Error;

use changes::Changes;
use database::{Database, args};

/// The tables. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    database: Database,
    /// How often the lists of beams have changed.
    beam_changes: Changes,
}

impl Storage {
    /// Opens the tables, makes them if they are not there, and brings them up to date.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot be reached or written, or are not ours.
    pub async fn open(location: &Location) -> Result<Self, Error> {
        Ok(Self { database: Database::open(location).await?, beam_changes: Changes::default() })
    }

    /// Whether the tables can be read.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot.
    pub async fn check(&self) -> Result<(), Error> {
        self.database.fetch_optional("SELECT 1 FROM beams LIMIT 1", args![]).await?;
        Ok(())
    }

    /// Whether the tables hold together (I8): SQLite's own check, and that no row speaks of one that is not there. A
    /// Postgres server looks after its files itself.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when they do not, [`Error::Database`].
    pub async fn check_integrity(&self) -> Result<(), Error> {
        self.database.check_integrity().await
    }

    /// Waits for what is under way, then lets go of the tables.
    pub async fn close(&self) {
        self.database.close().await;
    }
}
