//! The shared arrangements of saved beams: where their notes lie, the same for everybody (S35).

use heliograph_shared::ids::{BeamId, ItemId};
use heliograph_shared::socket::Placed;

use crate::beam_writer::{BeamWriter, Locked};
use crate::database::{Transaction, args};
use crate::{Error, Storage};

impl Storage {
    /// The places of a beam's notes; `None` while the beam has no shared arrangement.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn arrangement_of(&self, beam: BeamId) -> Result<Option<Vec<Placed>>, Error> {
        let select = "SELECT n.id, CAST(n.place_x AS BIGINT) AS x, CAST(n.place_y AS BIGINT) AS y FROM beams b \
                      LEFT JOIN notes n ON n.beam_id = b.id AND n.place_x IS NOT NULL AND n.place_y IS NOT NULL \
                      WHERE b.id = $1 AND b.arranged = 1";
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut places = Vec::with_capacity(rows.len());
        for row in &rows {
            // A beam without placed notes is one row without a note.
            let Some(id) = row.get("id")? else { continue };
            let (x, y): (i64, i64) = (row.get("x")?, row.get("y")?);
            let (Ok(x), Ok(y)) = (i32::try_from(x), i32::try_from(y)) else { continue };
            places.push(Placed { id: ItemId::from_uuid(id), x, y });
        }
        Ok(Some(places))
    }
}

impl BeamWriter {
    /// Stores new places of notes. Ids that do not exist are ignored. Turning the arrangement off forgets all places.
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam is not saved any more, [`Error::Uncertain`].
    pub async fn arrange(
        &self,
        beam: BeamId,
        shared: bool,
        places: &[Placed],
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        let beam = beam.uuid();
        let update = "UPDATE beams SET arranged = $2 WHERE id = $1 AND owner_id IS NOT NULL";
        if transaction.execute(update, args![beam, i64::from(shared)]).await? == 0 {
            return Err(Error::Missing);
        }
        if !shared {
            let forget = "UPDATE notes SET place_x = NULL, place_y = NULL WHERE beam_id = $1 AND place_x IS NOT NULL";
            transaction.execute(forget, args![beam]).await?;
        }
        place_notes(&mut transaction, locked, places).await?;
        transaction.commit().await
    }
}

/// Stores places of a beam's notes. Ids that do not exist are ignored.
pub(crate) async fn place_notes(
    transaction: &mut Transaction,
    beam: Locked,
    places: &[Placed],
) -> Result<(), Error> {
    for Placed { id, x, y } in places {
        let update = "UPDATE notes SET place_x = $3, place_y = $4 WHERE beam_id = $1 AND id = $2";
        let values = args![beam.beam().uuid(), id.uuid(), i64::from(*x), i64::from(*y)];
        transaction.execute(update, values).await?;
    }
    Ok(())
}
