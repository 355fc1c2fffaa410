//! A change counter, by which a cache can tell whether its content is current.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of changes. Cheap to clone; clones share the count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Revision(Arc<AtomicU64>);

/// A change in progress. Dropping it counts the change, even an interrupted one, which may have happened.
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
