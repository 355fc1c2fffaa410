//! Copies the staging file of an upload into a bucket, part by part. What the bucket has is in the database, so that a copy
//! goes on where it broke off: after a failure, and after a restart.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt as _, stream};
use heliograph_storage::blobs::{self, BlobId, BlobKey, PARTS_AT_ONCE, Parts};
use heliograph_storage::resumable_uploads::ResumableUpload;

use super::Uploads;
use crate::budget::Kind;
use crate::error::Error;

/// Why a part is not in the bucket.
enum Failure {
    /// Perhaps the bucket does not know what was begun any more: it forgets unfinished blobs after some days where its
    /// operator says so, and servers differ in how they say that.
    Unknown(blobs::Error),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl Uploads {
    /// Makes the staging file of an upload a blob in the bucket. What it has of it already is not sent again.
    pub(super) async fn copy_to_bucket(
        &self,
        id: BlobId,
        upload: &ResumableUpload,
        parts: &Parts,
    ) -> Result<(), Error> {
        let part_bytes = usize::try_from(parts.part_bytes()).unwrap_or(usize::MAX);
        let length = usize::try_from(upload.length).unwrap_or(usize::MAX);
        let at_once = part_bytes.saturating_mul(PARTS_AT_ONCE).min(length);
        let _memory = self.budget.take(Kind::Uploads, at_once)?;
        if let Some(begun) = &upload.parts {
            match self.send_parts(id, parts, begun).await {
                Err(Failure::Unknown(why)) => {
                    tracing::warn!(error = %why, "a copy into the bucket begins anew");
                }
                Err(Failure::Other(why)) => return Err(why),
                Ok(()) => return Ok(()),
            }
        }
        let begun = self.begin_copy(id, upload, parts).await?;
        self.send_parts(id, parts, &begun).await.map_err(|failure| match failure {
            Failure::Unknown(why) => Error::Blobs(why),
            Failure::Other(why) => why,
        })
    }

    async fn begin_copy(
        &self,
        id: BlobId,
        upload: &ResumableUpload,
        parts: &Parts,
    ) -> Result<String, Error> {
        // While the bucket takes nothing, what was begun stays.
        let begun = parts.begin().await?;
        match self.blobs.delete(BlobKey::Upload(id), upload.parts.as_deref()).await {
            // Some stores refuse to delete parts that do not exist.
            Err(error @ blobs::Error::Refused(_)) => {
                tracing::warn!(%error, "parts of an earlier attempt may stay in the bucket");
            }
            deleted => deleted?,
        }
        self.storage.begin_upload_parts(id, &begun).await?;
        Ok(begun)
    }

    /// Sends the parts that the bucket lacks, and completes the blob. After a failure no more are begun, and those in flight end:
    /// what the bucket has is then noted, and nothing comes after all was deleted.
    async fn send_parts(&self, id: BlobId, parts: &Parts, begun: &str) -> Result<(), Failure> {
        let mut tags = self.storage.upload_parts(id).await?;
        let missing: Vec<_> =
            parts.ranges().filter(|(number, _)| !tags.contains_key(number)).collect();
        let were_all_sent = missing.is_empty();
        let has_failed = AtomicBool::new(false);
        let sending = missing.into_iter().map_while(|(number, range)| {
            if has_failed.load(Ordering::Relaxed) {
                return None;
            }
            Some(async move {
                let tag = self.send_part(id, parts, begun, number, range).await?;
                Ok::<_, Failure>((number, tag))
            })
        });
        let mut sending = stream::iter(sending).buffer_unordered(PARTS_AT_ONCE);
        let mut first_failure = None;
        while let Some(sent) = sending.next().await {
            match sent {
                Ok((number, tag)) => drop(tags.insert(number, tag)),
                Err(failure) => {
                    has_failed.store(true, Ordering::Relaxed);
                    first_failure.get_or_insert(failure);
                }
            }
        }
        if let Some(failure) = first_failure {
            return Err(failure);
        }
        if let Err(why) = parts.complete(begun, tags.into_values()).await {
            // The next attempt finds the blob, if the bucket has it after all, or asks once more. Where that fails too, a part
            // is not as it was.
            if were_all_sent {
                self.storage.forget_upload_parts(id).await?;
            }
            return Err(why.into());
        }
        Ok(())
    }

    async fn send_part(
        &self,
        id: BlobId,
        parts: &Parts,
        begun: &str,
        number: u64,
        range: Range<u64>,
    ) -> Result<String, Failure> {
        // A copy may take hours.
        if !self.storage.claim_upload(id, self.clock.now()).await? {
            return Err(Error::NotFound.into());
        }
        let bytes = self.staging.read_range(id, range).await?;
        let tag = parts.put(begun, number, bytes).await.map_err(|error| match error {
            blobs::Error::Missing | blobs::Error::Refused(_) => Failure::Unknown(error),
            error => error.into(),
        })?;
        self.storage.note_upload_part(id, number, &tag).await?;
        Ok(tag)
    }
}
