//! Sums over all tables, for the operator.

use heliograph_shared::time::Millis;

use crate::database::{Database, args};
use crate::{Error, Storage};

/// What is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Accounts.
    pub accounts: u64,
    /// Saved beams.
    pub saved_beams: u64,
    /// Files, without those that are still being received.
    pub files: u64,
    /// Their bytes.
    pub file_bytes: u64,
}

/// One pool of connections to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// What they are for.
    pub of: &'static str,
    /// Those that are open.
    pub open: u64,
    /// Of these, those that nobody uses now.
    pub idle: u64,
}

impl Storage {
    /// What is stored at this time. Reads an index of all uploads.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn totals(&self, now: Millis) -> Result<Totals, Error> {
        let select = "SELECT (SELECT COUNT(*) FROM accounts) AS accounts, \
             (SELECT COUNT(*) FROM beams WHERE owner_id IS NOT NULL AND ended_at IS NULL) AS saved_beams, \
             COUNT(*) AS files, CAST(COALESCE(SUM(size), 0) AS BIGINT) AS file_bytes \
             FROM uploads WHERE state = 'ready' AND (expires_at IS NULL OR expires_at > $1)";
        let row = self.database.fetch_optional(select, args![now]).await?.ok_or(Error::Missing)?;
        Ok(Totals {
            accounts: row.number("accounts")?,
            saved_beams: row.number("saved_beams")?,
            files: row.number("files")?,
            file_bytes: row.number("file_bytes")?,
        })
    }

    /// The connections to the database.
    #[must_use]
    pub fn connections(&self) -> Vec<Connections> {
        let of = |of, open: u32, idle: usize| Connections {
            of,
            open: open.into(),
            idle: u64::try_from(idle).unwrap_or(u64::MAX),
        };
        match &self.database {
            Database::Sqlite { writer, reader } => vec![
                of("write", writer.size(), writer.num_idle()),
                of("read", reader.size(), reader.num_idle()),
            ],
            Database::Postgres(pool) => vec![of("all", pool.size(), pool.num_idle())],
        }
    }
}
