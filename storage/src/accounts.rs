//! Accounts: people, by an id that never leaves the server.

use uuid::Uuid;

use crate::Error;
use crate::database::Row;

/// An account. Never on the wire: others know a person by the username.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(Uuid);

impl AccountId {
    /// An id from 16 random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    pub(crate) const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    pub(crate) const fn uuid(self) -> Uuid {
        self.0
    }
}

/// What is known of a person, the password aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: AccountId,
    /// As the person writes it; unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Only the person sees it.
    pub email: String,
    /// The name of the picture, under which its blob is found.
    pub picture: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
}

impl Account {
    pub(crate) fn read(row: &Row) -> Result<Self, Error> {
        Self::read_as("", row)
    }

    /// Reads columns whose names begin with a prefix.
    pub(crate) fn read_as(prefix: &str, row: &Row) -> Result<Self, Error> {
        let column = |name: &str| format!("{prefix}{name}");
        Ok(Self {
            id: AccountId(row.get(&column("id"))?),
            username: row.get(&column("username"))?,
            first_name: row.get(&column("first_name"))?,
            last_name: row.get(&column("last_name"))?,
            email: row.get(&column("email"))?,
            picture: row.get(&column("picture"))?,
            created_at: row.get(&column("created_at"))?,
        })
    }
}
