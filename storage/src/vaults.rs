//! Vaults of accounts (E17). The database has what clients have sealed, and opens nothing of it.

use heliograph_shared::api::vaults::{Stretch, Vault};
use heliograph_shared::names::Username;
use heliograph_shared::opaque::Opaque;

use crate::accounts::AccountId;
use crate::database::{Row, Transaction, args};
use crate::sessions::{SessionId, end_other_sessions, lock_by_password, require_session};
use crate::{Error, Storage};

/// Bytes of a column.
pub(crate) fn opaque(row: &Row, column: &str) -> Result<Opaque, Error> {
    row.get(column).map(Opaque::new)
}

fn read(row: &Row) -> Result<Vault, Error> {
    Ok(Vault {
        version: count(row, "version")?,
        stretch: read_stretch(row)?,
        by_password: row.get::<Option<Vec<u8>>>("by_password")?.map(Opaque::new),
        by_words: opaque(row, "by_words")?,
        public_key: opaque(row, "public_key")?,
    })
}

fn read_stretch(row: &Row) -> Result<Stretch, Error> {
    Ok(Stretch {
        salt: opaque(row, "salt")?,
        memory_kib: count(row, "memory_kib")?,
        passes: count(row, "passes")?,
    })
}

/// A small number.
pub(crate) fn count(row: &Row, column: &str) -> Result<u32, Error> {
    u32::try_from(row.number(column)?).map_err(|_| Error::Corrupt)
}

impl Storage {
    /// The vault of an account; `None` without one.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn vault_of(&self, account: AccountId) -> Result<Option<Vault>, Error> {
        let select = "SELECT * FROM vaults WHERE account_id = $1";
        let row = self.database.fetch_optional(select, args![account.uuid()]).await?;
        row.as_ref().map(read).transpose()
    }

    /// How the password of this username is stretched: the inner `None` where it is sent as it is, the outer where nobody has
    /// the username.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn stretch_of(&self, username: &Username) -> Result<Option<Option<Stretch>>, Error> {
        let select = "SELECT a.id, v.salt, v.memory_kib, v.passes FROM accounts a \
                      LEFT JOIN vaults v ON v.account_id = a.id AND v.by_password IS NOT NULL \
                      WHERE a.username_key = $1";
        let row = self.database.fetch_optional(select, args![username.key()]).await?;
        let Some(row) = row else { return Ok(None) };
        let is_stretched = row.get::<Option<Vec<u8>>>("salt")?.is_some();
        Ok(Some(if is_stretched { Some(read_stretch(&row)?) } else { None }))
    }

    /// Writes a vault in place of the one before, together with the password of the account, and ends its other sessions, whose ids
    /// it returns. The password of before was proved by this hash, in this session.
    ///
    /// # Errors
    /// [`Error::Missing`] when the account has another password by now, when the session has ended, or the account is gone;
    /// [`Error::Outdated`] when the vault is not of the version after that which is stored, [`Error::Uncertain`].
    pub async fn change_vault(
        &self,
        account: AccountId,
        session: SessionId,
        proved_hash: &str,
        new_hash: &str,
        vault: &Vault,
    ) -> Result<Vec<SessionId>, Error> {
        let mut transaction = self.database.begin().await?;
        lock_by_password(&mut transaction, account, proved_hash).await?;
        require_session(&mut transaction, account, session).await?;
        let before = "SELECT version FROM vaults WHERE account_id = $1";
        let before = transaction.fetch_optional(before, args![account.uuid()]).await?;
        let before = before.map_or(Ok(0), |row| count(&row, "version"))?;
        if Some(vault.version) != before.checked_add(1) {
            return Err(Error::Outdated);
        }
        let update = "UPDATE accounts SET password_hash = $2 WHERE id = $1";
        transaction.execute(update, args![account.uuid(), new_hash]).await?;
        write(&mut transaction, account, vault).await?;
        let ended = end_other_sessions(&mut transaction, account, session).await?;
        transaction.commit().await?;
        Ok(ended)
    }
}

async fn write(
    transaction: &mut Transaction,
    account: AccountId,
    vault: &Vault,
) -> Result<(), Error> {
    let Vault { version, stretch, by_password, by_words, public_key } = vault;
    let insert = "INSERT INTO vaults (account_id, version, salt, memory_kib, passes, by_password, by_words, public_key) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id) DO UPDATE \
                  SET version = excluded.version, salt = excluded.salt, memory_kib = excluded.memory_kib, \
                  passes = excluded.passes, by_password = excluded.by_password, by_words = excluded.by_words, \
                  public_key = excluded.public_key";
    let values = args![
        account.uuid(),
        i64::from(*version),
        stretch.salt.as_bytes(),
        i64::from(stretch.memory_kib),
        i64::from(stretch.passes),
        by_password.as_ref().map(Opaque::as_bytes),
        by_words.as_bytes(),
        public_key.as_bytes(),
    ];
    transaction.execute(insert, values).await?;
    Ok(())
}

/// What the vault was sealed under is not the password any more: only its words open it now.
pub(crate) async fn forget_password(
    transaction: &mut Transaction,
    account: AccountId,
) -> Result<(), Error> {
    let update =
        "UPDATE vaults SET by_password = NULL, version = version + 1 WHERE account_id = $1";
    transaction.execute(update, args![account.uuid()]).await?;
    Ok(())
}
