//! Uploads in pieces (H45). The row of one is that of an upload which is pending, with the length that its sender
//! declared as its size and the number of bytes that are safely in its staging file ([`crate::staging`]).
//!
//! The steps: [`Storage::start_upload`]; [`Storage::grow_upload`] with its whole length; [`Storage::resume_upload_later`];
//! any number of [`Storage::advance_upload`]; [`Storage::claim_upload`]; the blob is written; [`Storage::finish_upload`].
//! A kill before the third step leaves an upload that the next start gives up, and after it one that its sender goes on
//! with.

use std::time::Duration;

use heliograph_shared::time::Millis;

use crate::blobs::BlobId;
use crate::database::{Row, args};
use crate::dead_blobs::ABANDONED;
use crate::{Error, Storage};

/// How long the room of an upload in pieces is held while next to nothing of it is here: who only asks for room does not keep
/// it from others.
pub const BEGUN_WITHIN: Duration = Duration::from_mins(10);
/// An upload has begun in earnest with this part of it, or with so many bytes.
const BEGUN_PART: i64 = 64;
const BEGUN_BYTES: i64 = 1024 * 1024;
/// Silence after which an upload in pieces that has begun in earnest has ended: a sender may come back the next day.
pub const RESUMABLE_FOR: Duration = Duration::from_hours(24);
/// How long an upload in pieces may take in all, in which 28 kbit/s bring 2 GiB: a byte a day does not hold room for ever.
pub const RESUMABLE_AT_MOST: Duration = Duration::from_hours(7 * 24);

/// An upload in pieces, unfinished or stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumableUpload {
    /// Its name, cleaned.
    pub name: String,
    /// The media type: as declared, and as recognized once it is stored.
    pub media_type: String,
    /// Its whole length in bytes.
    pub length: u64,
    /// Bytes that are safely here.
    pub received: u64,
    /// Whether it takes the quotas of guests.
    pub is_guest: bool,
    /// Whether it is for an item, so that it may be of any type (H44).
    pub for_item: bool,
    /// Whether it is stored.
    pub is_ready: bool,
    /// The blob store's id for the parts of an earlier attempt to store it.
    pub parts: Option<String>,
    /// What its sender said of it, word for word.
    pub metadata: Option<String>,
    /// When it ends unless more of it comes; `None` for a stored one that stays.
    pub ends_at: Option<Millis>,
}

/// Room on disks that unfinished uploads in pieces were promised, and that nobody else may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promised {
    /// Bytes that are still to come to the disk of the staging files.
    pub missing: u64,
    /// Bytes that will be stored, which take as much again where they are copied to another disk.
    pub whole: u64,
}

