//! The parts of an upload that a bucket has already, while its file is copied there, so that the copy goes on where it
//! broke off.

use std::collections::BTreeMap;

use crate::blobs::BlobId;
use crate::database::args;
use crate::notes::number;
use crate::{Error, Storage};

impl Storage {
    /// Begins the copy of a pending upload: `parts` is the store's id for its parts, of which there are none yet.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn begin_upload_parts(&self, id: BlobId, parts: &str) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        let update = "UPDATE uploads SET parts = $2 WHERE id = $1 AND state = 'pending'";
        transaction.execute(update, args![id.to_string(), parts]).await?;
        let delete = "DELETE FROM upload_parts WHERE upload = $1";
        transaction.execute(delete, args![id.to_string()]).await?;
        transaction.commit().await
    }

    /// Records that the store has a part, and the store's tag for it. Does nothing when the upload is gone.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn note_upload_part(&self, id: BlobId, part: u64, tag: &str) -> Result<(), Error> {
        let insert = "INSERT INTO upload_parts (upload, number, tag) SELECT id, $2, $3 FROM uploads WHERE id = $1 \
                      ON CONFLICT (upload, number) DO UPDATE SET tag = excluded.tag";
        self.database.execute(insert, args![id.to_string(), number(part), tag]).await?;
        Ok(())
    }

    /// The parts that the store has, and its tags for them.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn upload_parts(&self, id: BlobId) -> Result<BTreeMap<u64, String>, Error> {
        let select = "SELECT number, tag FROM upload_parts WHERE upload = $1";
        let rows = self.database.fetch_all(select, args![id.to_string()]).await?;
        rows.iter().map(|row| Ok((row.number("number")?, row.get("tag")?))).collect()
    }

    /// Forgets the parts of an upload that is whole in the store, or whose copy must begin anew.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_upload_parts(&self, id: BlobId) -> Result<(), Error> {
        let delete = "DELETE FROM upload_parts WHERE upload = $1";
        self.database.execute(delete, args![id.to_string()]).await?;
        Ok(())
    }
}
