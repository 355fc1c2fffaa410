//! Why uploads in pieces could not be stored, for whoever asks next: a store that does not answer may take longer to say so than
//! anybody waits.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_storage::blobs::BlobId;
use tokio::time::Instant;

use crate::error::Error;

/// So long a failure is kept that nobody asks for.
const KEPT: Duration = Duration::from_mins(10);

/// The failures that nobody has heard of.
#[derive(Debug, Default)]
pub struct Failures(Mutex<HashMap<BlobId, (Instant, Error)>>);

impl Failures {
    /// Keeps why an upload was not stored. Of what is no upload nothing is kept, so there are no more of them than uploads.
    pub fn keep(&self, id: BlobId, why: Error) {
        if !matches!(why, Error::NotFound) {
            self.lock().insert(id, (Instant::now(), why));
        }
    }

    /// Why it was not, told once.
    pub fn take(&self, id: BlobId) -> Option<Error> {
        self.lock().remove(&id).map(|(_, why)| why)
    }

    /// Forgets old ones.
    pub(super) fn sweep(&self, now: Instant) {
        self.lock().retain(|_, (at, _)| now < *at + KEPT);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BlobId, (Instant, Error)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_told_once_and_forgotten_after_a_while() {
        let (failures, id) = (Failures::default(), BlobId::from_random([1; 16]));
        failures.keep(id, Error::NotFound);
        assert!(failures.take(id).is_none());
        failures.keep(id, Error::Held);
        assert!(matches!(failures.take(id), Some(Error::Held)));
        assert!(failures.take(id).is_none());
        failures.keep(id, Error::Held);
        failures.sweep(Instant::now() + KEPT);
        assert!(failures.take(id).is_none());
    }
}
