//! Uploads: files that users store on the server. Their bytes are in [`crate::blobs`].
//!
//! The steps: [`Storage::start_upload`]; bytes while [`Storage::grow_upload`] grants room; the blob is finished;
//! [`Storage::finish_upload`]. A kill at any step leaves a row by which the sweeper removes what is there.

use heliograph_shared::api::beams::Role;
use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::access::access_in;
use crate::accounts::AccountId;
use crate::blobs::BlobId;
use crate::database::{Row, Transaction, args};
use crate::quota::{Quotas, Used, take_turn, used_by_account};
use crate::upload_endings::give_up;
use crate::{Error, Storage};

pub use crate::dead_blobs::ABANDONED;
pub use crate::upload_endings::UNDO_TIME;

/// An upload that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUpload {
    /// The file's id.
    pub id: BlobId,
    /// The account whose quota it takes; without one, the beam's guests' quota.
    pub account: Option<AccountId>,
    /// The beam with which it expires.
    pub beam: Option<BeamId>,
    /// The account that sends it by its rights in the beam; without one, they are those of the beam's link.
    pub sender: Option<AccountId>,
    /// For a guest: a pseudonym of the address, which does not reveal it.
    pub address: Option<String>,
    /// The file's name, cleaned.
    pub name: String,
    /// The file's media type.
    pub media_type: String,
    /// When it was created.
    pub created_at: Millis,
    /// When it expires.
    pub expires_at: Option<Millis>,
    /// Whether it is for an item of its beam: it ends [`UNDO_TIME`] after its last byte, unless a stored item of the beam
    /// refers to it by then.
    pub for_item: bool,
}

/// A finished upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its name, cleaned.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// When it expires, alone or with its beam.
    pub expires_at: Option<Millis>,
}

/// A request for room for an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Bytes that it has already. Without room for them it fails.
    pub least: u64,
    /// Bytes that would make the next request unnecessary for a while.
    pub most: u64,
    /// The quotas that apply.
    pub quotas: Quotas,
}

/// The result of a [`Wish`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// So many bytes are granted in all.
    Given(u64),
    /// A quota is full.
    Full,
    /// The upload has ended meanwhile, with its account or beam.
    Gone,
}

