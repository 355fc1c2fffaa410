//! Notes: the stored items of saved and kept beams, in order.

use std::collections::BTreeSet;

use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::beam_writer::{BeamWriter, Locked};
use crate::blobs::BlobId;
use crate::database::{Row, Transaction, args};
use crate::quota::{Quotas, Used, lock_account, take_turn, used_by_account};
use crate::upload_endings::{keep_upload, release_upload};
use crate::{Error, Storage};

/// A note to store. It replaces a note with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNote {
    /// The item's id.
    pub id: ItemId,
    /// Its sequence number in the beam.
    pub seq: u64,
    /// Any JSON value, as it was sent.
    pub content: String,
    /// The upload that a file's content refers to, if it has a stored copy (F9).
    pub upload: Option<BlobId>,
    /// The kind of item, as its sender named it.
    pub kind: String,
    /// The device that shared it.
    pub device: DeviceId,
    /// The account of that device, if it was logged in. An account that is gone is stored as none.
    pub author: Option<AccountId>,
    /// When it was created.
    pub created_at: Millis,
}

/// Columns of a [`NewNote`], from the table `n`.
macro_rules! note_columns {
    () => {
        "n.id, n.seq, n.content, n.upload, n.kind, n.device_id, n.author_id, n.created_at"
    };
}
pub(crate) use note_columns;

/// The quotas that notes and files take together, at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The owner's, and in a kept beam the guests'.
    pub quotas: Quotas,
    /// The current time. What has expired does not count.
    pub now: Millis,
}

/// At whose cost the notes of a beam are stored.
enum Payer {
    /// The owner of a saved beam.
    Owner(AccountId),
    /// The address that asked to keep an unsaved one.
    Guest(Option<String>),
}

/// The data of a note that a replacement or deletion needs.
struct OldNote {
    bytes: i64,
    upload: Option<BlobId>,
    author: Option<AccountId>,
}

impl NewNote {
    fn bytes(&self) -> i64 {
        i64::try_from(self.content.len() + self.kind.len()).unwrap_or(i64::MAX)
    }

    /// Reads [`note_columns`].
    pub(crate) fn read(row: &Row) -> Result<Self, Error> {
        let author: Option<Uuid> = row.get("author_id")?;
        let upload: Option<String> = row.get("upload")?;
        Ok(Self {
            id: ItemId::from_uuid(row.get("id")?),
            seq: row.number("seq")?,
            content: row.get("content")?,
            upload: upload.and_then(|id| BlobId::parse(&id).ok()),
            kind: row.get("kind")?,
            device: DeviceId::from_uuid(row.get("device_id")?),
            author: author.map(AccountId::from_uuid),
            created_at: row.time("created_at")?,
        })
    }
}

impl Storage {
    /// A page of a beam's notes after a sequence number and up to another, oldest first: up to `bytes` of content and at most 100 notes,
    /// but at least one if there is one.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn page_of_notes(
        &self,
        beam: BeamId,
        after: u64,
        until: u64,
        bytes: u64,
    ) -> Result<Vec<NewNote>, Error> {
        const PAGE: &str = "SELECT n.id, n.seq, n.content, n.upload, n.kind, n.device_id, n.author_id, n.created_at \
            FROM notes n JOIN ( \
                SELECT id, SUM(CAST(OCTET_LENGTH(content) AS BIGINT)) OVER (ORDER BY seq) AS bytes, \
                       ROW_NUMBER() OVER (ORDER BY seq) AS place \
                FROM (SELECT id, seq, content FROM notes WHERE beam_id = $1 AND seq > $2 AND seq <= $4 ORDER BY seq LIMIT 100) ahead \
            ) p ON p.id = n.id \
            WHERE n.beam_id = $1 AND (p.bytes <= $3 OR p.place = 1) ORDER BY n.seq";
        let values = args![beam.uuid(), number(after), number(bytes), number(until)];
        let rows = self.database.fetch_all(PAGE, values).await?;
        rows.iter().map(NewNote::read).collect()
    }

    /// All notes of a beam, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn notes_of(&self, beam: BeamId) -> Result<Vec<NewNote>, Error> {
        let select = concat!(
            "SELECT ",
            note_columns!(),
            " FROM notes n WHERE n.beam_id = $1 ORDER BY n.seq"
        );
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        rows.iter().map(NewNote::read).collect()
    }
}

