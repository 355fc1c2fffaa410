//! [`Storage`] reads everything and writes everything except saved beams, which only [`BeamWriter`] writes.

use crate::Error;
use crate::beam_writer::BeamWriter;
use crate::database::{Database, Location, args};
use crate::revision::Revision;
use crate::sharing::Sharing;

/// The database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    pub(crate) database: Database,
    /// Counts the changes of lists of beams.
    pub(crate) beam_lists: Revision,
}

impl Storage {
    /// Opens the database, creates it if necessary, and runs the migrations. The writer is returned only here: its
    /// holder must keep the live beams in step with the database.
    ///
    /// # Errors
    /// [`Error::Database`] when the database cannot be reached or written, or is not Heliograph's.
    pub async fn open(location: &Location) -> Result<(Self, BeamWriter), Error> {
        Self::with(location, Sharing::Alone).await
    }

    /// The same for one of several nodes. One that stands still in the middle of a change soon loses its connection, and
    /// with it the locks for which the others wait.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub async fn open_shared(location: &Location) -> Result<(Self, BeamWriter), Error> {
        Self::with(location, Sharing::WithNodes).await
    }

    async fn with(location: &Location, sharing: Sharing) -> Result<(Self, BeamWriter), Error> {
        let database = Database::open(location, sharing).await?;
        let beam_lists = Revision::default();
        let writer = BeamWriter::new(database.clone(), beam_lists.clone());
        Ok((Self { database, beam_lists }, writer))
    }

    /// Checks that the database can be read and written.
    ///
    /// # Errors
    /// [`Error::Database`] or [`Error::DiskFull`] when it cannot.
    pub async fn check(&self) -> Result<(), Error> {
        self.database.fetch_optional("SELECT 1 FROM beams LIMIT 1", args![]).await?;
        // A count of grants, which may as well count this. SQLite writes nothing when a value stays the same.
        let update = "UPDATE upload_room SET turns = turns + 1 WHERE id = 1";
        self.database.execute(update, args![]).await?;
        Ok(())
    }

    /// Checks the integrity of the database (I8), with SQLite's own check and one of all foreign keys. A Postgres
    /// server checks its files itself.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when a check fails, [`Error::Database`].
    pub async fn check_integrity(&self) -> Result<(), Error> {
        self.database.check_integrity().await
    }

    /// Waits for running statements and closes the database.
    pub async fn close(&self) {
        self.database.close().await;
    }
}
