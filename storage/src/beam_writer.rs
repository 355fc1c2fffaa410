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

/// Locks who drives a beam, if that is still the one with this token.
const HOLD: &str = "SELECT 1 FROM beam_drivers WHERE beam_id = $1 AND token = $2 FOR UPDATE";
const IS_HELD: &str = "SELECT 1 FROM beam_drivers WHERE beam_id = $1 AND token = $2";

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
        if let Some(token) = self.driver
            && !transaction.holds(HOLD, IS_HELD, args![beam.uuid(), token]).await?
        {
            return Err(Error::Superseded);
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

#[cfg(test)]
mod tests {
    use heliograph_shared::time::Millis;
    use heliograph_testing::postgres::fresh_database;

    use super::*;
    use crate::{Location, Storage};

    #[tokio::test]
    async fn only_the_locks_of_a_node_end_while_it_stands_still() {
        let location = Location::Postgres(fresh_database());
        let ends = "SELECT current_setting('idle_in_transaction_session_timeout') AS ends";
        let (alone, _) = Storage::open(&location).await.unwrap();
        let (node, _) = Storage::open_shared(&location).await.unwrap();
        for (storage, after) in [(alone, "0"), (node, "3s")] {
            let row = storage.database.fetch_optional(ends, args![]).await.unwrap().unwrap();
            assert_eq!(row.get::<String>("ends").unwrap(), after);
            storage.close().await;
        }
    }

    #[tokio::test]
    async fn a_change_locks_who_drives_the_beam_and_writes_nothing_there() {
        let (storage, writer) =
            Storage::open_shared(&Location::Postgres(fresh_database())).await.unwrap();
        let (beam, token) = (BeamId::from_random([1; 16]), Uuid::from_bytes([2; 16]));
        storage.drive_beam(beam, token, token, Millis::new(1)).await.unwrap();
        let row = async || {
            let select = "SELECT CAST(ctid AS TEXT) AS place FROM beam_drivers";
            let row = storage.database.fetch_optional(select, args![]).await.unwrap().unwrap();
            row.get::<String>("place").unwrap()
        };
        let before = row().await;
        let (transaction, _) = writer.driven_with(token).begin(beam).await.unwrap();
        let skip = "SELECT 1 FROM beam_drivers FOR UPDATE SKIP LOCKED";
        assert!(storage.database.fetch_optional(skip, args![]).await.unwrap().is_none());
        transaction.commit().await.unwrap();
        assert_eq!(row().await, before);
        let lost = writer.driven_with(Uuid::nil()).begin(beam).await.err();
        assert!(matches!(lost, Some(Error::Superseded)));
        storage.close().await;
    }
}
