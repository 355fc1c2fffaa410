//! Who works on an upload in pieces: one request or task at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use heliograph_storage::blobs::BlobId;
use tokio::sync::OwnedMutexGuard;

/// The right to work on an upload. Dropping it lets the next one in.
pub type Held = OwnedMutexGuard<()>;

type Lock = tokio::sync::Mutex<()>;

/// The uploads that are being worked on.
#[derive(Debug, Default)]
pub struct Holds(Mutex<HashMap<BlobId, Weak<Lock>>>);

impl Holds {
    /// Holds an upload, unless somebody does.
    pub fn try_hold(&self, id: BlobId) -> Option<Held> {
        self.lock(id).try_lock_owned().ok()
    }

    fn lock(&self, id: BlobId) -> Arc<Lock> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&id).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(Lock::new(()));
        locks.insert(id, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_holds_an_upload_and_nothing_of_it_stays() {
        let (holds, id) = (Holds::default(), BlobId::from_random([1; 16]));
        let held = holds.try_hold(id);
        assert!(held.is_some() && holds.try_hold(id).is_none());
        assert!(holds.try_hold(BlobId::from_random([2; 16])).is_some(), "another one is free");
        drop(held);
        assert!(holds.try_hold(id).is_some());
        assert_eq!(holds.0.lock().unwrap().len(), 1, "the free ones are forgotten");
    }
}
