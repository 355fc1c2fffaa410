//! Profile pictures of accounts.

use heliograph_shared::time::Millis;

use crate::accounts::{Account, AccountId, account_columns};
use crate::blobs::{BlobId, BlobKey};
use crate::database::{Transaction, args};
use crate::dead_blobs::{bury_blob, keep_blob};
use crate::{Error, Storage};

impl Storage {
    /// Sets or removes the picture of an account, and has the old blob deleted. Returns the account; `None` when it
    /// does not exist. The new blob must be announced with [`Storage::expect_blob`].
    ///
    /// # Errors
    /// [`Error::Missing`] when the announced blob was deleted in the meantime.
    pub async fn change_picture(
        &self,
        account: AccountId,
        picture: Option<BlobId>,
        now: Millis,
    ) -> Result<Option<Account>, Error> {
        let mut transaction = self.database.begin().await?;
        // Locked, so that of two concurrent changes the later one deletes the earlier one's blob.
        let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
        transaction.lock(lock, args![account.uuid()]).await?;
        bury_picture(&mut transaction, account, now).await?;
        if let Some(picture) = picture {
            keep_blob(&mut transaction, BlobKey::Picture(picture)).await?;
        }
        let name = picture.map(|picture| picture.to_string());
        let update = concat!(
            "UPDATE accounts SET picture = $2 WHERE id = $1 RETURNING ",
            account_columns!("accounts", "")
        );
        let row = transaction.fetch_optional(update, args![account.uuid(), name]).await?;
        let Some(row) = row else {
            // The new blob stays on the list of blobs to delete.
            return Ok(None);
        };
        let account = Account::read(&row)?;
        transaction.commit().await?;
        Ok(Some(account))
    }
}

/// Has the picture of an account deleted, if it has one.
pub(crate) async fn bury_picture(
    transaction: &mut Transaction,
    account: AccountId,
    now: Millis,
) -> Result<(), Error> {
    let select = "SELECT picture FROM accounts WHERE id = $1 AND picture IS NOT NULL";
    if let Some(row) = transaction.fetch_optional(select, args![account.uuid()]).await? {
        let picture: String = row.get("picture")?;
        bury_blob(transaction, BlobKey::Picture(BlobId::parse(&picture)?), now).await?;
    }
    Ok(())
}
