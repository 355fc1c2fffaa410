//! The outbox of blobs that nobody wants any more: whoever deletes what a blob belongs to writes it in here, in the same
//! transaction; the sweeper removes the blob and then the row.

use heliograph_shared::ids::BeamId;

use crate::accounts::AccountId;
use crate::blobs::{BlobId, BlobKey};
use crate::database::{Transaction, args};
use crate::pictures::bury_picture;
use crate::uploads::ABANDONED;
use crate::{Error, Storage};

/// A blob that is to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadBlob {
    /// Which.
    pub key: BlobKey,
    /// The name of the parts that an unfinished write left.
    pub parts: Option<String>,
}

impl Storage {
    /// Ends the uploads whose time is over, or whose beam's, and those that nobody writes any more. Says how many.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn bury_old_uploads(&self, now: i64) -> Result<u64, Error> {
        let mut transaction = self.database.begin().await?;
        let mark = "UPDATE uploads SET state = 'dead' WHERE \
                    (state = 'ready' AND (expires_at <= $1 OR beam_id IN \
                        (SELECT id FROM beams WHERE ended_at IS NOT NULL OR expires_at <= $1))) \
                    OR (state = 'pending' AND touched_at <= $2)";
        let values = args![now, now.saturating_sub(abandoned())];
        let marked = transaction.execute(mark, values).await?;
        bury_marked(&mut transaction, now).await?;
        transaction.commit().await?;
        Ok(marked)
    }

    /// Ends an upload of this account, and says whether there was one.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn bury_upload(
        &self,
        id: BlobId,
        account: AccountId,
        now: i64,
    ) -> Result<bool, Error> {
        let mut transaction = self.database.begin().await?;
        let mark = "UPDATE uploads SET state = 'dead' \
                    WHERE id = $1 AND account_id = $2 AND state = 'ready'";
        let marked = transaction.execute(mark, args![id.to_string(), account.uuid()]).await?;
        bury_marked(&mut transaction, now).await?;
        transaction.commit().await?;
        Ok(marked == 1)
    }

    /// The blobs that are to be removed, the oldest first.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn dead_blobs(&self, now: i64, most: u32) -> Result<Vec<DeadBlob>, Error> {
        let select =
            "SELECT name, parts FROM dead_blobs WHERE since <= $1 ORDER BY since, name LIMIT $2";
        let rows = self.database.fetch_all(select, args![now, i64::from(most)]).await?;
        rows.iter()
            .map(|row| {
                let name: String = row.get("name")?;
                Ok(DeadBlob { key: BlobKey::parse(&name)?, parts: row.get("parts")? })
            })
            .collect()
    }

    /// Forgets a blob that has been removed.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_dead_blob(&self, key: BlobKey) -> Result<(), Error> {
        let delete = "DELETE FROM dead_blobs WHERE name = $1";
        self.database.execute(delete, args![key.to_string()]).await?;
        Ok(())
    }

    /// Announces a blob that is about to be written, and of which a row will speak. Until that row is there, written
    /// together with `keep_blob`, it is one that is to be removed, but not for [`ABANDONED`].
    ///
    /// # Errors
    /// [`Error::Conflict`] when it was announced before.
    pub async fn expect_blob(&self, key: BlobKey, now: i64) -> Result<(), Error> {
        let insert = "INSERT INTO dead_blobs (name, since) VALUES ($1, $2)";
        let values = args![key.to_string(), now.saturating_add(abandoned())];
        self.database.execute(insert, values).await?;
        Ok(())
    }
}

/// Takes a blob that was expected from the list of those that are to be removed: a row speaks of it now.
pub(crate) async fn keep_blob(transaction: &mut Transaction, key: BlobKey) -> Result<(), Error> {
    let delete = "DELETE FROM dead_blobs WHERE name = $1";
    match transaction.execute(delete, args![key.to_string()]).await? {
        0 => Err(Error::Missing),
        _ => Ok(()),
    }
}

fn abandoned() -> i64 {
    i64::try_from(ABANDONED.as_millis()).unwrap_or(i64::MAX)
}

/// Has a blob removed. Again is no error.
pub(crate) async fn bury_blob(
    transaction: &mut Transaction,
    key: BlobKey,
    now: i64,
) -> Result<(), Error> {
    let insert =
        "INSERT INTO dead_blobs (name, since) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    transaction.execute(insert, args![key.to_string(), now]).await?;
    Ok(())
}

/// Ends the uploads that are bound to a beam. To be called before the beam itself is ended.
pub(crate) async fn bury_uploads_of_beam(
    transaction: &mut Transaction,
    beam: BeamId,
    now: i64,
) -> Result<(), Error> {
    // The pending ones first: one that gets ready in between is among the ready ones then.
    let give_up = "UPDATE uploads SET account_id = NULL, beam_id = NULL, size = 0, expires_at = 0 \
                   WHERE beam_id = $1 AND state = 'pending'";
    let mark = "UPDATE uploads SET state = 'dead' WHERE beam_id = $1 AND state = 'ready'";
    for update in [give_up, mark] {
        transaction.execute(update, args![beam.uuid()]).await?;
    }
    bury_marked(transaction, now).await
}

/// Ends the uploads of an account, and its picture. To be called before the account itself goes.
pub(crate) async fn bury_blobs_of_account(
    transaction: &mut Transaction,
    account: AccountId,
    now: i64,
) -> Result<(), Error> {
    let give_up = "UPDATE uploads SET account_id = NULL, beam_id = NULL, size = 0, expires_at = 0 \
                   WHERE account_id = $1 AND state = 'pending'";
    let mark = "UPDATE uploads SET state = 'dead' WHERE account_id = $1 AND state = 'ready'";
    for update in [give_up, mark] {
        transaction.execute(update, args![account.uuid()]).await?;
    }
    bury_marked(transaction, now).await?;
    bury_picture(transaction, account, now).await
}

/// Moves the uploads that this transaction marked as dead to the outbox. Marked, nobody else can touch them.
async fn bury_marked(transaction: &mut Transaction, now: i64) -> Result<(), Error> {
    let insert = "INSERT INTO dead_blobs (name, parts, since) \
                  SELECT $1 || id, parts, $2 FROM uploads WHERE state = 'dead'";
    transaction.execute(insert, args![BlobKey::UPLOADS, now]).await?;
    transaction.execute("DELETE FROM uploads WHERE state = 'dead'", args![]).await?;
    Ok(())
}
