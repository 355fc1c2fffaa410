//! Writes a blob of unknown size in constant memory: in parts, of which a few are in flight.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{MultipartId, MultipartUpload, PutPayloadMut};
use tokio::task::JoinSet;

use super::Error;

/// Bytes per part in a bucket: the minimum of S3.
pub(super) const BUCKET_PART: usize = 5 * 1024 * 1024;
/// Bytes per part in a file.
const FILE_PART: usize = 1024 * 1024;
/// Parts in flight to a file: one is written while the next one fills. More would not be faster.
const TO_FILE: usize = 1;
/// Parts in flight to a bucket: one is sent while the server still handles the one before.
const TO_BUCKET: usize = 2;

/// Memory of a writer to a file, in bytes: the parts in flight and the one that fills.
pub(super) const FILE_BYTES: usize = (TO_FILE + 1) * FILE_PART;
/// Memory of a writer to a bucket, in bytes.
pub(super) const BUCKET_BYTES: usize = (TO_BUCKET + 1) * BUCKET_PART;

/// A blob that is being written. If it is dropped, the blob does not exist; [`super::Blobs::delete`] removes leftovers.
pub struct Writer {
    target: Target,
    path: Path,
    part_bytes: usize,
    buffer: PutPayloadMut,
    started: usize,
    in_flight: JoinSet<Result<Option<(usize, PartId)>, object_store::Error>>,
}

enum Target {
    File(Box<dyn MultipartUpload>),
    Store {
        store: Arc<dyn MultipartStore>,
        id: MultipartId,
        /// The finished parts, with their numbers.
        done: Vec<(usize, PartId)>,
    },
}

impl Writer {
    pub(super) fn to_file(upload: Box<dyn MultipartUpload>, path: Path) -> Self {
        Self::new(Target::File(upload), path, FILE_PART)
    }

    pub(super) async fn to_store(
        store: Arc<dyn MultipartStore>,
        path: Path,
    ) -> Result<Self, Error> {
        let id = store.create_multipart(&path).await.map_err(Error::of_writing)?;
        Ok(Self::new(Target::Store { store, id, done: Vec::new() }, path, BUCKET_PART))
    }

    fn new(target: Target, path: Path, part_bytes: usize) -> Self {
        let (buffer, in_flight) = (PutPayloadMut::new(), JoinSet::new());
        Self { target, path, part_bytes, buffer, started: 0, in_flight }
    }

    /// The store's id of the unfinished upload, if it is needed to delete the parts.
    #[must_use]
    pub fn parts(&self) -> Option<&str> {
        match &self.target {
            Target::File(_) => None,
            Target::Store { id, .. } => Some(id),
        }
    }

    /// Appends bytes, which are kept as they are until they are written. Waits while enough parts are in flight.
    ///
    /// # Errors
    /// [`Error`] when the store fails. The blob can then only be aborted.
    pub async fn push(&mut self, mut bytes: Bytes) -> Result<(), Error> {
        while bytes.has_remaining() {
            let fits = bytes.len().min(self.part_bytes - self.buffer.content_length());
            self.buffer.push(bytes.split_to(fits));
            if self.buffer.content_length() == self.part_bytes {
                self.send().await?;
            }
        }
        Ok(())
    }

    /// Completes the blob. Afterwards it exists whole and durably.
    ///
    /// # Errors
    /// [`Error`] when it is not known whether the blob exists.
    pub async fn finish(mut self) -> Result<(), Error> {
        // An empty blob has one empty part.
        if self.buffer.content_length() > 0 || self.started == 0 {
            self.send().await?;
        }
        while !self.in_flight.is_empty() {
            self.land().await?;
        }
        match self.target {
            Target::File(mut upload) => upload.complete().await.map_err(Error::of_writing)?,
            Target::Store { store, id, mut done } => {
                done.sort_by_key(|(number, _)| *number);
                let parts = done.into_iter().map(|(_, part)| part).collect();
                let completed = store.complete_multipart(&self.path, &id, parts).await;
                completed.map_err(Error::of_writing)?
            }
        };
        Ok(())
    }

    /// Gives up the blob and deletes what was written.
    ///
    /// # Errors
    /// [`Error`] when that fails; [`super::Blobs::delete`] can do it later.
    pub async fn abort(mut self) -> Result<(), Error> {
        // A store may write a part that it has received although its sender has gone, and a part that is written after the
        // others were deleted stays for good. Each part in flight has a time limit.
        while self.in_flight.join_next().await.is_some() {}
        match self.target {
            Target::File(mut upload) => upload.abort().await?,
            Target::Store { store, id, .. } => store.abort_multipart(&self.path, &id).await?,
        }
        Ok(())
    }

    async fn send(&mut self) -> Result<(), Error> {
        let most = match self.target {
            Target::File(_) => TO_FILE,
            Target::Store { .. } => TO_BUCKET,
        };
        while self.in_flight.len() >= most {
            self.land().await?;
        }
        let part = std::mem::take(&mut self.buffer).freeze();
        let number = self.started;
        self.started += 1;
        match &mut self.target {
            Target::File(upload) => {
                let writing = upload.put_part(part);
                self.in_flight.spawn(async { writing.await.map(|()| None) });
            }
            Target::Store { store, id, .. } => {
                let (store, id, path) = (store.clone(), id.clone(), self.path.clone());
                self.in_flight.spawn(async move {
                    let part = store.put_part(&path, &id, number, part).await?;
                    Ok(Some((number, part)))
                });
            }
        }
        Ok(())
    }

    /// Waits for one of the parts in flight.
    async fn land(&mut self) -> Result<(), Error> {
        let Some(landed) = self.in_flight.join_next().await else {
            return Ok(());
        };
        let landed = landed.map_err(|error| Error::Unreachable(error.to_string()))?;
        let part = landed.map_err(Error::of_writing)?;
        if let (Target::Store { done, .. }, Some(part)) = (&mut self.target, part) {
            done.push(part);
        }
        Ok(())
    }
}
