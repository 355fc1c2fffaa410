//! Counts changes, so that whoever remembers what was read can tell that it is still so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often something has changed. Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<AtomicU64>);

/// A change that is under way. It counts when it is over, however it ends: one that is cut off may have happened.
pub(crate) struct Changing<'a>(&'a Changes);

impl Changes {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub fn begin(&self) -> Changing<'_> {
        Changing(self)
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Release);
    }
}
