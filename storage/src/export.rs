//! Queries for the export of an account (H18). Profile, beams and shares have queries of their own.

use heliograph_shared::ids::{BeamId, ItemId};
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::accounts::AccountId;
use crate::blobs::BlobId;
use crate::database::{Row, args};
use crate::notes::{NewNote, note_columns, number};
use crate::uploads::Upload;
use crate::{Error, Storage};

/// A session, as its user may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Login {
    /// When it was created.
    pub created_at: Millis,
    /// When it expires; each refresh moves it.
    pub expires_at: Millis,
}

impl Storage {
    /// The sessions of an account, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn logins_of(&self, account: AccountId) -> Result<Vec<Login>, Error> {
        let select = "SELECT created_at, expires_at FROM sessions WHERE account_id = $1 ORDER BY created_at, id";
        let rows = self.database.fetch_all(select, args![account.uuid()]).await?;
        let login = |row: &Row| {
            Ok(Login { created_at: row.time("created_at")?, expires_at: row.time("expires_at")? })
        };
        rows.iter().map(login).collect()
    }

    /// The account's uploads that have not expired, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn uploads_of(
        &self,
        account: AccountId,
        now: Millis,
    ) -> Result<Vec<(BlobId, Upload)>, Error> {
        let select = "SELECT u.id, u.name, u.media_type, u.size, u.expires_at, b.expires_at AS beam_expires_at \
                      FROM uploads u LEFT JOIN beams b ON b.id = u.beam_id \
                      WHERE u.account_id = $1 AND u.state = 'ready' \
                      AND (u.expires_at IS NULL OR u.expires_at > $2) \
                      AND b.ended_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > $2) \
                      ORDER BY u.created_at, u.id";
        let rows = self.database.fetch_all(select, args![account.uuid(), now]).await?;
        let upload = |row: &Row| {
            let id: String = row.get("id")?;
            Ok((BlobId::parse(&id)?, Upload::read(row)?))
        };
        rows.iter().map(upload).collect()
    }

    /// A page of the notes in an account's own beams and of its own notes in others' beams: at most `bytes` of content,
    /// but at least one note, after the note `after`. Paged, because there may be many large notes.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn notes_for(
        &self,
        account: AccountId,
        after: Option<(BeamId, ItemId)>,
        bytes: u64,
    ) -> Result<Vec<(BeamId, NewNote)>, Error> {
        let (beam, item) =
            after.map_or((Uuid::nil(), Uuid::nil()), |(beam, item)| (beam.uuid(), item.uuid()));
        // Sizes are added up before contents are read.
        let select = concat!(
            "SELECT n.beam_id, ",
            note_columns!(),
            " FROM notes n JOIN ( \
                SELECT beam_id, id, \
                       SUM(CAST(OCTET_LENGTH(content) AS BIGINT)) OVER (ORDER BY beam_id, id) AS bytes, \
                       ROW_NUMBER() OVER (ORDER BY beam_id, id) AS place \
                FROM (SELECT m.beam_id, m.id, m.content FROM notes m JOIN beams b ON b.id = m.beam_id \
                      WHERE (b.owner_id = $1 OR m.author_id = $1) AND (m.beam_id, m.id) > ($2, $3) \
                      ORDER BY m.beam_id, m.id LIMIT 100) ahead \
              ) p ON p.beam_id = n.beam_id AND p.id = n.id \
              WHERE p.bytes <= $4 OR p.place = 1 ORDER BY n.beam_id, n.id"
        );
        let values = args![account.uuid(), beam, item, number(bytes)];
        let rows = self.database.fetch_all(select, values).await?;
        let note = |row: &Row| {
            let beam = BeamId::from_uuid(row.get("beam_id")?).ok_or(Error::Corrupt)?;
            Ok((beam, NewNote::read(row)?))
        };
        rows.iter().map(note).collect()
    }
}
