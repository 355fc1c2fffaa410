//! The end of an account: everything of it goes at once, or nothing does (A7).

use heliograph_shared::ids::BeamId;

use crate::accounts::AccountId;
use crate::database::args;
use crate::dead_blobs::bury_blobs_of_account;
use crate::saved_beams::end_beam;
use crate::{Error, Storage};

impl Storage {
    /// Deletes an account with its logins, shares, files and saved beams, and says which beams have ended with it. What the
    /// person shared in beams of others stays there, without an author.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn delete_account(&self, account: AccountId, now: i64) -> Result<Vec<BeamId>, Error> {
        let _changing = self.beam_changes.begin();
        let mut transaction = self.database.begin().await?;
        // Postgres locks a row against new references only when a key of it changes: from here on nobody saves a beam
        // into this account. No username has a space.
        let lock = "UPDATE accounts SET username_key = username_key || ' ' WHERE id = $1";
        transaction.execute(lock, args![account.uuid()]).await?;
        let select = "SELECT id FROM beams WHERE owner_id = $1";
        let rows = transaction.fetch_all(select, args![account.uuid()]).await?;
        let mut beams = Vec::new();
        for row in &rows {
            let beam = BeamId::from_uuid(row.get("id")?).ok_or(Error::Corrupt)?;
            end_beam(&mut transaction, beam, now).await?;
            beams.push(beam);
        }
        bury_blobs_of_account(&mut transaction, account, now).await?;
        let delete = "DELETE FROM accounts WHERE id = $1";
        transaction.execute(delete, args![account.uuid()]).await?;
        transaction.commit().await?;
        Ok(beams)
    }
}
