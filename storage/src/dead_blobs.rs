//! The outbox of blobs that are to be removed: whoever deletes what a blob belongs to writes it in here, in the same
//! transaction; the sweeper removes the blob and then the row.

use std::time::Duration;

use crate::blobs::BlobKey;
use crate::database::{Transaction, args};
use crate::{Error, Storage};

/// Silence after which nobody writes an unfinished blob any more: the server that did was killed.
pub const ABANDONED: Duration = Duration::from_hours(1);

/// A blob that is to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadBlob {
    /// The blob.
    pub key: BlobKey,
    /// The name of the parts that an unfinished write left.
    pub parts: Option<String>,
    /// How often it could not be removed.
    pub tries: u64,
}

impl Storage {
    /// The blobs that are to be removed, the oldest first.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn dead_blobs(&self, now: i64, most: u32) -> Result<Vec<DeadBlob>, Error> {
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

    /// Forgets a blob that has been removed.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_dead_blob(&self, key: BlobKey) -> Result<(), Error> {
        let delete = "DELETE FROM dead_blobs WHERE name = $1";
        self.database.execute(delete, args![key.to_string()]).await?;
        Ok(())
    }

    /// Puts off a blob that could not be removed: it is not among those that are to be removed before `until`.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn put_off_dead_blob(&self, key: BlobKey, until: i64) -> Result<(), Error> {
        let update = "UPDATE dead_blobs SET since = $2, tries = tries + 1 WHERE name = $1";
        self.database.execute(update, args![key.to_string(), until]).await?;
        Ok(())
    }

    /// Announces a blob that is about to be written, before there is a row that refers to it. Until that row is there,
    /// written together with `keep_blob`, the blob counts as one to be removed, but not before [`ABANDONED`] has passed.
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

/// Takes a blob that was expected off the list of those to be removed: a row refers to it now.
pub(crate) async fn keep_blob(transaction: &mut Transaction, key: BlobKey) -> Result<(), Error> {
    let delete = "DELETE FROM dead_blobs WHERE name = $1";
    match transaction.execute(delete, args![key.to_string()]).await? {
        0 => Err(Error::Missing),
        _ => Ok(()),
    }
}

/// [`ABANDONED`] in milliseconds.
pub(crate) fn abandoned() -> i64 {
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
