//! The only module that distinguishes SQLite from Postgres. Both get the same SQL and the same values, and return the
//! same rows.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use heliograph_shared::time::Millis;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow, Postgres};
use sqlx::sqlite::{
    Sqlite, SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Arguments as _, Decode, PgPool, Row as _, SqlSafeStr as _, SqlitePool, Type};
use uuid::Uuid;

use crate::sharing::Sharing;
use crate::{Error, sqlite};

/// How long a call waits for a connection. A little longer, so that the database's own error comes first.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(6);
/// Read-only connections to SQLite. In WAL mode they never wait for the writer.
const READERS: u32 = 4;
/// Connections to a Postgres server, whose default limit is 100.
const POSTGRES_CONNECTIONS: u32 = 16;
/// A node that stands still in the middle of a transaction, as one does whose machine is suspended, keeps its locks no
/// longer than this: the others wait for them. A server alone has nobody who would.
const LOCKS_END: (&str, &str) = ("idle_in_transaction_session_timeout", "3s");

/// Name of the file of an SQLite database in its folder.
pub(crate) const FILE: &str = "heliograph.db";

pub(crate) static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");
pub(crate) static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// The location of the database.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// The file `heliograph.db` in this folder.
    Folder(PathBuf),
    /// A Postgres database: `postgres://user:password@host:port/name`.
    Postgres(String),
}

impl Location {
    /// Whether it can be read, without looking whether anything is there.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let Self::Postgres(url) = self else { return true };
        let mut schemes = ["postgres://", "postgresql://"].iter();
        schemes.any(|scheme| url.starts_with(scheme)) && PgConnectOptions::from_str(url).is_ok()
    }
}

/// Hides the address of a Postgres database, which contains a password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => f.debug_tuple("Folder").field(folder).finish(),
            Self::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Database {
    Sqlite {
        /// One connection, because SQLite allows one writer; the pool serves waiting calls in order.
        writer: SqlitePool,
        reader: SqlitePool,
    },
    Postgres(PgPool),
}

/// The value of a parameter such as `$1`. Null values are typed, because Postgres requires it.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Uuid(Option<Uuid>),
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

macro_rules! values {
    ($($kind:ident: $type:ty),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$kind(Some(value.into()))
            }
        }
        impl From<Option<$type>> for Value {
            fn from(value: Option<$type>) -> Self {
                Self::$kind(value.map(Into::into))
            }
        }
    )+};
}

values!(Uuid: Uuid, Int: i64, Int: Millis, Text: String, Text: &str, Bytes: Vec<u8>, Bytes: &[u8], Bytes: [u8; 32]);

/// The parameters of a statement, in order.
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::database::Value::from($value)),*] };
}
pub(crate) use args;

