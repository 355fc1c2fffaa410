//! Notes: what was shared in a saved beam, in its order.

use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::database::{Row, Transaction, args};
use crate::{Error, Storage};

/// A note to be stored, or to take the place of the one with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNote {
    /// The item that it was.
    pub id: ItemId,
    /// Its place in the order of the beam.
    pub seq: u64,
    /// Any JSON value, byte for byte.
    pub content: String,
    /// What its sender said that it is.
    pub kind: String,
    /// The device that shared it.
    pub device: DeviceId,
    /// Who shared it, if that device was logged in.
    pub author: Option<AccountId>,
    /// Milliseconds since the Unix epoch.
    pub created_at: i64,
}

impl NewNote {
    pub(crate) fn read(row: &Row) -> Result<Self, Error> {
        let author: Option<Uuid> = row.get("author_id")?;
        Ok(Self {
            id: ItemId::from_uuid(row.get("id")?),
            seq: row.number("seq")?,
            content: row.get("content")?,
            kind: row.get("kind")?,
            device: DeviceId::from_uuid(row.get("device_id")?),
            author: author.map(AccountId::from_uuid),
            created_at: row.get("created_at")?,
        })
    }
}

impl Storage {
    /// Stores a note of a saved beam, or puts it in the place of the one with its id, whose author it keeps (B11).
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam is not a saved one any more.
    pub async fn put_note(&self, beam: BeamId, note: &NewNote) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        insert_notes(&mut transaction, beam, std::slice::from_ref(note)).await?;
        transaction.commit().await
    }

    /// Deletes notes of a beam.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn delete_notes(&self, beam: BeamId, ids: &[ItemId]) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        for id in ids {
            let delete = "DELETE FROM notes WHERE beam_id = $1 AND id = $2";
            transaction.execute(delete, args![beam.uuid(), id.uuid()]).await?;
        }
        transaction.commit().await
    }

    /// The notes of a beam, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn notes_of(&self, beam: BeamId) -> Result<Vec<NewNote>, Error> {
        let select = "SELECT id, seq, content, kind, device_id, author_id, created_at FROM notes \
                      WHERE beam_id = $1 ORDER BY seq";
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        rows.iter().map(NewNote::read).collect()
    }
}

/// Stores notes and moves the beam's count on.
pub(crate) async fn insert_notes(
    transaction: &mut Transaction,
    beam: BeamId,
    notes: &[NewNote],
) -> Result<(), Error> {
    let Some(last) = notes.iter().map(|note| note.seq).max() else { return Ok(()) };
    let insert = "INSERT INTO notes (beam_id, id, seq, content, kind, device_id, author_id, created_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
                  ON CONFLICT (beam_id, id) DO UPDATE SET seq = excluded.seq, content = excluded.content, \
                  kind = excluded.kind";
    for note in notes {
        let values = args![
            beam.uuid(),
            note.id.uuid(),
            number(note.seq),
            note.content.as_str(),
            note.kind.as_str(),
            note.device.uuid(),
            note.author.map(AccountId::uuid),
            note.created_at
        ];
        transaction.execute(insert, values).await?;
    }
    let update =
        "UPDATE beams SET last_seq = $2 WHERE id = $1 AND owner_id IS NOT NULL AND last_seq < $2";
    if transaction.execute(update, args![beam.uuid(), number(last)]).await? == 0 {
        return Err(Error::Missing);
    }
    Ok(())
}

/// A sequence number as a column holds it; it grows by one a note and cannot reach the end.
fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
