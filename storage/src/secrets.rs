//! Secrets of the server. Each is created once and survives restarts.

use std::fmt;

use crate::database::args;
use crate::{Error, Storage};

/// A secret of 256 random bits. Its `Debug` output omits them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// A secret from 32 random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, as the key of a MAC.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Storage {
    /// The secret with this name. Stores `fresh` as the secret if there is none yet.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn secret(&self, name: &str, fresh: Secret) -> Result<Secret, Error> {
        let insert =
            "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.database.execute(insert, args![name, fresh.0]).await?;
        let select = "SELECT value FROM secrets WHERE name = $1";
        let row = self.database.fetch_optional(select, args![name]).await?.ok_or(Error::Missing)?;
        let value: Vec<u8> = row.get("value")?;
        value.try_into().map(Secret).map_err(|_| Error::Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Secret::new([7; 32])), "Secret(…)");
    }
}
