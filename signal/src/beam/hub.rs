//! The beams that are live now, by id. The map holds nothing else: a beam that ends takes itself out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heliograph_shared::ids::BeamId;
use heliograph_storage::Storage;

use super::actor::BeamHandle;
use super::keeper::Keeper;
use super::state::Newcomer;
use crate::clock::Clock;
use crate::outbox::Outbox;

/// Finds live beams and wakes the others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hub {
    live: Arc<Mutex<HashMap<BeamId, BeamHandle>>>,
    clock: Clock,
    /// None: nothing is ever stored, as tests of the hub alone want it.
    storage: Option<Storage>,
}

impl Hub {
    /// No beam is live yet.
    #[must_use]
    pub fn new(clock: Clock, storage: Option<Storage>) -> Self {
        Self { live: Arc::default(), clock, storage }
    }

    /// Puts a device into a beam. If nobody is there the beam wakes, and its memory is named `epoch` (S11).
    pub async fn join(
        &self,
        beam: BeamId,
        epoch: &str,
        newcomer: Newcomer,
        outbox: Arc<Outbox>,
    ) -> BeamHandle {
        loop {
            let handle = self.get_or_spawn(beam, epoch);
            if handle.join(newcomer.clone(), outbox.clone()).await.is_ok() {
                return handle;
            }
            // It finished between the look-up and the join.
            self.forget(beam, &handle);
        }
    }

    /// Whether somebody is in the beam, or was a moment ago.
    #[must_use]
    pub fn is_live(&self, beam: BeamId) -> bool {
        self.lock().contains_key(&beam)
    }

    /// Puts what the tables say of a beam into effect for those who are in it (H31).
    pub async fn refresh(&self, beam: BeamId) {
        let handle = self.lock().get(&beam).cloned();
        if let Some(handle) = handle {
            handle.refresh().await;
        }
    }

    /// Looks up and inserts under one lock, so that two newcomers meet in the same beam.
    fn get_or_spawn(&self, beam: BeamId, epoch: &str) -> BeamHandle {
        self.lock().entry(beam).or_insert_with(|| self.spawn(beam, epoch)).clone()
    }

    fn spawn(&self, beam: BeamId, epoch: &str) -> BeamHandle {
        let (epoch, clock, storage) = (epoch.to_owned(), self.clock, self.storage.clone());
        let (handle, running) = BeamHandle::new(Keeper { beam, epoch, clock, storage }, clock);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use heliograph_shared::ids::DeviceId;
    use heliograph_shared::limits::LINGER;
    use heliograph_shared::socket::{Device, DeviceUser};

    use super::*;
    use crate::beam::ConnectionId;
    use crate::websocket::Message;

    fn beam(number: u8) -> BeamId {
        BeamId::from_random([number; 16])
    }

    fn newcomer(number: u8) -> Newcomer {
        let device_id = DeviceId::from_bytes([number; 16]);
        let device = Device {
            device_id,
            name: String::new(),
            caps: Vec::new(),
            user: DeviceUser::default(),
        };
        let connection = ConnectionId(number.into());
        Newcomer { connection, device, plain: false, creator: false, account: None }
    }

    #[tokio::test(start_paused = true)]
    async fn two_newcomers_meet_in_the_same_beam() {
        let hub = Hub::new(Clock::running(0), None);
        let (ada, bob, cat) = tokio::join!(
            hub.join(beam(7), "e", newcomer(1), Arc::default()),
            hub.join(beam(7), "e", newcomer(2), Arc::default()),
            hub.join(beam(8), "e", newcomer(3), Arc::default()),
        );
        assert!(ada.is_same(&bob));
        assert!(!ada.is_same(&cat));
    }

    #[tokio::test(start_paused = true)]
    async fn a_beam_that_finished_is_forgotten_and_woken_again() {
        let hub = Hub::new(Clock::running(0), None);
        let first = hub.join(beam(7), "e", newcomer(1), Arc::default()).await;
        first.gone(ConnectionId(1)).await;
        tokio::time::sleep(LINGER * 2).await;
        assert!(!hub.is_live(beam(7)));

        let second = hub.join(beam(7), "e", newcomer(2), Arc::default()).await;

        assert!(!second.is_same(&first));
        assert!(hub.is_live(beam(7)));
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_just_as_a_beam_finishes_finds_a_new_one() {
        let hub = Hub::new(Clock::running(0), None);
        for early in [Duration::ZERO, Duration::from_millis(1)].repeat(25) {
            let handle = hub.join(beam(7), "e", newcomer(1), Arc::default()).await;
            handle.gone(ConnectionId(1)).await;
            tokio::time::sleep(LINGER.saturating_sub(early)).await;
            let outbox = Arc::<Outbox>::default();
            hub.join(beam(7), "e", newcomer(2), outbox.clone()).await;
            let welcome = outbox.take().await;
            let Message::Text(text) = &welcome.messages[0] else { panic!() };
            assert!(text.contains("auth_success"));
            hub.join(beam(7), "e", newcomer(2), Arc::default()).await.gone(ConnectionId(2)).await;
        }
    }
}
