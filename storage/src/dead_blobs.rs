//! The outbox of blobs to delete. A transaction that deletes the owner of a blob adds the blob here; the sweeper
//! deletes the blob and then its row.

use std::time::Duration;

use heliograph_shared::time::Millis;

use crate::blobs::BlobKey;
use crate::database::{Transaction, args};
use crate::{Error, Storage};

/// Silence after which an unfinished blob has no writer any more, because its server was killed.
pub const ABANDONED: Duration = Duration::from_hours(1);

/// A blob to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadBlob {
    /// The blob's key.
    pub key: BlobKey,
    /// The store's id of the parts that an unfinished write left.
    pub parts: Option<String>,
    /// How often its deletion failed.
    pub tries: u64,
}

impl Storage {
    /// The blobs to delete, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn dead_blobs(&self, now: Millis, most: u32) -> Result<Vec<DeadBlob>, Error> {
        let select = "SELECT name, parts, tries FROM dead_blobs WHERE since <= $1 ORDER BY since, name LIMIT $2";
        let rows = self.database.fetch_all(select, args![now, i64::from(most)]).await?;
        rows.iter()
            .map(|row| {
                let name: String = row.get("name")?;
                let (parts, tries) = (row.get("parts")?, row.number("tries")?);
                Ok(DeadBlob { key: BlobKey::parse(&name)?, parts, tries })
            })
            .collect()
    }

    /// Removes a deleted blob from the list.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_dead_blob(&self, key: BlobKey) -> Result<(), Error> {
        let delete = "DELETE FROM dead_blobs WHERE name = $1";
        self.database.execute(delete, args![key.to_string()]).await?;
        Ok(())
    }

    /// Postpones a blob whose deletion failed until `until`.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn put_off_dead_blob(&self, key: BlobKey, until: Millis) -> Result<(), Error> {
        let update = "UPDATE dead_blobs SET since = $2, tries = tries + 1 WHERE name = $1";
        self.database.execute(update, args![key.to_string(), until]).await?;
        Ok(())
    }

    /// Announces a blob that is about to be written. Until `keep_blob` runs in the transaction that refers to it, the
    /// blob is on the list, to be deleted no earlier than after [`ABANDONED`].
    ///
    /// # Errors
    /// [`Error::Conflict`] when it is announced already.
    pub async fn expect_blob(&self, key: BlobKey, now: Millis) -> Result<(), Error> {
        let insert = "INSERT INTO dead_blobs (name, since) VALUES ($1, $2)";
        let values = args![key.to_string(), now + ABANDONED];
        self.database.execute(insert, values).await?;
        Ok(())
    }
}

/// Removes an announced blob from the list, because a row refers to it now.
pub(crate) async fn keep_blob(transaction: &mut Transaction, key: BlobKey) -> Result<(), Error> {
    let delete = "DELETE FROM dead_blobs WHERE name = $1";
    match transaction.execute(delete, args![key.to_string()]).await? {
        0 => Err(Error::Missing),
        _ => Ok(()),
    }
}

/// Adds a blob to the list. Does nothing if it is there already.
pub(crate) async fn bury_blob(
    transaction: &mut Transaction,
    key: BlobKey,
    now: Millis,
) -> Result<(), Error> {
    let insert =
        "INSERT INTO dead_blobs (name, since) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    transaction.execute(insert, args![key.to_string(), now]).await?;
    Ok(())
}
