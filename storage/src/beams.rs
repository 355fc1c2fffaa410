//! Beams: an id, the hash of a key, and times. Never content.

use std::time::Duration;

use crate::database::{Row, args};
use crate::{Error, Storage};
use heliograph_shared::ids::{BeamId, KeyHash};

/// How long a beam that ended is remembered, so that it is answered as ended (4404) and not as unknown.
pub const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// What is kept of a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeamRecord {
    /// The hash of the creator's key; none for an id that nobody created here.
    pub key_hash: Option<KeyHash>,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// When it was deleted, if it was.
    pub ended_at: Option<i64>,
}

impl BeamRecord {
    /// Whether the beam is over, by time or by deletion.
    #[must_use]
    pub const fn has_ended(&self, now: i64) -> bool {
        self.ended_at.is_some() || self.expires_at <= now
    }
}

impl BeamRecord {
    fn read(row: &Row) -> Result<Self, Error> {
        let key_hash: Option<Vec<u8>> = row.get("key_hash")?;
        Ok(Self {
            key_hash: key_hash.as_deref().map(KeyHash::from_bytes).transpose()?,
            created_at: row.get("created_at")?,
            expires_at: row.get("expires_at")?,
            ended_at: row.get("ended_at")?,
        })
    }
}

impl Storage {
    /// Makes a beam.
    ///
    /// # Errors
    /// [`Error::Conflict`] when there is one with this id.
    pub async fn create_beam(&self, id: BeamId, record: &BeamRecord) -> Result<(), Error> {
        let BeamRecord { key_hash, created_at, expires_at, ended_at } = *record;
        let key_hash = key_hash.map(|hash| hash.as_bytes().to_vec());
        let insert = "INSERT INTO beams (id, key_hash, created_at, expires_at, ended_at) \
                      VALUES ($1, $2, $3, $4, $5)";
        let values = args![id.uuid(), key_hash, created_at, expires_at, ended_at];
        self.database.execute(insert, values).await?;
        Ok(())
    }

    /// Remembers a beam that nobody created, because something was shared in it. Again is no error.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn record_shared_beam(
        &self,
        id: BeamId,
        created_at: i64,
        expires_at: i64,
    ) -> Result<(), Error> {
        let insert = "INSERT INTO beams (id, created_at, expires_at) VALUES ($1, $2, $3) \
                      ON CONFLICT (id) DO NOTHING";
        self.database.execute(insert, args![id.uuid(), created_at, expires_at]).await?;
        Ok(())
    }

    /// What is known of a beam.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn find_beam(&self, id: BeamId) -> Result<Option<BeamRecord>, Error> {
        let select = "SELECT key_hash, created_at, expires_at, ended_at FROM beams WHERE id = $1";
        let row = self.database.fetch_optional(select, args![id.uuid()]).await?;
        row.as_ref().map(BeamRecord::read).transpose()
    }

    /// Forgets the beams that ended longer ago than [`REMEMBERED`], and says how many.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_beams(&self, now: i64) -> Result<u64, Error> {
        let remembered = i64::try_from(REMEMBERED.as_millis()).unwrap_or(i64::MAX);
        let before = now.saturating_sub(remembered);
        let delete = "DELETE FROM beams WHERE expires_at < $1 OR ended_at < $1";
        self.database.execute(delete, args![before]).await
    }
}
