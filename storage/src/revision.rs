//! Counts changes, so that a cache can tell whether what it holds is still current.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often something has changed. Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Revision(Arc<AtomicU64>);

/// A change that is under way. It counts when it is dropped, however it ended: one that was cut off may have happened.
pub(crate) struct Bump<'a>(&'a Revision);

impl Revision {
    pub fn number(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub fn bump(&self) -> Bump<'_> {
        Bump(self)
    }
}

impl Drop for Bump<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Release);
    }
}
