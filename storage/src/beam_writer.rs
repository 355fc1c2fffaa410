//! Changes of saved and kept beams: access, name, id, notes, existence. Each locks the beam's row before it reads anything, so
//! that the changes of a beam happen one after the other and cannot deadlock.
//!
//! The order of locks, for every transaction: beams by id, then who drives the beam, then the turn to take room, then an
//! account, then uploads by id.

use heliograph_shared::ids::BeamId;
use uuid::Uuid;

use crate::Error;
use crate::database::{Database, Transaction, args};
use crate::revision::Revision;

/// Changes saved and kept beams. Only [`crate::Storage::open`] makes one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BeamWriter {
    pub(crate) database: Database,
    pub(crate) beam_lists: Revision,
    /// The token of the node that writes, where beams are driven by one of several.
    pub(crate) driver: Option<Uuid>,
}

/// Proves that a transaction holds the lock of this beam's row, if there is a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Locked(BeamId);

impl Locked {
    pub fn beam(self) -> BeamId {
        self.0
    }

    /// The same lock, after the transaction has given the row this id.
    pub fn renewed(self, new: BeamId) -> Self {
        let Self(_) = self;
        Self(new)
    }
}

impl BeamWriter {
    pub(crate) fn new(database: Database, beam_lists: Revision) -> Self {
        Self { database, beam_lists, driver: None }
    }

    /// Begins a transaction with the beam locked. Who drives the beam is locked after it, so that nobody takes it over before
    /// the change is committed.
    pub(crate) async fn begin(&self, beam: BeamId) -> Result<(Transaction, Locked), Error> {
        let mut transaction = self.database.begin().await?;
        let locked = lock(&mut transaction, beam).await?;
        if let Some(token) = self.driver {
            let hold = "UPDATE beam_drivers SET token = token WHERE beam_id = $1 AND token = $2";
            if transaction.execute(hold, args![beam.uuid(), token]).await? == 0 {
                return Err(Error::Superseded);
            }
        }
        Ok((transaction, locked))
    }

    /// Waits until no change of a beam is under way, not even one whose connection was lost. Lists of beams that were
    /// read before are out of date then.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn settle(&self, beam: BeamId) -> Result<(), Error> {
        let _changed = self.beam_lists.bump();
        self.begin(beam).await?;
        Ok(())
    }
}

/// Locks a beam. To lock several, lock the one with the lower id first.
pub(crate) async fn lock(transaction: &mut Transaction, beam: BeamId) -> Result<Locked, Error> {
    transaction.lock("SELECT 1 FROM beams WHERE id = $1 FOR UPDATE", args![beam.uuid()]).await?;
    Ok(Locked(beam))
}
