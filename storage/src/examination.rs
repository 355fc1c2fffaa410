//! Looks at a database without changing it, for an operator who wants to know whether a server could start on it.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use crate::database::{Location, POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS};
use crate::{Error, sqlite};

/// Time for the database to answer.
const PATIENCE: Duration = Duration::from_secs(6);
const APPLIED: &str = "SELECT version FROM _sqlx_migrations WHERE success";

/// What a database is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examination {
    /// Whether there is one. A start makes the file of SQLite.
    pub exists: bool,
    /// Migrations that a start would run.
    pub pending: usize,
    /// Migrations that this program does not know: a newer one has run them.
    pub unknown: usize,
}

/// Connects to the database, and compares its migrations with those of this program.
///
/// # Errors
/// [`Error::Database`] when the database cannot be reached or written.
pub async fn examine(location: &Location) -> Result<Examination, Error> {
    let examined = timeout(PATIENCE, examine_slowly(location)).await;
    examined.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into()))
}

async fn examine_slowly(location: &Location) -> Result<Examination, Error> {
    match location {
        Location::Folder(folder) => {
            let file = folder.join("heliograph.db");
            if !file.exists() {
                return Ok(Examination { exists: false, ..compare(&SQLITE_MIGRATIONS, &[]) });
            }
            let options = SqliteConnectOptions::new().filename(file).busy_timeout(sqlite::PATIENCE);
            let mut connection = options.connect().await?;
            let applied = sqlx::query_scalar(APPLIED).fetch_all(&mut connection).await;
            let applied = applied.or_else(none_without_table)?;
            // Takes the lock of a writer, which a file or a folder that is read-only does not give.
            sqlx::raw_sql("BEGIN IMMEDIATE; ROLLBACK").execute(&mut connection).await?;
            connection.close().await?;
            Ok(compare(&SQLITE_MIGRATIONS, &applied))
        }
        Location::Postgres(url) => {
            let mut connection = PgConnectOptions::from_str(url)?.connect().await?;
            let applied = sqlx::query_scalar(APPLIED).fetch_all(&mut connection).await;
            let applied = applied.or_else(none_without_table)?;
            // A copy that only follows another server, and sessions that may not write, answer "on".
            let read_only: String =
                sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
                    .fetch_one(&mut connection)
                    .await?;
            if read_only == "on" {
                return Err(sqlx::Error::Protocol("it is read-only here".to_owned()).into());
            }
            connection.close().await?;
            Ok(compare(&POSTGRES_MIGRATIONS, &applied))
        }
    }
}

/// A database in which no server has started has no table of migrations.
fn none_without_table(error: sqlx::Error) -> Result<Vec<i64>, sqlx::Error> {
    let is_missing = error.as_database_error().is_some_and(|error| {
        error.code().as_deref() == Some("42P01") || error.message().contains("no such table")
    });
    if is_missing { Ok(Vec::new()) } else { Err(error) }
}

fn compare(known: &Migrator, applied: &[i64]) -> Examination {
    let is_known = |version: &i64| known.iter().any(|migration| migration.version == *version);
    let pending = known.iter().filter(|migration| !applied.contains(&migration.version));
    Examination {
        exists: true,
        pending: pending.count(),
        unknown: applied.iter().filter(|version| !is_known(version)).count(),
    }
}