impl BeamWriter {
    /// Stores a note in a saved or kept beam. A note with the same id is replaced and keeps its author (B11).
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam is neither saved nor kept any more, [`Error::Full`], [`Error::Uncertain`].
    pub async fn put_note(&self, beam: BeamId, note: &NewNote, quota: Quota) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        insert_notes(&mut transaction, locked, std::slice::from_ref(note), quota).await?;
        transaction.commit().await
    }

    /// Deletes notes of a saved or kept beam. Ids that do not exist are ignored, and so are repeated ones.
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam is neither saved nor kept any more, [`Error::Uncertain`].
    pub async fn delete_notes(
        &self,
        beam: BeamId,
        ids: &[ItemId],
        now: Millis,
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        payer_of(&mut transaction, locked, now).await?;
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        let mut olds = Vec::with_capacity(ids.len());
        for id in ids {
            olds.extend(find_old(&mut transaction, locked, id).await?.map(|old| (id, old)));
        }
        lock_uploads(&mut transaction, locked, olds.iter().filter_map(|(_, old)| old.upload))
            .await?;
        let mut bytes = 0;
        for (id, old) in olds {
            let delete = "DELETE FROM notes WHERE beam_id = $1 AND id = $2";
            transaction.execute(delete, args![beam.uuid(), id.uuid()]).await?;
            bytes += old.bytes;
            if let Some(upload) = old.upload {
                release_upload(&mut transaction, locked, upload, old.author, now).await?;
            }
        }
        let update = "UPDATE beams SET note_bytes = note_bytes - $2 WHERE id = $1";
        transaction.execute(update, args![beam.uuid(), bytes]).await?;
        transaction.commit().await
    }
}

async fn payer_of(
    transaction: &mut Transaction,
    beam: Locked,
    now: Millis,
) -> Result<Payer, Error> {
    let select = "SELECT owner_id, kept_address FROM beams \
                  WHERE id = $1 AND (owner_id IS NOT NULL OR kept_until > $2)";
    let row = transaction.fetch_optional(select, args![beam.beam().uuid(), now]).await?;
    let row = row.ok_or(Error::Missing)?;
    let owner = row.get::<Option<Uuid>>("owner_id")?.map(AccountId::from_uuid);
    Ok(match owner {
        Some(owner) => Payer::Owner(owner),
        None => Payer::Guest(row.get("kept_address")?),
    })
}

impl Payer {
    /// Bytes that the notes of a beam may still take. Until the end of the transaction no other one takes them.
    async fn free(
        &self,
        transaction: &mut Transaction,
        beam: Locked,
        Quota { quotas, now }: Quota,
    ) -> Result<u64, Error> {
        match self {
            Self::Owner(owner) => {
                let used = used_by_account(transaction, *owner, None, now).await?;
                Ok(quotas.account.saturating_sub(used))
            }
            Self::Guest(address) => {
                take_turn(transaction).await?;
                let beam = Some(beam.beam().uuid());
                let used = Used::read(transaction, None, beam, address.clone(), now).await?;
                Ok(used.free_for_guest(quotas))
            }
        }
    }
}

async fn find_old(
    transaction: &mut Transaction,
    beam: Locked,
    id: ItemId,
) -> Result<Option<OldNote>, Error> {
    let select = "SELECT CAST(octet_length(content) + octet_length(kind) AS BIGINT) AS bytes, upload, author_id \
                  FROM notes WHERE beam_id = $1 AND id = $2";
    let row = transaction.fetch_optional(select, args![beam.beam().uuid(), id.uuid()]).await?;
    let Some(row) = row else { return Ok(None) };
    let (upload, author): (Option<String>, Option<Uuid>) =
        (row.get("upload")?, row.get("author_id")?);
    Ok(Some(OldNote {
        bytes: row.get("bytes")?,
        upload: upload.and_then(|id| BlobId::parse(&id).ok()),
        author: author.map(AccountId::from_uuid),
    }))
}

/// Stores notes of a saved or kept beam within its quota, and updates the beam's counters. A note that does not grow is
/// stored even when the quota is full.
pub(crate) async fn insert_notes(
    transaction: &mut Transaction,
    beam: Locked,
    notes: &[NewNote],
    quota: Quota,
) -> Result<(), Error> {
    let payer = payer_of(transaction, beam, quota.now).await?;
    let (mut olds, mut grown) = (Vec::with_capacity(notes.len()), 0);
    for note in notes {
        let old = find_old(transaction, beam, note.id).await?;
        grown += note.bytes() - old.as_ref().map_or(0, |old| old.bytes);
        olds.push(old);
    }
    if let Ok(grown @ 1..) = u64::try_from(grown)
        && grown > payer.free(transaction, beam, quota).await?
    {
        return Err(Error::Full);
    }
    // After the turn to take room.
    if let Payer::Owner(owner) = payer {
        lock_account(transaction, owner).await?;
    }
    lock_authors(transaction, notes).await?;
    let old_uploads = olds.iter().flatten().filter_map(|old| old.upload);
    let uploads = notes.iter().filter_map(|note| note.upload).chain(old_uploads);
    lock_uploads(transaction, beam, uploads).await?;
    let last = notes.iter().map(|note| note.seq).max().unwrap_or_default();
    let update = "UPDATE beams SET note_bytes = note_bytes + $3, \
                  last_seq = CASE WHEN last_seq < $2 THEN $2 ELSE last_seq END WHERE id = $1";
    transaction.execute(update, args![beam.beam().uuid(), number(last), grown]).await?;
    for (note, old) in notes.iter().zip(olds) {
        insert(transaction, beam, note).await?;
        if let Some(upload) = note.upload {
            keep_upload(transaction, beam, upload).await?;
            match payer {
                Payer::Owner(owner) => {
                    adopt_upload(transaction, beam, upload, owner, quota).await?;
                }
                Payer::Guest(_) => bind_upload(transaction, beam, upload).await?,
            }
        }
        if let Some(OldNote { upload: Some(upload), author, .. }) = old {
            release_upload(transaction, beam, upload, author, quota.now).await?;
        }
    }
    Ok(())
}

