//! The quotas: of an account, over its files, the notes in its beams and the keys of these in vaults, and of guests, over their files and what is kept
//! of their beams.

use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::blobs::BlobId;
use crate::database::{Row, Transaction, args};
use crate::{Error, Storage};

/// Quotas for files and notes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// For one account.
    pub account: u64,
    /// For the guests of one beam.
    pub beam: u64,
    /// For the guests at one address.
    pub address: u64,
    /// For all guests.
    pub guests: u64,
    /// For everybody.
    pub all: u64,
}

impl Quotas {
    /// No quota at all.
    pub const UNLIMITED: Self = Self {
        account: u64::MAX,
        beam: u64::MAX,
        address: u64::MAX,
        guests: u64::MAX,
        all: u64::MAX,
    };
}

/// Bytes that are used of the quotas beside those of accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub all: u64,
    guests: u64,
    beam: u64,
    address: u64,
}

/// Reads [`Used`], without one upload, for a beam and an address.
const USED: &str = "SELECT \
    CAST(COALESCE(SUM(size), 0) AS BIGINT) AS by_all, \
    CAST(COALESCE(SUM(CASE WHEN is_guest = 1 THEN size END), 0) AS BIGINT) AS by_guests, \
    CAST(COALESCE(SUM(CASE WHEN is_guest = 1 AND beam_id = $3 THEN size END), 0) AS BIGINT) AS by_beam, \
    CAST(COALESCE(SUM(CASE WHEN is_guest = 1 AND address = $4 THEN size END), 0) AS BIGINT) AS by_address \
    FROM (SELECT size, CASE WHEN account_id IS NULL THEN 1 ELSE 0 END AS is_guest, beam_id, address \
          FROM uploads WHERE id <> $1 AND (expires_at IS NULL OR expires_at > $2) \
          UNION ALL \
          SELECT note_bytes, 1, id, kept_address FROM beams WHERE kept_until > $2) taken";

impl Used {
    /// Reads them for a beam and an address, without one upload. Call it when no other transaction can take room:
    /// [`take_turn`].
    pub async fn read(
        transaction: &mut Transaction,
        except: Option<BlobId>,
        beam: Option<Uuid>,
        address: Option<String>,
        now: Millis,
    ) -> Result<Self, Error> {
        let except = except.map(|id| id.to_string()).unwrap_or_default();
        let values = args![except, now, beam, address];
        let row = transaction.fetch_optional(USED, values).await?;
        Self::of(&row.ok_or(Error::Corrupt)?)
    }

    fn of(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            all: row.number("by_all")?,
            guests: row.number("by_guests")?,
            beam: row.number("by_beam")?,
            address: row.number("by_address")?,
        })
    }

    /// Bytes that a guest may still take.
    pub fn free_for_guest(self, quotas: Quotas) -> u64 {
        let Self { all, guests, beam, address } = self;
        let parts = [
            (quotas.all, all),
            (quotas.guests, guests),
            (quotas.beam, beam),
            (quotas.address, address),
        ];
        parts.map(|(quota, used)| quota.saturating_sub(used)).into_iter().min().unwrap_or_default()
    }
}

impl Storage {
    /// Bytes that a guest at this address may still store in a beam. Others may take them meanwhile.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn free_for_guest(
        &self,
        beam: BeamId,
        address: Option<String>,
        quotas: Quotas,
        now: Millis,
    ) -> Result<u64, Error> {
        let values = args!["", now, beam.uuid(), address];
        let row = self.database.fetch_optional(USED, values).await?;
        Ok(Used::of(&row.ok_or(Error::Corrupt)?)?.free_for_guest(quotas))
    }
}

/// Makes this the only transaction that takes room, until its end.
pub(crate) async fn take_turn(transaction: &mut Transaction) -> Result<(), Error> {
    let turn = "UPDATE upload_room SET turns = turns + 1 WHERE id = 1";
    transaction.execute(turn, args![]).await?;
    Ok(())
}

/// Makes this the only transaction that takes room of an account, until its end.
pub(crate) async fn lock_account(
    transaction: &mut Transaction,
    account: AccountId,
) -> Result<(), Error> {
    let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
    transaction.lock(lock, args![account.uuid()]).await
}

/// Bytes that an account uses, without one of its uploads. Locks the account's row, so that until the end of the
/// transaction no other one can take room.
pub(crate) async fn used_by_account(
    transaction: &mut Transaction,
    account: AccountId,
    except: Option<BlobId>,
    now: Millis,
) -> Result<u64, Error> {
    lock_account(transaction, account).await?;
    let sum = "SELECT CAST(COALESCE((SELECT SUM(size) FROM uploads WHERE account_id = $1 AND id <> $2 \
                   AND (expires_at IS NULL OR expires_at > $3)), 0) \
               + COALESCE((SELECT SUM(note_bytes + key_bytes) FROM beams WHERE owner_id = $1), 0) AS BIGINT) AS used";
    let except = except.map(|id| id.to_string()).unwrap_or_default();
    let row = transaction.fetch_optional(sum, args![account.uuid(), except, now]).await?;
    row.map_or(Ok(0), |row| row.number("used"))
}
