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
    /// When it began, if this is its beginning.
    pub created_at: i64,
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

    fn spawn(&self, Waking { beam, created_at, terms }: &Waking) -> BeamHandle {
        let (beam, created_at, expires_at) = (*beam, *created_at, terms.expires_at);
        let storage = self.storage.clone();
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

#[cfg(test)]
mod tests {
    use heliograph_shared::ids::DeviceId;
    use heliograph_shared::limits::LINGER;
    use heliograph_shared::socket::Device;

    use super::*;
    use crate::beam::ConnectionId;
    use crate::websocket::Message;

    fn waking(beam: u8) -> Waking {
        let terms = Terms { epoch: "e".to_owned(), expires_at: i64::MAX, recorded: true };
        Waking { beam: BeamId::from_random([beam; 16]), created_at: 0, terms }
    }

    fn newcomer(number: u8) -> Newcomer {
        let device_id = DeviceId::from_bytes([number; 16]);
        let device =
            Device { device_id, name: String::new(), caps: Vec::new(), user: Default::default() };
        let connection = ConnectionId(number.into());
        Newcomer { connection, device, plain: false, creator: false }
    }

    #[tokio::test(start_paused = true)]
    async fn two_newcomers_meet_in_the_same_beam() {
        let hub = Hub::new(Clock::running(0), None);
        let (one, same, other) = (waking(7), waking(7), waking(8));
        let (ada, bob, cat) = tokio::join!(
            hub.join(&one, newcomer(1), Arc::default()),
            hub.join(&same, newcomer(2), Arc::default()),
            hub.join(&other, newcomer(3), Arc::default()),
        );
        assert!(ada.is_same(&bob));
        assert!(!ada.is_same(&cat));
    }

    #[tokio::test(start_paused = true)]
    async fn a_beam_that_finished_is_forgotten_and_woken_again() {
        let hub = Hub::new(Clock::running(0), None);
        let first = hub.join(&waking(7), newcomer(1), Arc::default()).await;
        first.gone(ConnectionId(1)).await;
        tokio::time::sleep(LINGER * 2).await;
        assert!(!hub.is_live(waking(7).beam));

        let second = hub.join(&waking(7), newcomer(2), Arc::default()).await;

        assert!(!second.is_same(&first));
        assert!(hub.is_live(waking(7).beam));
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_just_as_a_beam_finishes_finds_a_new_one() {
        let hub = Hub::new(Clock::running(0), None);
        for early in [Duration::ZERO, Duration::from_millis(1)].repeat(25) {
            let handle = hub.join(&waking(7), newcomer(1), Arc::default()).await;
            handle.gone(ConnectionId(1)).await;
            tokio::time::sleep(LINGER.saturating_sub(early)).await;
            let outbox = Arc::<Outbox>::default();
            hub.join(&waking(7), newcomer(2), outbox.clone()).await;
            let welcome = outbox.take().await;
            let Message::Text(text) = &welcome.messages[0] else { panic!() };
            assert!(text.contains("auth_success"));
            hub.join(&waking(7), newcomer(2), Arc::default()).await.gone(ConnectionId(2)).await;
        }
    }
}