macro_rules! arguments {
    ($arguments:ty, $values:expr) => {{
        let mut arguments = <$arguments>::default();
        for value in $values {
            match value.clone() {
                Value::Uuid(value) => arguments.add(value),
                Value::Int(value) => arguments.add(value),
                Value::Text(value) => arguments.add(value),
                Value::Bytes(value) => arguments.add(value),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        arguments
    }};
}

macro_rules! fetch_optional {
    ($kind:ident, $arguments:ty, $sql:expr, $values:expr, $on:expr) => {{
        let query = sqlx::query_with($sql, arguments!($arguments, $values));
        Ok(query.fetch_optional($on).await?.map(Row::$kind))
    }};
}

macro_rules! fetch_all {
    ($kind:ident, $arguments:ty, $sql:expr, $values:expr, $on:expr) => {{
        let query = sqlx::query_with($sql, arguments!($arguments, $values));
        Ok(query.fetch_all($on).await?.into_iter().map(Row::$kind).collect())
    }};
}

macro_rules! execute {
    ($arguments:ty, $sql:expr, $values:expr, $on:expr) => {{
        let query = sqlx::query_with($sql, arguments!($arguments, $values));
        Ok(query.execute($on).await?.rows_affected())
    }};
}

impl Database {
    /// Opens the database, creates it if necessary, and runs the migrations.
    pub async fn open(location: &Location, sharing: Sharing) -> Result<Self, Error> {
        match location {
            Location::Folder(folder) => {
                let file = folder.join(FILE);
                sqlite::make_private(&file).map_err(sqlx::Error::Io)?;
                let options = SqliteConnectOptions::new()
                    .filename(file)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .busy_timeout(sqlite::PATIENCE)
                    .foreign_keys(true);
                let pool = |connections: u32| {
                    let options = SqlitePoolOptions::new().max_connections(connections);
                    options.acquire_timeout(ACQUIRE_TIMEOUT)
                };
                let writer =
                    pool(1).after_release(|connection, _| Box::pin(sqlite::is_sound(connection)));
                let writer = writer.connect_with(options.clone()).await?;
                SQLITE_MIGRATIONS.run(&writer).await?;
                let reader = pool(READERS).connect_with(options.read_only(true)).await?;
                Ok(Self::Sqlite { writer, reader })
            }
            Location::Postgres(url) => {
                let mut options = PgConnectOptions::from_str(url)?;
                if sharing == Sharing::WithNodes {
                    options = options.options([LOCKS_END]);
                }
                let pool = PgPoolOptions::new()
                    .max_connections(POSTGRES_CONNECTIONS)
                    .acquire_timeout(ACQUIRE_TIMEOUT)
                    .connect_with(options)
                    .await?;
                POSTGRES_MIGRATIONS.run(&pool).await?;
                Ok(Self::Postgres(pool))
            }
        }
    }

    /// Returns at most one row, outside a transaction. For reading only: on SQLite a statement that writes must use a
    /// [`Transaction`] or [`Self::execute`].
    pub async fn fetch_optional(
        &self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<Row>, Error> {
        match self {
            Self::Sqlite { reader, .. } => {
                fetch_optional!(Sqlite, SqliteArguments, sql, values, reader)
            }
            Self::Postgres(pool) => fetch_optional!(Postgres, PgArguments, sql, values, pool),
        }
    }

    /// Returns all rows, outside a transaction. For reading only.
    pub async fn fetch_all(&self, sql: &'static str, values: &[Value]) -> Result<Vec<Row>, Error> {
        match self {
            Self::Sqlite { reader, .. } => fetch_all!(Sqlite, SqliteArguments, sql, values, reader),
            Self::Postgres(pool) => fetch_all!(Postgres, PgArguments, sql, values, pool),
        }
    }

    /// Runs a statement that writes, and returns the number of affected rows.
    pub async fn execute(&self, sql: &'static str, values: &[Value]) -> Result<u64, Error> {
        match self {
            Self::Sqlite { writer, .. } => {
                let mut turn = sqlite::turn(writer).await?;
                execute!(SqliteArguments, sql, values, &mut *turn)
            }
            Self::Postgres(pool) => execute!(PgArguments, sql, values, pool),
        }
    }

    /// Runs a statement that writes and returns at most one row (`RETURNING`).
    pub async fn write_returning(
        &self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<Row>, Error> {
        match self {
            Self::Sqlite { writer, .. } => {
                let mut turn = sqlite::turn(writer).await?;
                fetch_optional!(Sqlite, SqliteArguments, sql, values, &mut *turn)
            }
            Self::Postgres(pool) => fetch_optional!(Postgres, PgArguments, sql, values, pool),
        }
    }

    /// Begins a transaction. On SQLite it takes the write lock at once: one that reads first and then writes would fail
    /// if another had written in between.
    pub async fn begin(&self) -> Result<Transaction, Error> {
        Ok(match self {
            Self::Sqlite { writer, .. } => {
                let begin = "BEGIN IMMEDIATE".into_sql_str();
                let turn = sqlite::turn(writer).await?;
                Transaction::Sqlite(sqlx::Transaction::begin(turn, Some(begin)).await?)
            }
            Self::Postgres(pool) => Transaction::Postgres(pool.begin().await?),
        })
    }

    /// Checks SQLite's file and its foreign keys.
    pub async fn check_integrity(&self) -> Result<(), Error> {
        if let Self::Postgres(_) = self {
            return Ok(());
        }
        let found = self.fetch_all("PRAGMA integrity_check", args![]).await?;
        let is_whole = matches!(&found[..], [row] if row.get::<String>("integrity_check")? == "ok");
        let dangling = self.fetch_optional("PRAGMA foreign_key_check", args![]).await?;
        if is_whole && dangling.is_none() { Ok(()) } else { Err(Error::Corrupt) }
    }

    /// Waits for running statements and closes the connections.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { writer, reader } => {
                reader.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// A transaction. It rolls back when it is dropped without [`Transaction::commit`].
pub(crate) enum Transaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

impl Transaction {
    pub async fn fetch_optional(
        &mut self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<Row>, Error> {
        match self {
            Self::Sqlite(on) => fetch_optional!(Sqlite, SqliteArguments, sql, values, &mut **on),
            Self::Postgres(on) => fetch_optional!(Postgres, PgArguments, sql, values, &mut **on),
        }
    }

    pub async fn fetch_all(
        &mut self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Vec<Row>, Error> {
        match self {
            Self::Sqlite(on) => fetch_all!(Sqlite, SqliteArguments, sql, values, &mut **on),
            Self::Postgres(on) => fetch_all!(Postgres, PgArguments, sql, values, &mut **on),
        }
    }

    pub async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64, Error> {
        match self {
            Self::Sqlite(on) => execute!(SqliteArguments, sql, values, &mut **on),
            Self::Postgres(on) => execute!(PgArguments, sql, values, &mut **on),
        }
    }

    /// Locks rows until the end of the transaction, with a `SELECT … FOR UPDATE` or the like. On SQLite the transaction
    /// already holds the only write lock, so the statement is not run.
    pub async fn lock(&mut self, sql: &'static str, values: &[Value]) -> Result<(), Error> {
        if let Self::Postgres(_) = self {
            self.fetch_all(sql, values).await?;
        }
        Ok(())
    }

    /// The same for one row; whether it is there. `plain` is the statement without the lock, for SQLite.
    pub async fn holds(
        &mut self,
        sql: &'static str,
        plain: &'static str,
        values: &[Value],
    ) -> Result<bool, Error> {
        let sql = if matches!(self, Self::Postgres(_)) { sql } else { plain };
        Ok(self.fetch_optional(sql, values).await?.is_some())
    }

    /// # Errors
    /// [`Error::Uncertain`] when the connection broke: the transaction may or may not be committed.
    pub async fn commit(self) -> Result<(), Error> {
        match self {
            Self::Sqlite(on) => on.commit().await,
            Self::Postgres(on) => on.commit().await,
        }
        .map_err(Error::of_commit)
    }
}

/// A row of either database.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The value of a column by name.
    pub fn get<T>(&self, column: &str) -> Result<T, Error>
    where
        T: for<'r> Decode<'r, Sqlite> + Type<Sqlite>,
        T: for<'r> Decode<'r, Postgres> + Type<Postgres>,
    {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// The time in a column that is never null.
    pub fn time(&self, column: &str) -> Result<Millis, Error> {
        self.get(column).map(Millis::new)
    }

    /// The time in a column; `None` for null.
    pub fn time_if_any(&self, column: &str) -> Result<Option<Millis>, Error> {
        Ok(self.get::<Option<_>>(column)?.map(Millis::new))
    }

    /// The value of a column that is never negative, such as a count.
    pub fn number(&self, column: &str) -> Result<u64, Error> {
        u64::try_from(self.get::<i64>(column)?).map_err(|_| Error::Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_in_an_address_is_not_shown() {
        let location = Location::Postgres("postgres://ada:hush@localhost/beams".to_owned());
        assert_eq!(format!("{location:?}"), "Postgres(…)");
        assert_eq!(format!("{:?}", Location::Folder("x".into())), "Folder(\"x\")");
    }
}
