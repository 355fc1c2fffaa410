//! What can go wrong in here. A row that is not there is an `Option`, not an error.

use heliograph_shared::ids::Malformed;
use sqlx::error::DatabaseError;

/// Why the tables did not do what they were asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A constraint of the schema: there is such a row already.
    #[error("there is such a row already")]
    Conflict,
    /// A constraint of the schema: what the row refers to is not there.
    #[error("what the row refers to is not there")]
    Missing,
    /// The caller may not see it.
    #[error("the caller may not see it")]
    Invisible,
    /// The caller sees it and may not do this.
    #[error("the caller's level is too low")]
    LevelTooLow,
    /// The account's quota has no room for it.
    #[error("the account's quota is full")]
    Full,
    /// The beam cannot be shared with that person.
    #[error("the beam cannot be shared with that person: {0:?}")]
    Unshareable(Unshareable),
    /// The connection broke during a commit: the change may have happened.
    #[error("database: the connection broke during a commit: {0}")]
    Uncertain(#[source] sqlx::Error),
    /// The database is locked, full, gone or not ours.
    #[error("database: {0}")]
    Database(#[source] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("migration: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A row holds what this program never writes.
    #[error("corrupt row")]
    Corrupt,
}

/// Why a beam is not shared with a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshareable {
    /// There is nobody of that name.
    Nobody,
    /// The beam belongs to them.
    Owner,
    /// They have a share already.
    Shared,
}

impl Error {
    /// Whether nothing was changed because the request is not allowed or contradicts what is stored. Every other error of
    /// a change leaves open what the tables hold now.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::Conflict
            | Self::Missing
            | Self::Invisible
            | Self::LevelTooLow
            | Self::Full
            | Self::Unshareable(_) => true,
            Self::Uncertain(_) | Self::Database(_) | Self::Migration(_) | Self::Corrupt => false,
        }
    }

    /// An error of a commit: unless the database itself refused it, the commit may have gone through.
    pub(crate) fn of_commit(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(_) => error.into(),
            error => Self::Uncertain(error),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let database = error.as_database_error();
        if database.is_some_and(DatabaseError::is_unique_violation) {
            Self::Conflict
        } else if database.is_some_and(DatabaseError::is_foreign_key_violation) {
            Self::Missing
        } else {
            Self::Database(error)
        }
    }
}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::Corrupt
    }
}
