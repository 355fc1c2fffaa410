//! The database's clock, which all nodes of a server have in common.

use heliograph_shared::time::Millis;

use crate::database::{Database, args};
use crate::{Error, Storage};

impl Storage {
    /// What the database's clock shows.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn now(&self) -> Result<Millis, Error> {
        let select = match &self.database {
            Database::Sqlite { .. } => "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now",
            Database::Postgres(_) => {
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now"
            }
        };
        let row = self.database.fetch_optional(select, args![]).await?.ok_or(Error::Corrupt)?;
        row.time("now")
    }
}
