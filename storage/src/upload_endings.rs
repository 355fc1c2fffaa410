//! Ends uploads: when they or their beams expire, when their owner, beam or account is deleted, or some time after the
//! item that referred to them. Rows are locked in the order of their ids before they change, so that endings cannot
//! deadlock.

use std::time::Duration;

use heliograph_shared::api::beams::Role;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::access::{Access, access_in};
use crate::accounts::AccountId;
use crate::beam_writer::Locked;
use crate::blobs::{BlobId, BlobKey};
use crate::database::{Transaction, args};
use crate::dead_blobs::ABANDONED;
use crate::{Error, Storage};

/// How long a file outlives the last item that referred to it: longer than Undo is offered.
pub const UNDO_TIME: Duration = Duration::from_mins(10);

/// The statement that gives up unfinished uploads. They take no room from then on, and end once nobody writes them any more.
/// `$which` says which, and may set more before that.
macro_rules! give_up {
    ($which:literal) => {
        concat!(
            "UPDATE uploads SET account_id = NULL, beam_id = NULL, address = NULL, size = 0, \
             expires_at = 0 ",
            $which
        )
    };
}
pub(crate) use give_up;

impl Storage {
    /// Ends uploads that have expired, alone or with their beam, whose item was deleted [`UNDO_TIME`] ago, or that are
    /// unfinished and abandoned: in one request after [`ABANDONED`], in pieces at their own time. Returns their number.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn bury_old_uploads(&self, now: Millis) -> Result<u64, Error> {
        macro_rules! is_old {
            () => {
                "(state = 'ready' AND (expires_at <= $1 OR unused_since <= $3 OR beam_id IN \
                    (SELECT id FROM beams WHERE ended_at IS NOT NULL OR expires_at <= $1))) \
                 OR (state = 'pending' AND (ends_at <= $1 \
                    OR (touched_at <= $2 AND (received IS NULL OR expires_at <= $1))))"
            };
        }
        let values = args![now, now - ABANDONED, now - UNDO_TIME];
        let mut transaction = self.database.begin().await?;
        let lock = concat!("SELECT id FROM uploads WHERE ", is_old!(), " ORDER BY id FOR UPDATE");
        transaction.lock(lock, values).await?;
        let mark = concat!("UPDATE uploads SET state = 'dead' WHERE ", is_old!());
        let marked = transaction.execute(mark, values).await?;
        bury_marked(&mut transaction, now).await?;
        transaction.commit().await?;
        Ok(marked)
    }

    /// Ends an upload of this account, and returns whether there was one.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn bury_upload(
        &self,
        id: BlobId,
        account: AccountId,
        now: Millis,
    ) -> Result<bool, Error> {
        let mut transaction = self.database.begin().await?;
        let mark = "UPDATE uploads SET state = 'dead' \
                    WHERE id = $1 AND account_id = $2 AND state = 'ready'";
        let marked = transaction.execute(mark, args![id.to_string(), account.uuid()]).await?;
        bury_marked(&mut transaction, now).await?;
        transaction.commit().await?;
        Ok(marked == 1)
    }
}

/// Locks the uploads of a beam.
pub(crate) async fn lock_uploads_of_beam(
    transaction: &mut Transaction,
    beam: Locked,
) -> Result<(), Error> {
    let lock = "SELECT id FROM uploads WHERE beam_id = $1 ORDER BY id FOR UPDATE";
    transaction.lock(lock, args![beam.beam().uuid()]).await
}

/// Locks all uploads that end with an account: its own, those that it sends, and those of its beams.
pub(crate) async fn lock_uploads_of_account(
    transaction: &mut Transaction,
    account: AccountId,
) -> Result<(), Error> {
    let lock = "SELECT id FROM uploads WHERE account_id = $1 \
                OR sender_id = $1 OR beam_id IN (SELECT id FROM beams WHERE owner_id = $1) ORDER BY id FOR UPDATE";
    transaction.lock(lock, args![account.uuid()]).await
}

/// Ends the uploads of a beam. Call it before the beam itself is ended.
pub(crate) async fn bury_uploads_of_beam(
    transaction: &mut Transaction,
    beam: Locked,
    now: Millis,
) -> Result<(), Error> {
    lock_uploads_of_beam(transaction, beam).await?;
    let give_up = give_up!("WHERE beam_id = $1 AND state = 'pending'");
    let mark = "UPDATE uploads SET state = 'dead' WHERE beam_id = $1 AND state = 'ready'";
    for update in [give_up, mark] {
        transaction.execute(update, args![beam.beam().uuid()]).await?;
    }
    bury_marked(transaction, now).await
}

