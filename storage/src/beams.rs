//! Records of beams, saved or not: id, key hash, times, owner and name. Never content.

use std::time::Duration;

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::ids::{BeamId, DeviceId, KeyHash};
use heliograph_shared::socket::Kept;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::database::{Row, args};
use crate::words::Word as _;
use crate::{Error, Storage};

/// How long an ended beam is remembered, so that it is answered as ended (4404) instead of unknown.
pub const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// A row of the table `beams`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeamRecord {
    /// The hash of the beam key; `None` for a beam that was recorded because something was shared in it.
    pub key_hash: Option<KeyHash>,
    /// When it was created.
    pub created_at: Millis,
    /// Whether anything was ever shared in it.
    pub had_items: bool,
    /// The sequence number of the newest note that was ever stored in it.
    pub last_seq: u64,
    /// What it knows of the items that its notes lack, as its live beam wrote it.
    pub earlier: Option<String>,
    /// How long the beam lives.
    pub life: Life,
}

/// How long a beam lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// Unsaved: it expires.
    Unsaved {
        /// When.
        expires_at: Millis,
        /// How its items are kept, or were until a time that may be over (S30).
        kept: Option<Kept>,
    },
    /// Saved in an account.
    Saved(Saved),
    /// Deleted, or renewed under another id.
    Ended,
}

/// The fields of a saved beam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The owner.
    pub owner: AccountId,
    /// Its name.
    pub name: String,
    /// The link access.
    pub link_access: LinkAccess,
}

impl BeamRecord {
    /// Whether the beam has expired or was deleted.
    #[must_use]
    pub fn has_ended(&self, now: Millis) -> bool {
        match self.life {
            Life::Unsaved { expires_at, .. } => expires_at <= now,
            Life::Saved(_) => false,
            Life::Ended => true,
        }
    }

    fn read(row: &Row) -> Result<Self, Error> {
        let key_hash: Option<Vec<u8>> = row.get("key_hash")?;
        let ended_at = row.time_if_any("ended_at")?;
        let owner = row.get("owner_id")?;
        let life = match (ended_at, owner, row.get("name")?, row.time_if_any("expires_at")?) {
            (Some(_), ..) => Life::Ended,
            (None, Some(owner), Some(name), _) => Life::Saved(Saved {
                owner: AccountId::from_uuid(owner),
                name,
                link_access: LinkAccess::read(row, "link_access")?,
            }),
            (None, _, _, Some(expires_at)) => Life::Unsaved { expires_at, kept: read_kept(row)? },
            _ => return Err(Error::Corrupt),
        };
        Ok(Self {
            key_hash: key_hash.as_deref().map(KeyHash::from_bytes).transpose()?,
            created_at: row.time("created_at")?,
            had_items: row.number("had_items")? > 0,
            last_seq: row.number("last_seq")?,
            earlier: row.get("earlier")?,
            life,
        })
    }

    /// How the beam is kept now, if it is unsaved and kept.
    #[must_use]
    pub fn kept(&self, now: Millis) -> Option<Kept> {
        match self.life {
            Life::Unsaved { kept, .. } => kept.filter(|kept| kept.until > now),
            Life::Saved(_) | Life::Ended => None,
        }
    }
}

fn read_kept(row: &Row) -> Result<Option<Kept>, Error> {
    let (until, by) = (row.time_if_any("kept_until")?, row.get::<Option<Uuid>>("kept_by")?);
    Ok(until.zip(by).map(|(until, by)| Kept { until, by: DeviceId::from_uuid(by) }))
}

impl Storage {
    /// Creates a beam.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the id exists.
    pub async fn create_beam(
        &self,
        id: BeamId,
        key_hash: KeyHash,
        created_at: Millis,
        expires_at: Millis,
    ) -> Result<(), Error> {
        let insert =
            "INSERT INTO beams (id, key_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)";
        let values = args![id.uuid(), *key_hash.as_bytes(), created_at, expires_at];
        self.database.execute(insert, values).await?;
        Ok(())
    }

    /// Records a beam that nobody created and in which nothing was shared yet. A recorded one stays as it is.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn record_beam(
        &self,
        id: BeamId,
        created_at: Millis,
        expires_at: Millis,
    ) -> Result<(), Error> {
        let insert = "INSERT INTO beams (id, created_at, expires_at) VALUES ($1, $2, $3) \
                      ON CONFLICT (id) DO NOTHING";
        self.database.execute(insert, args![id.uuid(), created_at, expires_at]).await?;
        Ok(())
    }

    /// Records that something was shared in a beam, and the beam itself if nobody created it.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn record_shared_beam(
        &self,
        id: BeamId,
        created_at: Millis,
        expires_at: Millis,
    ) -> Result<(), Error> {
        let insert = "INSERT INTO beams (id, created_at, expires_at, had_items) VALUES ($1, $2, $3, 1) \
                      ON CONFLICT (id) DO UPDATE SET had_items = 1";
        self.database.execute(insert, args![id.uuid(), created_at, expires_at]).await?;
        Ok(())
    }

    /// The row of a beam.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn find_beam(&self, id: BeamId) -> Result<Option<BeamRecord>, Error> {
        let select = "SELECT key_hash, created_at, expires_at, ended_at, owner_id, name, link_access, last_seq, \
                      kept_until, kept_by, had_items, earlier \
                      FROM beams WHERE id = $1";
        let row = self.database.fetch_optional(select, args![id.uuid()]).await?;
        row.as_ref().map(BeamRecord::read).transpose()
    }

    /// Removes the records of beams that ended longer ago than [`REMEMBERED`], and returns their number.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_beams(&self, now: Millis) -> Result<u64, Error> {
        let before = now - REMEMBERED;
        let delete = "DELETE FROM beams WHERE expires_at < $1 OR ended_at < $1";
        self.database.execute(delete, args![before]).await
    }

    /// The devices that were removed from a beam.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn removed_devices(&self, beam: BeamId) -> Result<Vec<DeviceId>, Error> {
        let select = "SELECT device_id FROM removed_devices WHERE beam_id = $1";
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        rows.iter().map(|row| Ok(DeviceId::from_uuid(row.get("device_id")?))).collect()
    }
}
