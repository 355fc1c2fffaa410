//! Which node of the server drives a live beam, where there are several nodes. Whoever takes a beam over has a new token,
//! and from then on the changes of the node that had it are refused ([`BeamWriter::driven_with`]).

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::beam_writer::BeamWriter;
use crate::database::{Row, args};
use crate::{Error, Storage};

/// After so long a row is what a node left that was killed. Much longer than clocks differ: a beam that is live for as
/// long is only loaded again.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// Who drove a beam before, and what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EarlierDriver {
    /// The node that has not given the beam back.
    pub node: Option<Uuid>,
    /// Whether the bus lacks something that devices were told ([`Storage::set_behind`]).
    pub is_behind: bool,
}

impl Storage {
    /// Lets a node drive a beam, whoever has driven it. Waits for the change that the other one commits, and no later one
    /// of it happens. Load the beam afterwards. The beam stays behind if it was.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn drive_beam(
        &self,
        beam: BeamId,
        node: Uuid,
        token: Uuid,
        now: Millis,
    ) -> Result<EarlierDriver, Error> {
        let take = "INSERT INTO beam_drivers (beam_id, node, token, taken_at) VALUES ($1, $2, $3, $4) \
                    ON CONFLICT (beam_id) DO UPDATE SET earlier = beam_drivers.node, node = excluded.node, \
                    token = excluded.token, taken_at = excluded.taken_at \
                    RETURNING earlier, behind";
        let row = self.database.write_returning(take, args![beam.uuid(), node, token, now]).await?;
        let row = row.ok_or(Error::Missing)?;
        let earlier: Option<Uuid> = row.get("earlier")?;
        let is_behind = row.number("behind")? != 0;
        Ok(EarlierDriver { node: earlier.filter(|node| !node.is_nil()), is_behind })
    }

    /// Whether the bus lacks something that devices were told, so that what it has must not take the place of the whole.
    /// `false` when another node drives the beam.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn set_behind(
        &self,
        beam: BeamId,
        token: Uuid,
        is_behind: bool,
    ) -> Result<bool, Error> {
        let set = "UPDATE beam_drivers SET behind = $3 WHERE beam_id = $1 AND token = $2";
        let values = args![beam.uuid(), token, i64::from(is_behind)];
        Ok(self.database.execute(set, values).await? != 0)
    }

    /// The beams that a node drives, each with its token.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn beams_driven_by(&self, node: Uuid) -> Result<Vec<(BeamId, Uuid)>, Error> {
        let select = "SELECT beam_id, token FROM beam_drivers WHERE node = $1";
        let rows = self.database.fetch_all(select, args![node]).await?;
        let read = |row: &Row| {
            let beam = BeamId::from_uuid(row.get("beam_id")?).ok_or(Error::Corrupt)?;
            Ok((beam, row.get("token")?))
        };
        rows.iter().map(read).collect()
    }

    /// The node that drives a beam, or was killed while it did, and its token.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn driver_of(&self, beam: BeamId) -> Result<Option<(Uuid, Uuid)>, Error> {
        let select = "SELECT node, token FROM beam_drivers WHERE beam_id = $1";
        let row = self.database.fetch_optional(select, args![beam.uuid()]).await?;
        let driver = row.map(|row| Ok::<_, Error>((row.get("node")?, row.get("token")?)));
        Ok(driver.transpose()?.filter(|(node, _): &(Uuid, Uuid)| !node.is_nil()))
    }

    /// A node drives a beam no longer. One that another has taken over stays with that one. That a beam is behind stays.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn stop_driving(&self, beam: BeamId, token: Uuid) -> Result<(), Error> {
        let leave =
            "UPDATE beam_drivers SET node = $3 WHERE beam_id = $1 AND token = $2 AND behind <> 0";
        self.database.execute(leave, args![beam.uuid(), token, Uuid::nil()]).await?;
        let delete = "DELETE FROM beam_drivers WHERE beam_id = $1 AND token = $2 AND behind = 0";
        self.database.execute(delete, args![beam.uuid(), token]).await?;
        Ok(())
    }

    /// Forgets who drove beams long ago.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_drivers(&self, now: Millis) -> Result<u64, Error> {
        let delete = "DELETE FROM beam_drivers WHERE taken_at < $1";
        self.database.execute(delete, args![now - REMEMBERED]).await
    }
}

impl BeamWriter {
    /// A writer whose changes of a beam are refused with [`Error::Superseded`] once another node drives it.
    #[must_use]
    pub fn driven_with(&self, token: Uuid) -> Self {
        Self { driver: Some(token), ..self.clone() }
    }
}
