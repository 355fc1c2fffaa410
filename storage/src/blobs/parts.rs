//! A blob that is put into a bucket part by part, each of which stays when the next one fails.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;

use super::writer::BUCKET_PART;
use super::{BlobKey, Blobs, Error, Store};

/// Most parts that S3 takes for one blob.
const MOST_PARTS: u64 = 10_000;
/// Parts that are sent at a time: one is sent while the store still handles the one before.
pub const PARTS_AT_ONCE: usize = 2;

/// A blob of a known length in a bucket, as parts. Their boundaries follow from the length, so that they are the same after
/// a restart.
pub struct Parts {
    store: Arc<dyn MultipartStore>,
    path: Path,
    length: u64,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Blobs {
    /// The parts of a blob of this length; `None` where the store is no bucket.
    #[must_use]
    pub fn parts(&self, key: BlobKey, length: u64) -> Option<Parts> {
        let Store::S3(bucket) = &self.store else { return None };
        Some(Parts { store: bucket.clone(), path: key.path(), length })
    }
}

impl Parts {
    /// Begins the blob. Returns the store's id for its parts, by which [`Blobs::delete`] deletes them too.
    ///
    /// # Errors
    /// [`Error`] when the store fails.
    pub async fn begin(&self) -> Result<String, Error> {
        self.store.create_multipart(&self.path).await.map_err(Error::of_writing)
    }

    /// The bytes of each part. An empty blob has one empty part.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, Range<u64>)> + use<> {
        let (length, size) = (self.length, self.part_bytes());
        (0..length.div_ceil(size).max(1))
            .map(move |number| (number, number * size..((number + 1) * size).min(length)))
    }

    /// Most bytes of one part.
    #[must_use]
    pub fn part_bytes(&self) -> u64 {
        self.length.div_ceil(MOST_PARTS).max(BUCKET_PART as u64)
    }

    /// Puts one part, and returns the store's tag for it.
    ///
    /// # Errors
    /// [`Error::Missing`] when the store does not know the blob that was begun, any more or yet.
    pub async fn put(&self, id: &str, number: u64, bytes: Bytes) -> Result<String, Error> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let part = self.store.put_part(&self.path, &id.to_owned(), number, bytes.into()).await?;
        Ok(part.content_id)
    }

    /// Completes the blob from the tags of all its parts. Afterwards it exists whole and durably.
    ///
    /// # Errors
    /// [`Error`] when it is not known whether the blob exists.
    pub async fn complete(
        &self,
        id: &str,
        tags: impl Iterator<Item = String>,
    ) -> Result<(), Error> {
        let parts = tags.map(|content_id| PartId { content_id }).collect();
        let completed = self.store.complete_multipart(&self.path, &id.to_owned(), parts).await;
        completed.map(|_| ()).map_err(|error| match Error::from(error) {
            // Perhaps an earlier request has completed it, and its answer was lost.
            Error::Missing => Error::Unreachable("the bucket does not know the parts".to_owned()),
            error => error,
        })
    }
}