/// Ends the uploads of an account, which are locked. Call it before the account is deleted.
pub(crate) async fn bury_uploads_of_account(
    transaction: &mut Transaction,
    account: AccountId,
    now: Millis,
) -> Result<(), Error> {
    let give_up = give_up!("WHERE (account_id = $1 OR sender_id = $1) AND state = 'pending'");
    let mark = "UPDATE uploads SET state = 'dead' WHERE account_id = $1 AND state = 'ready'";
    for update in [give_up, mark] {
        transaction.execute(update, args![account.uuid()]).await?;
    }
    bury_marked(transaction, now).await
}

/// Ends the unfinished uploads for items of a saved beam whose senders may not write there any more. `role` says what a
/// sender may do now.
pub(crate) async fn end_uploads_without_right(
    transaction: &mut Transaction,
    beam: Locked,
    role: impl Fn(&Access, Option<AccountId>) -> Option<Role>,
) -> Result<(), Error> {
    let Some(access) = access_in(transaction, beam.beam()).await? else { return Ok(()) };
    lock_uploads_of_beam(transaction, beam).await?;
    let select = "SELECT id, sender_id FROM uploads \
                  WHERE beam_id = $1 AND for_item = 1 AND state = 'pending' ORDER BY id";
    for row in transaction.fetch_all(select, args![beam.beam().uuid()]).await? {
        let sender = row.get::<Option<Uuid>>("sender_id")?.map(AccountId::from_uuid);
        if !role(&access, sender).is_some_and(Role::may_write) {
            let id: String = row.get("id")?;
            let give_up = give_up!("WHERE id = $1");
            transaction.execute(give_up, args![id]).await?;
        }
    }
    Ok(())
}

/// Sets the end of the guests' files for items of a kept beam.
pub(crate) async fn end_kept_uploads_at(
    transaction: &mut Transaction,
    beam: Locked,
    end: Millis,
) -> Result<(), Error> {
    lock_uploads_of_beam(transaction, beam).await?;
    let update = "UPDATE uploads SET expires_at = $2 \
                  WHERE beam_id = $1 AND account_id IS NULL AND for_item = 1";
    transaction.execute(update, args![beam.beam().uuid(), end]).await?;
    Ok(())
}

/// Keeps an upload that a stored item refers to, if it belongs to the same beam.
pub(crate) async fn keep_upload(
    transaction: &mut Transaction,
    beam: Locked,
    id: BlobId,
) -> Result<(), Error> {
    let update = "UPDATE uploads SET unused_since = NULL \
                  WHERE id = $1 AND beam_id = $2 AND unused_since IS NOT NULL";
    transaction.execute(update, args![id.to_string(), beam.beam().uuid()]).await?;
    Ok(())
}

/// Handles the deletion of a stored item that referred to this upload. If it was the last one in the upload's beam, the
/// file is deleted after [`UNDO_TIME`]: when the file is there for items, or when its uploader shared this one. An
/// upload of somebody else is not a third person's to end.
pub(crate) async fn release_upload(
    transaction: &mut Transaction,
    beam: Locked,
    id: BlobId,
    author: Option<AccountId>,
    now: Millis,
) -> Result<(), Error> {
    let update = "UPDATE uploads SET unused_since = $4 WHERE id = $1 AND beam_id = $2 AND state = 'ready' \
                  AND (for_item = 1 OR account_id IS NOT DISTINCT FROM $3) \
                  AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.beam_id = $2 AND n.upload = $1)";
    let author = author.map(AccountId::uuid);
    transaction.execute(update, args![id.to_string(), beam.beam().uuid(), author, now]).await?;
    Ok(())
}

/// Moves the uploads that this transaction marked as dead to the outbox. No other transaction can change them.
async fn bury_marked(transaction: &mut Transaction, now: Millis) -> Result<(), Error> {
    let insert = "INSERT INTO dead_blobs (name, parts, since) \
                  SELECT $1 || id, parts, $2 FROM uploads WHERE state = 'dead'";
    transaction.execute(insert, args![BlobKey::UPLOADS, now]).await?;
    transaction.execute("DELETE FROM uploads WHERE state = 'dead'", args![]).await?;
    Ok(())
}
