//! Kept beams: unsaved ones whose items a person asked to have stored for a while (P26). They end by their time, by a
//! wish, or by being saved.

use heliograph_shared::ids::{BeamId, DeviceId};
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_shared::time::Millis;

use crate::beam_writer::{BeamWriter, Locked, lock};
use crate::database::{Transaction, args};
use crate::notes::{NewNote, Quota, insert_notes, lock_authors};
use crate::quota::take_turn;
use crate::upload_endings::{end_kept_uploads_at, lock_uploads_of_beam};
use crate::{Error, Storage};

/// A wish to keep a beam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Until when.
    pub until: Millis,
    /// The device that asked first.
    pub by: DeviceId,
    /// A pseudonym of its address, whose quota the items take.
    pub address: Option<String>,
    /// What the beam knows of the items that its notes lack.
    pub earlier: Option<String>,
}

impl BeamWriter {
    /// Keeps an unsaved beam with these items, or a kept one, which has them, for another time. Records a beam that is not
    /// recorded yet. A kept beam stays with the address that asked first.
    ///
    /// # Errors
    /// [`Error::Conflict`] when it was saved or ended in the meantime, [`Error::Full`], [`Error::Uncertain`].
    pub async fn keep_beam(
        &self,
        beam: BeamId,
        keep: &Keep,
        expires_at: Millis,
        notes: &[NewNote],
        quota: Quota,
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        take_turn(&mut transaction).await?;
        // All of the beam's uploads change here, so the accounts are locked before the first of them.
        lock_authors(&mut transaction, notes).await?;
        lock_uploads_of_beam(&mut transaction, locked).await?;
        let record = "INSERT INTO beams (id, created_at, expires_at) VALUES ($1, $2, $3) \
                      ON CONFLICT (id) DO NOTHING";
        let values = args![beam.uuid(), expires_at - BEAM_LIFETIME, expires_at];
        transaction.execute(record, values).await?;
        let is_kept = "SELECT 1 FROM beams WHERE id = $1 AND kept_until > $2";
        let values = args![beam.uuid(), quota.now];
        let is_new = transaction.fetch_optional(is_kept, values).await?.is_none();
        if is_new {
            // The sweeper may not have been here since the last time.
            forget(&mut transaction, locked, quota.now).await?;
        }
        let update = "UPDATE beams SET kept_until = $2, kept_by = $3, had_items = 1, earlier = $7, \
                      kept_address = CASE WHEN $5 = 1 THEN $4 ELSE kept_address END, \
                      expires_at = CASE WHEN expires_at < $2 THEN $2 ELSE expires_at END \
                      WHERE id = $1 AND owner_id IS NULL AND ended_at IS NULL AND expires_at > $6";
        let values = args![
            beam.uuid(),
            keep.until,
            keep.by.uuid(),
            keep.address.clone(),
            i64::from(is_new),
            quota.now,
            keep.earlier.clone()
        ];
        if transaction.execute(update, values).await? == 0 {
            return Err(Error::Conflict);
        }
        if is_new {
            // What the notes name stays with the beam. What ended with an earlier keeping takes no quota, and stays ended.
            insert_notes(&mut transaction, locked, notes, quota).await?;
        } else {
            end_kept_uploads_at(&mut transaction, locked, keep.until).await?;
        }
        transaction.commit().await
    }

    /// Stores what a kept beam knows of the items that its notes lack.
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam is not kept any more, [`Error::Uncertain`].
    pub async fn put_earlier(&self, beam: BeamId, earlier: &str, now: Millis) -> Result<(), Error> {
        let (mut transaction, _) = self.begin(beam).await?;
        let update = "UPDATE beams SET earlier = $2 \
                      WHERE id = $1 AND owner_id IS NULL AND kept_until > $3";
        if transaction.execute(update, args![beam.uuid(), earlier, now]).await? == 0 {
            return Err(Error::Missing);
        }
        transaction.commit().await
    }

    /// Keeps a beam no longer, and deletes what was stored of it.
    ///
    /// # Errors
    /// [`Error::Uncertain`], [`Error::Database`].
    pub async fn stop_keeping(&self, beam: BeamId, now: Millis) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        forget(&mut transaction, locked, now).await?;
        transaction.commit().await
    }
}

impl Storage {
    /// Deletes what was stored of beams whose time is over, and returns their number.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_kept_beams(&self, now: Millis) -> Result<u64, Error> {
        let select = "SELECT id FROM beams WHERE kept_until <= $1 ORDER BY id";
        let rows = self.database.fetch_all(select, args![now]).await?;
        let mut forgotten = 0;
        for row in rows {
            let beam = BeamId::from_uuid(row.get("id")?).ok_or(Error::Corrupt)?;
            let mut transaction = self.database.begin().await?;
            let locked = lock(&mut transaction, beam).await?;
            // Somebody may have asked for more time meanwhile.
            let is_over = "SELECT 1 FROM beams WHERE id = $1 AND kept_until <= $2";
            if transaction.fetch_optional(is_over, args![beam.uuid(), now]).await?.is_some() {
                forget(&mut transaction, locked, now).await?;
                forgotten += 1;
            }
            transaction.commit().await?;
        }
        Ok(forgotten)
    }
}

/// Deletes the notes of an unsaved beam. Its files end now, and the sweeper removes them.
async fn forget(transaction: &mut Transaction, beam: Locked, now: Millis) -> Result<(), Error> {
    let id = beam.beam().uuid();
    let update = "UPDATE beams SET kept_until = NULL, kept_by = NULL, kept_address = NULL, earlier = NULL, note_bytes = 0 \
                  WHERE id = $1 AND owner_id IS NULL";
    if transaction.execute(update, args![id]).await? == 0 {
        return Ok(());
    }
    end_kept_uploads_at(transaction, beam, now).await?;
    transaction.execute("DELETE FROM notes WHERE beam_id = $1", args![id]).await?;
    Ok(())
}
