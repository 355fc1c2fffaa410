//! The beams that are live now, by id. The map holds nothing else: a beam that ends takes itself out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_storage::Storage;

use super::actor::BeamHandle;
use super::state::{Newcomer, Terms};
use crate::clock::Clock;
use crate::outbox::Outbox;

/// Tries to make a beam a row; after them the beam goes on living in memory only.
const RECORD_TRIES: u32 = 5;
/// Pause between two of them.
const RECORD_PAUSE: Duration = Duration::from_secs(5);

/// What a beam must know if it has to be woken.
#[derive(Clone, Debug)]
pub struct Waking {
    /// The beam.
    pub beam: BeamId,
    /// Its terms; they count only if it was not live.
    pub terms: Terms,
}

/// Finds live beams and wakes the others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hub {
    live: Arc<Mutex<HashMap<BeamId, BeamHandle>>>,
    clock: Clock,
    /// None: nothing is ever recorded, as tests of the hub alone want it.
    storage: Option<Storage>,
}

impl Hub {
    /// No beam is live yet.
    #[must_use]
    pub fn new(clock: Clock, storage: Option<Storage>) -> Self {
        Self { live: Arc::default(), clock, storage }
    }

    /// Puts a device into a beam, waking the beam if nobody is there.
    pub async fn join(
        &self,
        waking: &Waking,
        newcomer: Newcomer,
        outbox: Arc<Outbox>,
    ) -> BeamHandle {
        loop {
            let handle = self.get_or_spawn(waking);
            if handle.join(newcomer.clone(), outbox.clone()).await.is_ok() {
                return handle;
            }
            // It finished between the look-up and the join.
            self.forget(waking.beam, &handle);
        }
    }

    /// Whether somebody is in the beam, or was a moment ago.
    #[must_use]
    pub fn is_live(&self, beam: BeamId) -> bool {
        self.lock().contains_key(&beam)
    }

    /// Looks up and inserts under one lock, so that two newcomers meet in the same beam.
    fn get_or_spawn(&self, waking: &Waking) -> BeamHandle {
        self.lock().entry(waking.beam).or_insert_with(|| self.spawn(waking)).clone()
    }

    fn spawn(&self, Waking { beam, terms }: &Waking) -> BeamHandle {
        let (beam, expires_at) = (*beam, terms.expires_at);
        let (storage, created_at) = (self.storage.clone(), self.clock.now());
        let record = move || {
            if let Some(storage) = storage {
                tokio::spawn(record(storage, beam, created_at, expires_at));
            }
        };
        let (handle, running) = BeamHandle::new(terms.clone(), self.clock, record);
        let (hub, finished) = (self.clone(), handle.clone());
        tokio::spawn(async move {
            running.await;
            hub.forget(beam, &finished);
        });
        handle
    }

    fn forget(&self, beam: BeamId, finished: &BeamHandle) {
        let mut live = self.lock();
        if live.get(&beam).is_some_and(|current| current.is_same(finished)) {
            live.remove(&beam);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BeamId, BeamHandle>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Apart from the beam's own task: a database that is locked must not be felt in a live beam.
async fn record(storage: Storage, beam: BeamId, created_at: i64, expires_at: i64) {
    for _ in 0..RECORD_TRIES {
        match storage.record_shared_beam(beam, created_at, expires_at).await {
            Ok(()) => return,
            Err(error) => tracing::error!(%error, "a beam could not be recorded"),
        }
        tokio::time::sleep(RECORD_PAUSE).await;
    }
}
