//! The quota of an account, over its files and the notes in its beams.

use heliograph_shared::time::Millis;

use crate::Error;
use crate::accounts::AccountId;
use crate::blobs::BlobId;
use crate::database::{Transaction, args};

/// Bytes that an account uses, without one of its uploads. Locks the account's row, so that until the end of the
/// transaction no other one can take room.
pub(crate) async fn used_by_account(
    transaction: &mut Transaction,
    account: AccountId,
    except: Option<BlobId>,
    now: Millis,
) -> Result<u64, Error> {
    let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
    transaction.lock(lock, args![account.uuid()]).await?;
    let sum = "SELECT CAST(COALESCE((SELECT SUM(size) FROM uploads WHERE account_id = $1 AND id <> $2 \
                   AND (expires_at IS NULL OR expires_at > $3)), 0) \
               + COALESCE((SELECT SUM(note_bytes) FROM beams WHERE owner_id = $1), 0) AS BIGINT) AS used";
    let except = except.map(|id| id.to_string()).unwrap_or_default();
    let row = transaction.fetch_optional(sum, args![account.uuid(), except, now]).await?;
    row.map_or(Ok(0), |row| row.number("used"))
}
