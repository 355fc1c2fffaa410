//! Whose profile picture is which blob.

use crate::accounts::{Account, AccountId, account_columns};
use crate::blobs::{BlobId, BlobKey};
use crate::database::{Transaction, args};
use crate::dead_blobs::{bury_blob, keep_blob};
use crate::{Error, Storage};

impl Storage {
    /// Gives an account another picture, or none, and has the old one removed. Says how the account is then; none when
    /// it is gone. The blob was announced by [`Storage::expect_blob`].
    ///
    /// # Errors
    /// [`Error::Missing`] when the blob came too late and is removed already.
    pub async fn change_picture(
        &self,
        account: AccountId,
        picture: Option<BlobId>,
        now: i64,
    ) -> Result<Option<Account>, Error> {
        let mut transaction = self.database.begin().await?;
        // Locked, so that of two pictures at once each buries the one before it.
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
            // The new blob stays on the list of those that go.
            return Ok(None);
        };
        let account = Account::read(&row)?;
        transaction.commit().await?;
        Ok(Some(account))
    }
}

/// Has the picture of an account removed, if it has one.
pub(crate) async fn bury_picture(
    transaction: &mut Transaction,
    account: AccountId,
    now: i64,
) -> Result<(), Error> {
    let select = "SELECT picture FROM accounts WHERE id = $1 AND picture IS NOT NULL";
    if let Some(row) = transaction.fetch_optional(select, args![account.uuid()]).await? {
        let picture: String = row.get("picture")?;
        bury_blob(transaction, BlobKey::Picture(BlobId::parse(&picture)?), now).await?;
    }
    Ok(())
}
