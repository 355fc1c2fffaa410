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

impl Storage {
    /// Lets a node drive a beam, whoever has driven it. Waits for the change that the other one commits, and no later one
    /// of it happens. Load the beam afterwards.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn drive_beam(
        &self,
        beam: BeamId,
        node: Uuid,
        token: Uuid,
        now: Millis,
    ) -> Result<(), Error> {
        let take = "INSERT INTO beam_drivers (beam_id, node, token, taken_at) VALUES ($1, $2, $3, $4) \
                    ON CONFLICT (beam_id) DO UPDATE SET node = excluded.node, token = excluded.token, \
                    taken_at = excluded.taken_at";
        self.database.execute(take, args![beam.uuid(), node, token, now]).await?;
        Ok(())
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

    /// The node that drives a beam, or was killed while it did.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn driver_of(&self, beam: BeamId) -> Result<Option<Uuid>, Error> {
        let select = "SELECT node FROM beam_drivers WHERE beam_id = $1";
        let row = self.database.fetch_optional(select, args![beam.uuid()]).await?;
        row.map(|row| row.get("node")).transpose()
    }

    /// A node drives a beam no longer. One that another has taken over stays with that one.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn stop_driving(&self, beam: BeamId, token: Uuid) -> Result<(), Error> {
        let delete = "DELETE FROM beam_drivers WHERE beam_id = $1 AND token = $2";
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
