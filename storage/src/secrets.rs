//! Secrets of the server: made once, the same after every restart and for every server on these tables.

use crate::database::args;
use crate::{Error, Storage};

/// 256 random bits.
pub type Secret = [u8; 32];

impl Storage {
    /// The secret of this name; `fresh` becomes it when there is none yet.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn secret(&self, name: &str, fresh: Secret) -> Result<Secret, Error> {
        let insert =
            "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.database.execute(insert, args![name, fresh]).await?;
        let select = "SELECT value FROM secrets WHERE name = $1";
        let row = self.database.fetch_optional(select, args![name]).await?.ok_or(Error::Missing)?;
        let value: Vec<u8> = row.get("value")?;
        value.try_into().map_err(|_| Error::Corrupt)
    }
}
