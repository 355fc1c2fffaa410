//! One piece of an upload on its way to the disk.

use std::time::Duration;

use heliograph_storage::blobs::BlobId;
use heliograph_storage::resumable_uploads::ResumableUpload;
use heliograph_storage::staging::Appending;
use tokio::time::Instant;

use super::Uploads;
use super::checksum::Checksum;
use crate::error::Error;
use crate::paced_body::PacedBody;

/// Bytes after which what came is made safe, in a piece without a checksum: so much at most comes again after a kill.
const SAVE_EVERY: u64 = 8 * 1024 * 1024;
/// Time after which it is made safe too, so that a slow sender does not lose what took it long, nor its upload, which ends
/// without a byte (H47).
const SAVE_AFTER: Duration = Duration::from_mins(1);
/// A piece that is arriving.
pub(super) struct Arriving<'a> {
    uploads: &'a Uploads,
    id: BlobId,
    /// Absent when nothing more may come.
    file: Option<Appending>,
    /// Bytes of the upload that came.
    came: u64,
    /// Those that are safe.
    saved: u64,
    /// When they were made safe, or the piece began.
    saved_at: Instant,
    /// The upload's length.
    most: u64,
    checksum: Option<Checksum>,
}

impl<'a> Arriving<'a> {
    /// A piece of this upload, to be appended to this file.
    pub fn new(
        uploads: &'a Uploads,
        id: BlobId,
        upload: &ResumableUpload,
        file: Option<Appending>,
        checksum: Option<Checksum>,
    ) -> Self {
        let (came, saved_at) = (upload.received, uploads.clock.steady());
        Self { uploads, id, file, came, saved: came, saved_at, most: upload.length, checksum }
    }

    /// Receives the piece. Returns how many bytes of the upload are safe then.
    pub async fn take(mut self, body: &mut PacedBody) -> Result<u64, Error> {
        let received = self.receive(body).await;
        // What is not saved must not be written over the next piece.
        if let Some(file) = &mut self.file {
            file.settle().await;
        }
        received?;
        Ok(self.saved)
    }

    async fn receive(&mut self, body: &mut PacedBody) -> Result<(), Error> {
        let filled = self.fill(body).await;
        if let Some(checksum) = self.checksum.take() {
            filled?;
            return if checksum.is_right() { self.save().await } else { Err(Error::WrongChecksum) };
        }
        match filled {
            // More than the declared length: it is not known what the file is.
            Err(Error::TooLarge) => Err(Error::TooLarge),
            Err(why) => {
                self.save().await?;
                Err(why)
            }
            Ok(()) => self.save().await,
        }
    }

    async fn fill(&mut self, body: &mut PacedBody) -> Result<(), Error> {
        let mut checked = self.came;
        while let Some(bytes) = body.next().await? {
            let count = bytes.len() as u64;
            if count > self.most.saturating_sub(self.came) {
                return Err(Error::TooLarge);
            }
            if self.came + count > checked {
                checked = (self.came + count + SAVE_EVERY).min(self.most);
                if !self.uploads.has_staging_for(checked - self.came).await? {
                    return Err(Error::NoRoom);
                }
                // A piece with a checksum is not saved meanwhile, which would find that the upload has ended.
                self.uploads.find_resumable(self.id).await?;
            }
            // Where writing fails, the file is not put back: nobody knows what of it was written, so nothing may be saved.
            if let Some(mut file) = self.file.take() {
                file.push(&bytes).await?;
                self.file = Some(file);
            }
            self.came += count;
            if let Some(checksum) = &mut self.checksum {
                checksum.add(&bytes);
            } else if self.is_time_to_save() {
                self.save().await?;
            }
        }
        Ok(())
    }

    fn is_time_to_save(&self) -> bool {
        let waited = self.uploads.clock.steady().saturating_duration_since(self.saved_at);
        self.came - self.saved >= SAVE_EVERY || waited >= SAVE_AFTER
    }

    /// Makes what came safe: first on the disk, then in the database. When nothing came, nothing is written and the
    /// upload's time is not pushed on.
    async fn save(&mut self) -> Result<(), Error> {
        if self.came == self.saved {
            return Ok(());
        }
        let Some(mut file) = self.file.take() else { return Ok(()) };
        // After a failure it is not put back: a second try would succeed without the bytes that the first has lost.
        file.save().await?;
        self.file = Some(file);
        let now = self.uploads.clock.now();
        if !self.uploads.storage.advance_upload(self.id, self.came, now).await? {
            return Err(Error::NotFound);
        }
        (self.saved, self.saved_at) = (self.came, self.uploads.clock.steady());
        Ok(())
    }
}