impl Storage {
    /// What unfinished uploads in pieces were promised.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn promised_room(&self, now: Millis) -> Result<Promised, Error> {
        // What was given up has no size any more.
        let sum = "SELECT CAST(COALESCE(SUM(CASE WHEN size > received THEN size - received END), 0) AS BIGINT) AS missing, \
                   CAST(COALESCE(SUM(size), 0) AS BIGINT) AS whole \
                   FROM uploads WHERE state = 'pending' AND received IS NOT NULL AND ends_at > $1 \
                   AND (expires_at IS NULL OR expires_at > $1)";
        let row = self.database.fetch_optional(sum, args![now]).await?.ok_or(Error::Corrupt)?;
        Ok(Promised { missing: row.number("missing")?, whole: row.number("whole")? })
    }

    /// Lets the sender of a pending upload, whose room is reserved, send it in pieces, the first within
    /// [`BEGUN_WITHIN`]. Returns `false` if it has ended meanwhile.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn resume_upload_later(
        &self,
        id: BlobId,
        metadata: Option<&str>,
        now: Millis,
    ) -> Result<bool, Error> {
        let update = "UPDATE uploads SET received = 0, touched_at = $2, ends_at = $3, metadata = $4 \
                      WHERE id = $1 AND state = 'pending' AND (expires_at IS NULL OR expires_at > $2)";
        let values = args![id.to_string(), now, now + BEGUN_WITHIN, metadata];
        Ok(self.database.execute(update, values).await? == 1)
    }

    /// An upload in pieces that has not ended.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_resumable_upload(
        &self,
        id: BlobId,
        now: Millis,
    ) -> Result<Option<ResumableUpload>, Error> {
        let select = "SELECT u.name, u.media_type, u.size, u.received, u.account_id, u.for_item, u.state, u.parts, \
                      u.ends_at, u.expires_at, u.metadata \
                      FROM uploads u LEFT JOIN beams b ON b.id = u.beam_id \
                      WHERE u.id = $1 AND u.received IS NOT NULL \
                      AND (u.state = 'ready' OR (u.state = 'pending' AND u.ends_at > $2)) \
                      AND (u.expires_at IS NULL OR u.expires_at > $2) \
                      AND b.ended_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > $2)";
        let row = self.database.fetch_optional(select, args![id.to_string(), now]).await?;
        row.as_ref().map(ResumableUpload::read).transpose()
    }

    /// Records that so many bytes of an upload in pieces, more than before, are safely in its staging file. From now on it
    /// has [`RESUMABLE_FOR`], or [`BEGUN_WITHIN`] while they are next to nothing, but no more than [`RESUMABLE_AT_MOST`] in
    /// all. Returns `false` if it has ended.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn advance_upload(
        &self,
        id: BlobId,
        received: u64,
        now: Millis,
    ) -> Result<bool, Error> {
        let update = "UPDATE uploads SET received = $2, touched_at = $3, \
                      ends_at = CASE WHEN size > $6 THEN $7 WHEN created_at + $5 < $4 THEN created_at + $5 ELSE $4 END \
                      WHERE id = $1 AND state = 'pending' AND ends_at > $3 \
                      AND (expires_at IS NULL OR expires_at > $3)";
        let received = i64::try_from(received).unwrap_or(i64::MAX);
        let at_most = (Millis::new(0) + RESUMABLE_AT_MOST).get();
        let (lasting, short) = (now + RESUMABLE_FOR, now + BEGUN_WITHIN);
        // A file of which this is the part, or less, has begun.
        let begun =
            if received >= BEGUN_BYTES { i64::MAX } else { received.saturating_mul(BEGUN_PART) };
        let values = args![id.to_string(), received, now, lasting, at_most, begun, short];
        Ok(self.database.execute(update, values).await? == 1)
    }

    /// Claims an upload in pieces whose blob is about to be written: for [`ABANDONED`] it does not end by its time, so that
    /// no blob appears after its row has gone. Returns `false` if it has ended.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn claim_upload(&self, id: BlobId, now: Millis) -> Result<bool, Error> {
        let update = "UPDATE uploads SET touched_at = $2, ends_at = CASE WHEN ends_at < $3 THEN $3 ELSE ends_at END \
                      WHERE id = $1 AND state = 'pending' AND ends_at > $2 \
                      AND (expires_at IS NULL OR expires_at > $2)";
        let values = args![id.to_string(), now, now + ABANDONED];
        Ok(self.database.execute(update, values).await? == 1)
    }

    /// Records the media type of a pending upload, recognized by its first bytes.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn note_media_type(&self, id: BlobId, media_type: &str) -> Result<(), Error> {
        let update = "UPDATE uploads SET media_type = $2 WHERE id = $1 AND state = 'pending'";
        self.database.execute(update, args![id.to_string(), media_type]).await?;
        Ok(())
    }

    /// Whether an upload still needs its staging file: it is unfinished and its sender may go on.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn needs_staging(&self, id: BlobId, now: Millis) -> Result<bool, Error> {
        let found = self.find_resumable_upload(id, now).await?;
        Ok(found.is_some_and(|upload| !upload.is_ready))
    }
}

impl ResumableUpload {
    /// Whether all bytes are here.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.received >= self.length
    }

    fn read(row: &Row) -> Result<Self, Error> {
        let ends = [row.time_if_any("ends_at")?, row.time_if_any("expires_at")?];
        let state: String = row.get("state")?;
        Ok(Self {
            name: row.get("name")?,
            media_type: row.get("media_type")?,
            length: row.number("size")?,
            received: row.number("received")?,
            is_guest: row.get::<Option<uuid::Uuid>>("account_id")?.is_none(),
            for_item: row.get::<i64>("for_item")? == 1,
            is_ready: state == "ready",
            parts: row.get("parts")?,
            metadata: row.get("metadata")?,
            ends_at: ends.into_iter().flatten().min(),
        })
    }
}
