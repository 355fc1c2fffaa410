//! Accounts. Their ids never leave the server.

use heliograph_shared::names::{Email, PersonName, Username};
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::blobs::{BlobId, BlobKey};
use crate::database::{Row, Transaction, args};
use crate::dead_blobs::keep_blob;
use crate::{Error, Storage};

/// An account's id. Clients know an account by its username.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(Uuid);

impl AccountId {
    /// An id from 16 random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The id from a stored row, or from another node of the server.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as a UUID, for storage and for the other nodes of the server.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

/// An account, without its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: AccountId,
    /// As the user writes it; unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Shown only to the user.
    pub email: String,
    /// The picture's blob id.
    pub picture: Option<String>,
    /// When it was created.
    pub created_at: Millis,
}

/// The columns of an [`Account`], from a table or alias, under names with a prefix.
macro_rules! account_columns {
    ($table:literal, $prefix:literal) => {
        concat!(
            $table,
            ".id AS ",
            $prefix,
            "id, ",
            $table,
            ".username AS ",
            $prefix,
            "username, ",
            $table,
            ".first_name AS ",
            $prefix,
            "first_name, ",
            $table,
            ".last_name AS ",
            $prefix,
            "last_name, ",
            $table,
            ".email AS ",
            $prefix,
            "email, ",
            $table,
            ".picture AS ",
            $prefix,
            "picture, ",
            $table,
            ".created_at AS ",
            $prefix,
            "created_at"
        )
    };
}
pub(crate) use account_columns;

impl Account {
    /// Reads [`account_columns`] without a prefix.
    pub(crate) fn read(row: &Row) -> Result<Self, Error> {
        Self::read_as("", row)
    }

    /// Reads [`account_columns`] with a prefix.
    pub(crate) fn read_as(prefix: &str, row: &Row) -> Result<Self, Error> {
        let column = |name: &str| format!("{prefix}{name}");
        Ok(Self {
            id: AccountId(row.get(&column("id"))?),
            username: row.get(&column("username"))?,
            first_name: row.get(&column("first_name"))?,
            last_name: row.get(&column("last_name"))?,
            email: row.get(&column("email"))?,
            picture: row.get(&column("picture"))?,
            created_at: row.time(&column("created_at"))?,
        })
    }
}

/// A new account. Without `Debug`, so that no log can contain the hash of its password.
#[derive(Clone)]
pub struct NewAccount {
    /// The account.
    pub id: AccountId,
    /// The username; creating the account fails if it is taken.
    pub username: Username,
    /// Given name.
    pub first_name: PersonName,
    /// Family name.
    pub last_name: PersonName,
    /// E-mail address.
    pub email: Email,
    /// The hash of the password, as a PHC string.
    pub password_hash: String,
    /// The picture's blob id, announced with [`Storage::expect_blob`].
    pub picture: Option<String>,
    /// When it was created.
    pub created_at: Millis,
}

impl From<NewAccount> for Account {
    fn from(new: NewAccount) -> Self {
        Self {
            id: new.id,
            username: new.username.as_str().to_owned(),
            first_name: new.first_name.as_str().to_owned(),
            last_name: new.last_name.as_str().to_owned(),
            email: new.email.as_str().to_owned(),
            picture: new.picture,
            created_at: new.created_at,
        }
    }
}

/// A change of a profile. Absent fields stay as they are.
#[derive(Clone, Debug, Default)]
pub struct ProfileChange {
    /// The new username.
    pub username: Option<Username>,
    /// The new given name.
    pub first_name: Option<PersonName>,
    /// The new family name.
    pub last_name: Option<PersonName>,
    /// The new e-mail address.
    pub email: Option<Email>,
}

impl Storage {
    /// The account with this username, matched without case, and the hash of its password.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_credentials(
        &self,
        username: &Username,
    ) -> Result<Option<(Account, String)>, Error> {
        let select = concat!(
            "SELECT ",
            account_columns!("a", ""),
            ", a.password_hash FROM accounts a WHERE a.username_key = $1"
        );
        let row = self.database.fetch_optional(select, args![username.key()]).await?;
        row.map(|row| Ok((Account::read(&row)?, row.get("password_hash")?))).transpose()
    }

    /// An account as it is now; `None` when it does not exist.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_account(&self, account: AccountId) -> Result<Option<Account>, Error> {
        let select =
            concat!("SELECT ", account_columns!("a", ""), " FROM accounts a WHERE a.id = $1");
        let row = self.database.fetch_optional(select, args![account.uuid()]).await?;
        row.as_ref().map(Account::read).transpose()
    }

    /// The hash of an account's password.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_password_hash(&self, account: AccountId) -> Result<Option<String>, Error> {
        let select = "SELECT password_hash FROM accounts WHERE id = $1";
        let row = self.database.fetch_optional(select, args![account.uuid()]).await?;
        row.map(|row| row.get("password_hash")).transpose()
    }

    /// Changes the given fields and returns the account; `None` when it does not exist.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the username is taken.
    pub async fn change_profile(
        &self,
        account: AccountId,
        change: &ProfileChange,
    ) -> Result<Option<Account>, Error> {
        let ProfileChange { username, first_name, last_name, email } = change;
        let update = concat!(
            "UPDATE accounts SET username = COALESCE($2, username), \
             username_key = COALESCE($3, username_key), first_name = COALESCE($4, first_name), \
             last_name = COALESCE($5, last_name), email = COALESCE($6, email) WHERE id = $1 RETURNING ",
            account_columns!("accounts", "")
        );
        let values = args![
            account.uuid(),
            username.as_ref().map(Username::as_str),
            username.as_ref().map(Username::key),
            first_name.as_ref().map(PersonName::as_str),
            last_name.as_ref().map(PersonName::as_str),
            email.as_ref().map(Email::as_str),
        ];
        let row = self.database.write_returning(update, values).await?;
        row.as_ref().map(Account::read).transpose()
    }
}

pub(crate) async fn insert(
    transaction: &mut Transaction,
    account: &NewAccount,
) -> Result<(), Error> {
    let insert = "INSERT INTO accounts (id, username, username_key, first_name, last_name, email, \
                  password_hash, picture, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let values = args![
        account.id.uuid(),
        account.username.as_str(),
        account.username.key(),
        account.first_name.as_str(),
        account.last_name.as_str(),
        account.email.as_str(),
        account.password_hash.as_str(),
        account.picture.as_deref(),
        account.created_at,
    ];
    transaction.execute(insert, values).await?;
    match &account.picture {
        Some(picture) => keep_blob(transaction, BlobKey::Picture(BlobId::parse(picture)?)).await,
        None => Ok(()),
    }
}
