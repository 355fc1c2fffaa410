//! The keys of saved beams, sealed to the vaults of those who may read them (E18).

use heliograph_shared::api::beams::Role;
use heliograph_shared::api::vaults::{
    BeamVault, BeamVaultChange, KeptBeam, KeysForPerson, SealedKeys, VaultPerson,
};
use heliograph_shared::ids::BeamId;
use heliograph_shared::names::Username;
use heliograph_shared::opaque::Opaque;
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::beam_writer::{BeamWriter, Locked};
use crate::database::{Row, Transaction, args};
use crate::notes::{Quota, number};
use crate::quota::used_by_account;
use crate::saved_beams::role_in;
use crate::vaults::{count, opaque};
use crate::{Error, Storage};

/// Most beams in a page of [`Storage::page_of_kept_keys`], each with up to 128 KiB of keys.
pub const KEPT_KEYS_PAGE: usize = 2;

/// Bytes of a beam's keys that are taken also where the owner's quota is full: a person must be able to change the keys when somebody
/// is removed. They are what an owner seals to itself, and the keys of a few people.
pub const FREE_KEY_BYTES: u64 = 192 * 1024;

/// The owner of a beam and the people with a share, with their vaults and whether the keys are sealed to the vaults of now.
const PEOPLE: &str = "SELECT a.username, v.public_key, k.account_id AS has_keys FROM accounts a \
     LEFT JOIN vaults v ON v.account_id = a.id \
     LEFT JOIN sealed_keys k ON k.account_id = a.id AND k.beam_id = $1 AND k.to_key = v.public_key \
     WHERE a.id IN (SELECT owner_id FROM beams WHERE id = $1 UNION SELECT account_id FROM shares WHERE beam_id = $1) \
     ORDER BY a.username_key";

fn read_keys(row: &Row) -> Result<SealedKeys, Error> {
    Ok(SealedKeys {
        from: opaque(row, "from_key")?,
        encapsulated: opaque(row, "encapsulated")?,
        sealed: opaque(row, "sealed")?,
    })
}

fn read_person(row: &Row) -> Result<VaultPerson, Error> {
    Ok(VaultPerson {
        username: row.get("username")?,
        public_key: row.get::<Option<Vec<u8>>>("public_key")?.map(Opaque::new),
        has_keys: row.get::<Option<Uuid>>("has_keys")?.is_some(),
    })
}

impl Storage {
    /// The keys of a beam as they are sealed to an account with this role, and for the owner the people that may have them.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn sealed_keys(
        &self,
        account: AccountId,
        role: Role,
        beam: BeamId,
    ) -> Result<BeamVault, Error> {
        let select = "SELECT * FROM sealed_keys WHERE beam_id = $1";
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        let version = rows.first().map_or(Ok(0), |row| count(row, "version"))?;
        let mut keys = None;
        for row in &rows {
            if row.get::<Uuid>("account_id")? == account.uuid() {
                keys = Some(read_keys(row)?);
            }
        }
        let people = if role == Role::Owner {
            let rows = self.database.fetch_all(PEOPLE, args![beam.uuid()]).await?;
            rows.iter().map(read_person).collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        Ok(BeamVault { version, keys, people })
    }

    /// The next beams that an account owns or has a share of and whose keys are kept here, sealed to it or as they are, in the order
    /// of their ids, after one of them: up to [`KEPT_KEYS_PAGE`], and none after the last.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn page_of_kept_keys(
        &self,
        account: AccountId,
        after: Option<BeamId>,
    ) -> Result<Vec<KeptBeam>, Error> {
        let select = "SELECT b.id AS beam_id, d.beam_id AS deposited, k.from_key, k.encapsulated, k.sealed FROM beams b \
                      LEFT JOIN sealed_keys k ON k.beam_id = b.id AND k.account_id = $1 \
                      LEFT JOIN deposited_keys d ON d.beam_id = b.id \
                      WHERE (k.beam_id IS NOT NULL OR d.beam_id IS NOT NULL) AND b.id > $2 AND b.id IN ( \
                          SELECT id FROM beams WHERE owner_id = $1 \
                          UNION SELECT beam_id FROM shares WHERE account_id = $1 \
                      ) ORDER BY b.id LIMIT $3";
        let after = after.map_or(Uuid::nil(), BeamId::uuid);
        let values = args![account.uuid(), after, number(KEPT_KEYS_PAGE as u64)];
        let rows = self.database.fetch_all(select, values).await?;
        let kept = |row: &Row| {
            let is_deposited = row.get::<Option<Uuid>>("deposited")?.is_some();
            let beam_id = BeamId::from_uuid(row.get("beam_id")?).ok_or(Error::Corrupt)?;
            let keys = if is_deposited { None } else { Some(read_keys(row)?) };
            Ok(KeptBeam { beam_id, keys })
        };
        rows.iter().map(kept).collect()
    }
}