impl Storage {
    /// Creates the row of an upload, before its first byte.
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam or account does not exist, or the sender may not write in the beam any more.
    pub async fn start_upload(&self, new: &NewUpload) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        // Beams are locked first, before the new row's foreign key locks the account.
        if let Some(beam) = new.beam {
            let lock = "SELECT 1 FROM beams WHERE id = $1 FOR KEY SHARE";
            transaction.lock(lock, args![beam.uuid()]).await?;
            // Rights that change from now on find this upload.
            let access = if new.for_item { access_in(&mut transaction, beam).await? } else { None };
            let role = access.map(|access| access.role(new.sender));
            if role.is_some_and(|role| !role.is_some_and(Role::may_write)) {
                return Err(Error::Missing);
            }
        }
        let insert = "INSERT INTO uploads (id, account_id, beam_id, address, name, media_type, size, state, \
                      created_at, touched_at, expires_at, unused_since, for_item, sender_id) \
                      VALUES ($1, $2, $3, $4, $5, $6, 0, 'pending', $7, $7, \
                      CASE WHEN $10 = 1 AND $2 IS NULL THEN (SELECT kept_until FROM beams WHERE id = $3) ELSE $8 END, \
                      $9, $10, $11)";
        let values = args![
            new.id.to_string(),
            new.account.map(AccountId::uuid),
            new.beam.map(BeamId::uuid),
            new.address.clone(),
            new.name.as_str(),
            new.media_type.as_str(),
            new.created_at,
            new.expires_at,
            new.for_item.then_some(new.created_at),
            i64::from(new.for_item),
            new.sender.map(AccountId::uuid),
        ];
        transaction.execute(insert, values).await?;
        transaction.commit().await
    }

    /// Stores the blob store's id for the parts of a pending upload.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn note_upload_parts(&self, id: BlobId, parts: &str) -> Result<(), Error> {
        let update = "UPDATE uploads SET parts = $2 WHERE id = $1 AND state = 'pending'";
        self.database.execute(update, args![id.to_string(), parts]).await?;
        Ok(())
    }

    /// Grants a pending upload room for more bytes, if every quota that applies has it.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn grow_upload(&self, id: BlobId, wish: Wish, now: Millis) -> Result<Room, Error> {
        let mut transaction = self.database.begin().await?;
        take_turn(&mut transaction).await?;
        let select = "SELECT account_id, beam_id, address FROM uploads \
                      WHERE id = $1 AND state = 'pending' AND (expires_at IS NULL OR expires_at > $2)";
        let values = args![id.to_string(), now];
        let Some(row) = transaction.fetch_optional(select, values).await? else {
            return Ok(Room::Gone);
        };
        let free = free_for(&mut transaction, &row, wish.quotas, id, now).await?;
        let given = wish.most.min(free);
        if given < wish.least {
            return Ok(Room::Full);
        }
        // One in pieces is being stored, for which it was claimed.
        let update = "UPDATE uploads SET size = $2, touched_at = $3, \
                      ends_at = CASE WHEN ends_at < $4 THEN $4 ELSE ends_at END \
                      WHERE id = $1 AND state = 'pending'";
        let values = args![id.to_string(), signed(given), now, now + ABANDONED];
        if transaction.execute(update, values).await? == 0 {
            return Ok(Room::Gone);
        }
        transaction.commit().await?;
        Ok(Room::Given(given))
    }

    /// Bytes that an account may still store, by its own quota and by that of everybody. Others may take them meanwhile.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn free_for_account(
        &self,
        account: AccountId,
        quotas: Quotas,
        now: Millis,
    ) -> Result<u64, Error> {
        let used = "SELECT CAST(COALESCE((SELECT SUM(size) FROM uploads \
                        WHERE expires_at IS NULL OR expires_at > $2), 0) \
                        + COALESCE((SELECT SUM(note_bytes) FROM beams WHERE kept_until > $2), 0) AS BIGINT) AS by_all, \
                    CAST(COALESCE((SELECT SUM(size) FROM uploads \
                        WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > $2)), 0) \
                        + COALESCE((SELECT SUM(note_bytes + key_bytes) FROM beams WHERE owner_id = $1), 0) AS BIGINT) AS own";
        let row = self.database.fetch_optional(used, args![account.uuid(), now]).await?;
        let row = row.ok_or(Error::Corrupt)?;
        let free = quotas.all.saturating_sub(row.number("by_all")?);
        Ok(free.min(quotas.account.saturating_sub(row.number("own")?)))
    }

    /// Turns a pending upload into a finished one. Returns `false` if it has ended meanwhile.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn finish_upload(&self, id: BlobId, size: u64, now: Millis) -> Result<bool, Error> {
        let update = "UPDATE uploads SET state = 'ready', size = $2, parts = NULL, ends_at = NULL, touched_at = $3, \
                      unused_since = CASE WHEN unused_since IS NOT NULL THEN $3 END \
                      WHERE id = $1 AND state = 'pending' AND (expires_at IS NULL OR expires_at > $3)";
        let values = args![id.to_string(), signed(size), now];
        Ok(self.database.execute(update, values).await? == 1)
    }

    /// Gives up a pending upload and frees its room. What was written is deleted after [`ABANDONED`] of silence, so
    /// that no late write follows. `left` says whether parts may still exist.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn abandon_upload(&self, id: BlobId, left: bool, now: Millis) -> Result<(), Error> {
        let update = give_up!(
            ", touched_at = $2, parts = CASE WHEN $3 = 1 THEN parts END \
             WHERE id = $1 AND state = 'pending'"
        );
        self.database.execute(update, args![id.to_string(), now, i64::from(left)]).await?;
        Ok(())
    }

    /// Gives up every pending upload that came in one request, as [`Self::abandon_upload`] does. For the start of a server
    /// that is alone on its database: nobody sends to them any more.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn abandon_uploads(&self) -> Result<u64, Error> {
        let update = give_up!("WHERE state = 'pending' AND received IS NULL");
        self.database.execute(update, args![]).await
    }

    /// A finished upload that has not expired.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_upload(&self, id: BlobId, now: Millis) -> Result<Option<Upload>, Error> {
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
        let ends = [row.time_if_any("expires_at")?, row.time_if_any("beam_expires_at")?];
        Ok(Self {
            name: row.get("name")?,
            media_type: row.get("media_type")?,
            size: u64::try_from(row.get::<i64>("size")?).unwrap_or_default(),
            expires_at: ends.into_iter().flatten().min(),
        })
    }
}

/// Bytes that an upload may have, given what others use of the quotas that apply.
async fn free_for(
    transaction: &mut Transaction,
    upload: &Row,
    quotas: Quotas,
    id: BlobId,
    now: Millis,
) -> Result<u64, Error> {
    let account: Option<Uuid> = upload.get("account_id")?;
    let beam: Option<Uuid> = upload.get("beam_id")?;
    let address: Option<String> = upload.get("address")?;
    let used = Used::read(transaction, Some(id), beam, address, now).await?;
    let Some(account) = account.map(AccountId::from_uuid) else {
        return Ok(used.free_for_guest(quotas));
    };
    let own = used_by_account(transaction, account, Some(id), now).await?;
    Ok(quotas.account.saturating_sub(own).min(quotas.all.saturating_sub(used.all)))
}

/// A size as a column value; saturates.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
