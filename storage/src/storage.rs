//! [`Storage`] reads and writes everything but saved beams; those are written by [`BeamWriter`] alone.

use crate::Error;
use crate::beam_writer::BeamWriter;
use crate::database::{Database, Location, args};
use crate::revision::Revision;

/// The tables. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    pub(crate) database: Database,
    /// Counts the changes of the lists of beams.
    pub(crate) beam_lists: Revision,
}

impl Storage {
    /// Opens the tables, makes them if they are not there, and brings them up to date. The writer is given out here and
    /// nowhere else: whoever holds it keeps the live beams in step with the tables.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot be reached or written, or are not ours.
    pub async fn open(location: &Location) -> Result<(Self, BeamWriter), Error> {
        let database = Database::open(location).await?;
        let beam_lists = Revision::default();
        let writer = BeamWriter::new(database.clone(), beam_lists.clone());
        Ok((Self { database, beam_lists }, writer))
    }

    /// Whether the tables can be read.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot.
    pub async fn check(&self) -> Result<(), Error> {
        self.database.fetch_optional("SELECT 1 FROM beams LIMIT 1", args![]).await?;
        Ok(())
    }

    /// Whether the tables hold together (I8): SQLite's own check, and that no row refers to one that is not there. A
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
