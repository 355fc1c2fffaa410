//! Uploads: files that people leave on the server for a while. Their bytes are [`crate::blobs`].
//!
//! The way of one: [`Storage::start_upload`], then bytes while [`Storage::grow_upload`] gives room, the blob is finished,
//! [`Storage::finish_upload`]. A kill at any step leaves a row by which the sweeper removes what is there.

use std::time::Duration;

use heliograph_shared::ids::BeamId;

use crate::accounts::AccountId;
use crate::blobs::BlobId;
use crate::database::{Row, Transaction, args};
use crate::{Error, Storage};

/// Silence after which nobody writes a pending upload any more: the server that did was killed.
pub const ABANDONED: Duration = Duration::from_hours(1);

/// An upload that is about to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUpload {
    /// The file.
    pub id: BlobId,
    /// Whose room it takes, if somebody is logged in; else the beam's.
    pub account: Option<AccountId>,
    /// With which beam it ends.
    pub beam: Option<BeamId>,
    /// Its name, cleaned.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
}

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its name, cleaned.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Bytes.
    pub size: u64,
    /// When it ends, by itself or with its beam.
    pub expires_at: Option<i64>,
}

/// How much room an upload wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Bytes that it has, without which it cannot go on.
    pub least: u64,
    /// Bytes that would spare it to ask again soon.
    pub most: u64,
    /// Bytes that its account, or its beam, may have in all.
    pub quota: u64,
}

/// What came of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It may have so many bytes.
    Given(u64),
    /// The quota is full.
    Full,
    /// The upload has ended meanwhile, with its account or its beam.
    Gone,
}

impl Storage {
    /// Notes an upload before its first byte.
    ///
    /// # Errors
    /// [`Error::Missing`] when there is no such beam or account.
    pub async fn start_upload(&self, new: &NewUpload) -> Result<(), Error> {
        let insert = "INSERT INTO uploads (id, account_id, beam_id, name, media_type, size, state, created_at, \
                      touched_at, expires_at) VALUES ($1, $2, $3, $4, $5, 0, 'pending', $6, $6, $7)";
        let values = args![
            new.id.to_string(),
            new.account.map(AccountId::uuid),
            new.beam.map(BeamId::uuid),
            new.name.as_str(),
            new.media_type.as_str(),
            new.created_at,
            new.expires_at,
        ];
        self.database.execute(insert, values).await?;
        Ok(())
    }

    /// Notes under which name the place of the blobs keeps the parts of a pending upload.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn note_upload_parts(&self, id: BlobId, parts: &str) -> Result<(), Error> {
        let update = "UPDATE uploads SET parts = $2 WHERE id = $1 AND state = 'pending'";
        self.database.execute(update, args![id.to_string(), parts]).await?;
        Ok(())
    }

    /// Gives a pending upload the room for more bytes, if its account or beam has it.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn grow_upload(&self, id: BlobId, wish: Wish, now: i64) -> Result<Room, Error> {
        let mut transaction = self.database.begin().await?;
        let select = "SELECT account_id, beam_id FROM uploads \
                      WHERE id = $1 AND state = 'pending' AND (expires_at IS NULL OR expires_at > $2)";
        let values = args![id.to_string(), now];
        let Some(row) = transaction.fetch_optional(select, values).await? else {
            return Ok(Room::Gone);
        };
        let used = used_by_others(&mut transaction, &row, id, now).await?;
        let given = wish.most.min(wish.quota.saturating_sub(used));
        if given < wish.least {
            return Ok(Room::Full);
        }
        let update =
            "UPDATE uploads SET size = $2, touched_at = $3 WHERE id = $1 AND state = 'pending'";
        let values = args![id.to_string(), signed(given), now];
        if transaction.execute(update, values).await? == 0 {
            return Ok(Room::Gone);
        }
        transaction.commit().await?;
        Ok(Room::Given(given))
    }

    /// Makes a pending upload a file that is there, and says whether it still could.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn finish_upload(&self, id: BlobId, size: u64, now: i64) -> Result<bool, Error> {
        let update = "UPDATE uploads SET state = 'ready', size = $2, parts = NULL, touched_at = $3 \
                      WHERE id = $1 AND state = 'pending' AND (expires_at IS NULL OR expires_at > $3)";
        let values = args![id.to_string(), signed(size), now];
        Ok(self.database.execute(update, values).await? == 1)
    }

    /// Gives up a pending upload: it takes nobody's room any more. What is there of it goes when it has been silent for
    /// [`ABANDONED`], so that no late write comes after.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn abandon_upload(&self, id: BlobId, now: i64) -> Result<(), Error> {
        let update = "UPDATE uploads SET account_id = NULL, beam_id = NULL, size = 0, expires_at = 0, touched_at = $2 \
                      WHERE id = $1 AND state = 'pending'";
        self.database.execute(update, args![id.to_string(), now]).await?;
        Ok(())
    }

    /// A file that is there.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_upload(&self, id: BlobId, now: i64) -> Result<Option<Upload>, Error> {
        let select = "SELECT u.name, u.media_type, u.size, u.expires_at, b.expires_at AS beam_expires_at \
                      FROM uploads u LEFT JOIN beams b ON b.id = u.beam_id \
                      WHERE u.id = $1 AND u.state = 'ready' AND (u.expires_at IS NULL OR u.expires_at > $2) \
                      AND b.ended_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > $2)";
        let row = self.database.fetch_optional(select, args![id.to_string(), now]).await?;
        row.as_ref().map(Upload::read).transpose()
    }
}

impl Upload {
    pub(crate) fn read(row: &Row) -> Result<Self, Error> {
        let ends: [Option<i64>; 2] = [row.get("expires_at")?, row.get("beam_expires_at")?];
        Ok(Self {
            name: row.get("name")?,
            media_type: row.get("media_type")?,
            size: u64::try_from(row.get::<i64>("size")?).unwrap_or_default(),
            expires_at: ends.into_iter().flatten().min(),
        })
    }
}

/// Bytes that the other uploads of the same account take, or of the same beam. From here to the end of the transaction
/// nobody else is given room there: the account's row, or the beam's, is written and so locked.
async fn used_by_others(
    transaction: &mut Transaction,
    upload: &Row,
    id: BlobId,
    now: i64,
) -> Result<u64, Error> {
    let (holder, lock, sum) = match (upload.get("account_id")?, upload.get("beam_id")?) {
        (Some(account), _) => (
            account,
            "UPDATE accounts SET created_at = created_at WHERE id = $1",
            "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS used FROM uploads \
             WHERE account_id = $1 AND id <> $2 AND (expires_at IS NULL OR expires_at > $3)",
        ),
        (None, Some(beam)) => (
            beam,
            "UPDATE beams SET created_at = created_at WHERE id = $1",
            "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS used FROM uploads \
             WHERE beam_id = $1 AND account_id IS NULL AND id <> $2 AND (expires_at IS NULL OR expires_at > $3)",
        ),
        (None, None) => return Ok(0),
    };
    let holder: uuid::Uuid = holder;
    transaction.execute(lock, args![holder]).await?;
    let row = transaction.fetch_optional(sum, args![holder, id.to_string(), now]).await?;
    let used: i64 = row.map(|row| row.get("used")).transpose()?.unwrap_or_default();
    Ok(u64::try_from(used).unwrap_or_default())
}

/// No file is larger than what fits.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
