//! What an operator sees and changes of accounts.

use crate::accounts::{Account, AccountId, account_columns};
use crate::database::args;
use crate::vaults::forget_password;
use crate::{Error, Storage};

/// An account, with what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountUse {
    /// The account.
    pub account: Account,
    /// Its saved beams.
    pub beams: u64,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub file_bytes: u64,
}

impl Storage {
    /// All accounts, by their names.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn list_accounts(&self) -> Result<Vec<AccountUse>, Error> {
        let select = concat!(
            "SELECT ",
            account_columns!("a", ""),
            ", (SELECT COUNT(*) FROM beams b WHERE b.owner_id = a.id AND b.ended_at IS NULL) AS beams, \
             (SELECT COUNT(*) FROM uploads u WHERE u.account_id = a.id AND u.state = 'ready') AS files, \
             CAST(COALESCE((SELECT SUM(u.size) FROM uploads u \
                 WHERE u.account_id = a.id AND u.state = 'ready'), 0) AS BIGINT) AS file_bytes \
             FROM accounts a ORDER BY a.username_key"
        );
        let rows = self.database.fetch_all(select, args![]).await?;
        rows.iter()
            .map(|row| {
                Ok(AccountUse {
                    account: Account::read(row)?,
                    beams: row.number("beams")?,
                    files: row.number("files")?,
                    file_bytes: row.number("file_bytes")?,
                })
            })
            .collect()
    }

    /// Gives an account another password and ends its sessions. Returns whether there is such an account. Whoever caches
    /// sessions must forget them.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Uncertain`].
    pub async fn replace_password(&self, account: AccountId, hash: &str) -> Result<bool, Error> {
        let mut transaction = self.database.begin().await?;
        let update = "UPDATE accounts SET password_hash = $2 WHERE id = $1";
        let updated = transaction.execute(update, args![account.uuid(), hash]).await?;
        let end = "DELETE FROM sessions WHERE account_id = $1";
        transaction.execute(end, args![account.uuid()]).await?;
        forget_password(&mut transaction, account).await?;
        transaction.commit().await?;
        Ok(updated == 1)
    }
}
