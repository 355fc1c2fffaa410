//! What waits for the disk, or for the beam to tell what it has.

use std::sync::Arc;

use heliograph_shared::ids::ItemId;
use tokio::task::JoinHandle;

use super::super::files::error::FileError;
use super::super::files::received::Incoming;
use super::super::files::store::Found;
use super::super::files::target::Target;
use crate::engine::contract::IncomingFile;
use crate::session;

/// What is known of a file that an earlier run may have received.
pub(super) struct Searched {
    /// Which search it was, over all files.
    pub(super) number: u64,
    pub(super) incoming: IncomingFile,
    pub(super) described: Incoming,
    pub(super) target: Arc<Target>,
    pub(super) found: Result<Found, FileError>,
}

/// A file that an earlier run has shared, and this one has again.
pub(super) struct Resumed {
    pub(super) id: ItemId,
    /// What shares its item, where the beam does not have it any more.
    pub(super) share: session::Input,
    /// Whether the beam has it.
    pub(super) is_there: bool,
}

/// Waits for a write; for ever where there is none. Nothing is lost when the wait is given up.
pub(super) async fn written(write: &mut Option<JoinHandle<()>>) {
    match write {
        // What could not be written is shared anew by a later run.
        Some(writing) => drop(writing.await),
        None => std::future::pending().await,
    }
    *write = None;
}
