//! Errors of the database. A missing row is an `Option`, not an error.

use heliograph_shared::ids::Malformed;
use sqlx::error::DatabaseError;

/// Why the database did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A constraint failed: the row exists already.
    #[error("the row exists already")]
    Conflict,
    /// A constraint failed: the row refers to one that does not exist.
    #[error("the row refers to one that does not exist")]
    Missing,
    /// The caller has no access to it.
    #[error("the caller has no access")]
    Invisible,
    /// The caller has access, but not at the required level.
    #[error("the caller's level is too low")]
    LevelTooLow,
    /// What is to be changed was changed since the caller has read it.
    #[error("it was changed meanwhile")]
    Outdated,
    /// Another node of the server drives the beam now.
    #[error("another node of the server drives the beam now")]
    Superseded,
    /// The account's quota is full.
    #[error("the account's quota is full")]
    Full,
    /// The beam cannot be shared with that user.
    #[error("the beam cannot be shared with that user: {0:?}")]
    Unshareable(Unshareable),
    /// The connection broke during a commit, so the change may have happened.
    #[error("database: the connection broke during a commit: {0}")]
    Uncertain(#[source] sqlx::Error),
    /// The disk of the database is full. Nothing was changed.
    #[error("database: {0}")]
    DiskFull(#[source] sqlx::Error),
    /// The database is locked, unreachable, or not Heliograph's.
    #[error("database: {0}")]
    Database(#[source] sqlx::Error),
    /// A migration failed.
    #[error("migration: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A row contains what this program never writes.
    #[error("corrupt row")]
    Corrupt,
}

/// Why a beam cannot be shared with a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshareable {
    /// No account has the username.
    Nobody,
    /// The user owns the beam.
    Owner,
    /// The user has a share already.
    Shared,
    /// As many people have a share as can have one.
    TooMany,
}

impl Error {
    /// Whether nothing was changed, because the request is not allowed or conflicts with the stored data. After any
    /// other error it is unknown what is stored.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::Conflict
            | Self::Missing
            | Self::Invisible
            | Self::LevelTooLow
            | Self::Outdated
            | Self::Superseded
            | Self::Full
            | Self::Unshareable(_) => true,
            Self::Uncertain(_)
            | Self::DiskFull(_)
            | Self::Database(_)
            | Self::Migration(_)
            | Self::Corrupt => false,
        }
    }

    /// The error of a commit. Unless the database reported it, the commit may have succeeded.
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
        } else if database.and_then(DatabaseError::code).is_some_and(|code| is_disk_full(&code)) {
            Self::DiskFull(error)
        } else {
            Self::Database(error)
        }
    }
}

/// SQLite's `SQLITE_FULL`, and Postgres' `disk_full`.
fn is_disk_full(code: &str) -> bool {
    matches!(code, "13" | "53100")
}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::Corrupt
    }
}