/// Locks the accounts that shared these notes, so that each of them is there until the end of the transaction or is gone
/// already. The notes of an account that is gone have no author.
pub(crate) async fn lock_authors(
    transaction: &mut Transaction,
    notes: &[NewNote],
) -> Result<(), Error> {
    let authors: BTreeSet<_> = notes.iter().filter_map(|note| note.author).collect();
    for author in authors {
        let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR KEY SHARE";
        transaction.lock(lock, args![author.uuid()]).await?;
    }
    Ok(())
}

/// Locks these uploads of a beam in the order of their ids, before any of them changes.
async fn lock_uploads(
    transaction: &mut Transaction,
    beam: Locked,
    uploads: impl Iterator<Item = BlobId>,
) -> Result<(), Error> {
    let ids: BTreeSet<_> = uploads.map(|id| id.to_string()).collect();
    for id in ids {
        let lock = "SELECT 1 FROM uploads WHERE id = $1 AND beam_id = $2 FOR UPDATE";
        transaction.lock(lock, args![id, beam.beam().uuid()]).await?;
    }
    Ok(())
}

async fn insert(transaction: &mut Transaction, beam: Locked, note: &NewNote) -> Result<(), Error> {
    let insert = "INSERT INTO notes (beam_id, id, seq, content, upload, kind, device_id, author_id, created_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT id FROM accounts WHERE id = $8), $9) \
                  ON CONFLICT (beam_id, id) DO UPDATE SET seq = excluded.seq, content = excluded.content, \
                  upload = excluded.upload, kind = excluded.kind, device_id = excluded.device_id, \
                  created_at = excluded.created_at";
    let values = args![
        beam.beam().uuid(),
        note.id.uuid(),
        number(note.seq),
        note.content.as_str(),
        note.upload.map(|id| id.to_string()),
        note.kind.as_str(),
        note.device.uuid(),
        note.author.map(AccountId::uuid),
        note.created_at
    ];
    transaction.execute(insert, values).await?;
    Ok(())
}

/// Gives a guest's file to the beam's owner when a stored item refers to it, so that it does not end after the guest's
/// 24 hours. Without room in the owner's quota it stays as it is.
async fn adopt_upload(
    transaction: &mut Transaction,
    beam: Locked,
    id: BlobId,
    owner: AccountId,
    quota: Quota,
) -> Result<(), Error> {
    let select = "SELECT id, size FROM uploads WHERE id = $1 AND beam_id = $2 AND account_id IS NULL AND state = 'ready'";
    let values = args![id.to_string(), beam.beam().uuid()];
    match transaction.fetch_optional(select, values).await? {
        Some(row) => adopt(transaction, &row, owner, quota).await,
        None => Ok(()),
    }
}

/// Gives the unfinished files for items of a kept beam to the account that saves it, as [`adopt_upload`] does. Else they
/// would end when the beam would no longer have been kept.
pub(crate) async fn adopt_unfinished_uploads(
    transaction: &mut Transaction,
    beam: Locked,
    owner: AccountId,
    quota: Quota,
) -> Result<(), Error> {
    let select = "SELECT id, size FROM uploads WHERE beam_id = $1 AND account_id IS NULL AND for_item = 1 \
                  AND state = 'pending' AND expires_at > $2 ORDER BY id";
    for row in transaction.fetch_all(select, args![beam.beam().uuid(), quota.now]).await? {
        adopt(transaction, &row, owner, quota).await?;
    }
    Ok(())
}

/// Gives an upload, which is locked, to an account that has room for it.
async fn adopt(
    transaction: &mut Transaction,
    upload: &Row,
    owner: AccountId,
    quota: Quota,
) -> Result<(), Error> {
    let used = used_by_account(transaction, owner, None, quota.now).await?;
    if used.saturating_add(upload.number("size")?) <= quota.quotas.account {
        let id: String = upload.get("id")?;
        let update = "UPDATE uploads SET account_id = $2, address = NULL, expires_at = NULL, for_item = 1 \
                      WHERE id = $1";
        transaction.execute(update, args![id, owner.uuid()]).await?;
    }
    Ok(())
}

/// Lets a guest's file end with the keeping of its beam when a kept item refers to it.
async fn bind_upload(transaction: &mut Transaction, beam: Locked, id: BlobId) -> Result<(), Error> {
    let update = "UPDATE uploads SET for_item = 1, expires_at = (SELECT kept_until FROM beams WHERE id = $2) \
                  WHERE id = $1 AND beam_id = $2 AND account_id IS NULL AND state = 'ready'";
    transaction.execute(update, args![id.to_string(), beam.beam().uuid()]).await?;
    Ok(())
}

/// A sequence number as a column value. It grows by one per note and cannot overflow.
pub(crate) fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
