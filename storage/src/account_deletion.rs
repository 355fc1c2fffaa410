//! Deletion of an account with all its content, in one transaction (A7).

use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;

use crate::accounts::AccountId;
use crate::beam_writer::{BeamWriter, Locked, lock};
use crate::database::{Row, Transaction, args};
use crate::pictures::bury_picture;
use crate::saved_beams::end_beam;
use crate::sealed_keys::count_key_bytes;
use crate::upload_endings::{bury_uploads_of_account, lock_uploads_of_account};
use crate::{Error, Storage};

/// The beams that an account owns, has a share of, or has notes in.
const BEAMS_OF_ACCOUNT: &str = "SELECT id FROM beams WHERE owner_id = $1 \
     UNION SELECT beam_id FROM shares WHERE account_id = $1 \
     UNION SELECT beam_id FROM notes WHERE author_id = $1 ORDER BY 1";

impl Storage {
    /// The beams that a deletion of this account changes: its own, those shared with it, and those with its notes.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn beams_of_account(&self, account: AccountId) -> Result<Vec<BeamId>, Error> {
        beam_ids(&self.database.fetch_all(BEAMS_OF_ACCOUNT, args![account.uuid()]).await?)
    }
}

impl BeamWriter {
    /// Deletes an account with its sessions, shares, files and saved beams, and returns the beams that this changed.
    /// Its notes in others' beams stay, without an author.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Uncertain`].
    pub async fn delete_account(
        &self,
        account: AccountId,
        now: Millis,
    ) -> Result<Vec<BeamId>, Error> {
        let _changing = self.beam_lists.bump();
        loop {
            let mut transaction = self.database.begin().await?;
            let Some(beams) = lock_everything(&mut transaction, account).await? else { continue };
            let own = "SELECT id FROM beams WHERE owner_id = $1";
            let own = beam_ids(&transaction.fetch_all(own, args![account.uuid()]).await?)?;
            // Beam by beam they would not be locked in the order of their ids.
            lock_uploads_of_account(&mut transaction, account).await?;
            for beam in beams.iter().filter(|beam| own.contains(&beam.beam())) {
                end_beam(&mut transaction, *beam, now).await?;
            }
            bury_uploads_of_account(&mut transaction, account, now).await?;
            bury_picture(&mut transaction, account, now).await?;
            let delete = "DELETE FROM accounts WHERE id = $1";
            transaction.execute(delete, args![account.uuid()]).await?;
            for beam in &beams {
                count_key_bytes(&mut transaction, *beam).await?;
            }
            transaction.commit().await?;
            return Ok(beams.into_iter().map(Locked::beam).collect());
        }
    }
}

/// Locks the beams of an account and then the account. `None` if the account got another beam meanwhile, which must be
/// locked before it. While the account is locked, no new row can refer to it.
async fn lock_everything(
    transaction: &mut Transaction,
    account: AccountId,
) -> Result<Option<Vec<Locked>>, Error> {
    let account = args![account.uuid()];
    let mut locked = Vec::new();
    for beam in beam_ids(&transaction.fetch_all(BEAMS_OF_ACCOUNT, account).await?)? {
        locked.push(lock(transaction, beam).await?);
    }
    transaction.lock("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", account).await?;
    let now = beam_ids(&transaction.fetch_all(BEAMS_OF_ACCOUNT, account).await?)?;
    let is_locked = |beam: &BeamId| locked.iter().any(|locked| locked.beam() == *beam);
    Ok(now.iter().all(is_locked).then_some(locked))
}

fn beam_ids(rows: &[Row]) -> Result<Vec<BeamId>, Error> {
    rows.iter().map(|row| BeamId::from_uuid(row.get("id")?).ok_or(Error::Corrupt)).collect()
}
