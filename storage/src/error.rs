//! What can go wrong in here. A row that is not there is an `Option`, not an error.

use std::fmt;

use heliograph_shared::ids::Malformed;
use sqlx::error::DatabaseError;

use crate::shares::Unshareable;

/// Why the tables did not do what they were asked.
#[derive(Debug)]
pub enum Error {
    /// A constraint of the schema: there is such a row already.
    Conflict,
    /// A constraint of the schema: what the row speaks of is not there.
    Missing,
    /// Not the caller's to see.
    Invisible,
    /// The caller sees it and may not do this.
    LevelTooLow,
    /// The beam cannot be shared with that person.
    Unshareable(Unshareable),
    /// The database is locked, full, gone or not ours.
    Database(sqlx::Error),
    /// The schema could not be brought up to date.
    Migration(sqlx::migrate::MigrateError),
    /// A row holds what nobody here would have written.
    Corrupt,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("there is such a row already"),
            Self::Missing => f.write_str("what the row speaks of is not there"),
            Self::Invisible => f.write_str("not the caller's to see"),
            Self::LevelTooLow => f.write_str("the caller's level is too low"),
            Self::Unshareable(why) => write!(f, "not to be shared with that person: {why:?}"),
            Self::Database(error) => write!(f, "database: {error}"),
            Self::Migration(error) => write!(f, "migration: {error}"),
            Self::Corrupt => f.write_str("corrupt row"),
        }
    }
}

impl std::error::Error for Error {}

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

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Migration(error)
    }
}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::Corrupt
    }
}