impl BeamWriter {
    /// Writes the keys of a saved beam, sealed to those who are to have them, in place of those before and of what was deposited.
    /// Who has no access any more, or another vault since, makes it outdated. Keys beyond [`FREE_KEY_BYTES`] have to be within the
    /// owner's quota, unless they do not grow.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Outdated`], [`Error::Full`], [`Error::Uncertain`].
    pub async fn seal_keys(
        &self,
        actor: AccountId,
        beam: BeamId,
        change: &BeamVaultChange,
        Quota { quotas, now }: Quota,
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        // Else an admin could take the beam from its owner.
        if role_in(&mut transaction, locked, actor).await? != Role::Owner {
            return Err(Error::LevelTooLow);
        }
        let before = sealed_version(&mut transaction, locked).await?;
        if Some(change.version) != before.checked_add(1) {
            return Err(Error::Outdated);
        }
        let used = used_by_account(&mut transaction, actor, None, now).await?;
        let bytes_before = key_bytes(&mut transaction, locked).await?;
        for table in [
            "DELETE FROM deposited_keys WHERE beam_id = $1",
            "DELETE FROM sealed_keys WHERE beam_id = $1",
        ] {
            transaction.execute(table, args![beam.uuid()]).await?;
        }
        for keys in &change.keys {
            let account = account_with(&mut transaction, keys).await?;
            role_in(&mut transaction, locked, account).await.map_err(outdated)?;
            insert(&mut transaction, locked, account, change.version, keys).await?;
        }
        count_key_bytes(&mut transaction, locked).await?;
        let bytes = key_bytes(&mut transaction, locked).await?;
        let has_grown_too_much = bytes > bytes_before.max(FREE_KEY_BYTES)
            && used.saturating_sub(bytes_before).saturating_add(bytes) > quotas.account;
        if has_grown_too_much {
            return Err(Error::Full);
        }
        transaction.commit().await
    }
}

async fn key_bytes(transaction: &mut Transaction, beam: Locked) -> Result<u64, Error> {
    let select = "SELECT key_bytes FROM beams WHERE id = $1";
    let row = transaction.fetch_optional(select, args![beam.beam().uuid()]).await?;
    row.ok_or(Error::Invisible)?.number("key_bytes")
}

/// Counts the bytes of a beam's keys, after a change of them.
pub(crate) async fn count_key_bytes(
    transaction: &mut Transaction,
    beam: Locked,
) -> Result<(), Error> {
    let update = "UPDATE beams SET key_bytes = \
                  COALESCE((SELECT SUM(length(k.sealed)) FROM sealed_keys k WHERE k.beam_id = $1), 0) WHERE id = $1";
    transaction.execute(update, args![beam.beam().uuid()]).await?;
    Ok(())
}

fn outdated(error: Error) -> Error {
    if matches!(error, Error::Invisible) { Error::Outdated } else { error }
}

/// How often the keys of a beam were written into vaults; 0 where they are in none.
pub(crate) async fn sealed_version(
    transaction: &mut Transaction,
    beam: Locked,
) -> Result<u32, Error> {
    let select = "SELECT version FROM sealed_keys WHERE beam_id = $1 LIMIT 1";
    let row = transaction.fetch_optional(select, args![beam.beam().uuid()]).await?;
    row.map_or(Ok(0), |row| count(&row, "version"))
}

/// The account with this username, if its vault has the key to which the keys are sealed.
async fn account_with(
    transaction: &mut Transaction,
    KeysForPerson { username, to, .. }: &KeysForPerson,
) -> Result<AccountId, Error> {
    let username = Username::parse(username).map_err(|_| Error::Outdated)?;
    let select = "SELECT a.id FROM accounts a JOIN vaults v ON v.account_id = a.id \
                  WHERE a.username_key = $1 AND v.public_key = $2";
    let row = transaction.fetch_optional(select, args![username.key(), to.as_bytes()]).await?;
    row.ok_or(Error::Outdated)?.get("id").map(AccountId::from_uuid)
}

async fn insert(
    transaction: &mut Transaction,
    beam: Locked,
    account: AccountId,
    version: u32,
    KeysForPerson { to, keys, .. }: &KeysForPerson,
) -> Result<(), Error> {
    let SealedKeys { from, encapsulated, sealed } = keys;
    let insert = "INSERT INTO sealed_keys (beam_id, account_id, version, from_key, encapsulated, sealed, to_key) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = args![
        beam.beam().uuid(),
        account.uuid(),
        i64::from(version),
        from.as_bytes(),
        encapsulated.as_bytes(),
        sealed.as_bytes(),
        to.as_bytes(),
    ];
    transaction.execute(insert, values).await?;
    Ok(())
}
