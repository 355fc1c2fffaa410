//! Whether the server can write (H3). It is tried rarely, and once for everybody who asks.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use heliograph_storage::Storage;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;

/// How long the outcome of a probe holds.
const FRESH: Duration = Duration::from_secs(5);
/// Time for a probe. A disk that takes longer counts as one that takes no writes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Probes the database.
#[derive(Debug)]
pub struct Health {
    clock: Clock,
    storage: Storage,
    last: Mutex<Option<Probe>>,
}

/// A write that was tried, or is being tried.
#[derive(Clone, Debug)]
struct Probe {
    begun: Instant,
    /// Whether it worked, once that is known.
    worked: watch::Receiver<Option<bool>>,
}

impl Health {
    /// Nothing is probed before somebody asks.
    #[must_use]
    pub const fn new(clock: Clock, storage: Storage) -> Self {
        Self { clock, storage, last: Mutex::new(None) }
    }

    /// Whether the database can be read and written.
    pub async fn is_good(&self) -> bool {
        let Probe { begun, mut worked } = self.probe();
        let known = timeout_at(begun + PATIENCE, worked.wait_for(Option::is_some)).await;
        matches!(known, Ok(Ok(worked)) if *worked == Some(true))
    }

    /// The last probe, or a new one. There is one at a time, however long it takes.
    fn probe(&self) -> Probe {
        let now = self.clock.steady();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(probe) = &*last
            && (probe.is_under_way() || now < probe.begun + FRESH)
        {
            return probe.clone();
        }
        let (tell, worked) = watch::channel(None);
        let storage = self.storage.clone();
        tokio::spawn(async move {
            let written = storage.check().await;
            if let Err(error) = &written {
                tracing::warn!(%error, "the database cannot be used");
            }
            tell.send_replace(Some(written.is_ok()));
        });
        last.insert(Probe { begun: now, worked }).clone()
    }
}

impl Probe {
    fn is_under_way(&self) -> bool {
        self.worked.borrow().is_none() && self.worked.has_changed().is_ok()
    }
}
