//! Tries the store out with a blob of its own.

use bytes::Bytes;
use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use super::{Blobs, Error};

/// The trial's blob. No other one has this name, since their names are folders and ids.
const NAME: &str = "doctor";
const CONTENT: &[u8] = b"The doctor wrote this, and it may be deleted.";

/// What was being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writing.
    Write,
    /// Reading what was written.
    Read,
    /// Deleting it.
    Delete,
}

impl Blobs {
    /// Writes a blob, reads it and deletes it.
    ///
    /// # Errors
    /// The step that failed, and why.
    pub async fn try_out(&self) -> Result<(), (Step, Error)> {
        let (store, path) = (self.objects(), Path::from(NAME));
        let written = store.put(&path, Bytes::from_static(CONTENT).into()).await;
        written.map_err(|error| (Step::Write, Error::of_writing(error)))?;
        let in_reading = |error: object_store::Error| (Step::Read, Error::from(error));
        let read = store.get(&path).await.map_err(in_reading)?.bytes().await.map_err(in_reading)?;
        if read != CONTENT {
            return Err((Step::Read, Error::Unreachable("other bytes came back".to_owned())));
        }
        store.delete(&path).await.map_err(|error| (Step::Delete, Error::from(error)))
    }
}
