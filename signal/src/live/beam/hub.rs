//! The live beams by id. The map holds only handles; a beam that ends removes itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::DeviceUser;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::secrets::Secret;
use heliograph_storage::{BeamWriter, Storage};
use tokio::join;
use tokio::time::sleep;

use super::actor;
use super::handle::{BeamHandle, Membership};
use super::keeper::Keeper;
use super::state::Newcomer;
use crate::address::Client;
use crate::budget::Budget;
use crate::bus::Bus;
use crate::bus::notice::News;
use crate::clock::Clock;
use crate::limit::Buckets;
use crate::live::outbox::Outbox;
use crate::quota::Capacity;

/// Longest time over which beams are handed over to other nodes, and longest pause between two of them.
const SPREAD: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(10);

/// Finds live beams and wakes others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hub {
    live: Arc<Mutex<HashMap<BeamId, BeamHandle>>>,
    clock: Clock,
    bus: Bus,
    pub(super) storage: Storage,
    /// Only live beams and [`super::commit::Beams`] get it.
    pub(super) writer: BeamWriter,
    /// What owners and guests may store.
    capacity: Capacity,
    /// For the pseudonyms of addresses.
    address_secret: Secret,
    budget: Arc<Budget>,
    /// The limit on removals of devices, by address (S25).
    removals: Arc<Buckets<Client>>,
}

impl Hub {
    /// A hub without live beams. `address_secret` is for the pseudonyms of addresses in the database.
    #[must_use]
    pub fn new(
        clock: Clock,
        storage: Storage,
        writer: BeamWriter,
        capacity: Capacity,
        address_secret: Secret,
        budget: Arc<Budget>,
        removals: Arc<Buckets<Client>>,
    ) -> Self {
        let (live, bus) = (Arc::default(), Bus::default());
        Self { live, clock, bus, storage, writer, capacity, address_secret, budget, removals }
    }

    /// The same on one of several nodes.
    #[must_use]
    pub fn on(self, bus: Bus) -> Self {
        Self { bus, ..self }
    }

    /// Joins a device to a beam, and wakes the beam if it is not live; its epoch is then `epoch` (S11).
    pub async fn join(
        &self,
        beam: BeamId,
        epoch: &str,
        newcomer: Newcomer,
        outbox: Arc<Outbox>,
    ) -> Membership {
        loop {
            let handle = self.get_or_spawn(beam, epoch);
            if let Ok(membership) = handle.join(newcomer.clone(), outbox.clone()).await {
                return membership;
            }
            // The beam fell asleep between the look-up and the join.
            self.forget(beam, &handle);
        }
    }

    /// Whether the beam has a device in it, or had one less than its grace time ago.
    #[must_use]
    pub fn is_live(&self, beam: BeamId) -> bool {
        self.lock().contains_key(&beam)
    }

    /// The same of a beam on any node.
    pub async fn is_live_anywhere(&self, beam: BeamId) -> bool {
        if self.is_live(beam) {
            return true;
        }
        match self.bus.driver_elsewhere(beam).await {
            Ok(driver) => driver.is_some(),
            // The database knows it too. Neither must a live beam be unknown while the bus is silent, nor an unknown one
            // count as live: then nobody's guesses of ids would be counted.
            Err(_) => matches!(self.storage.driver_of(beam).await, Ok(Some(_))),
        }
    }

    /// How many beams are live, and how many devices are in them.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let live = self.lock();
        (live.len(), live.values().map(|beam| beam.relay().devices()).sum())
    }

    /// Tells a beam what has changed, wherever it is live, and waits until that is in effect.
    pub(super) async fn tell(&self, beam: BeamId, news: News) {
        join!(self.heed(beam, news), self.bus.tell_driver(beam, news));
    }

    /// The same of a beam that is live on this node.
    pub async fn heed(&self, beam: BeamId, news: News) {
        let Some(handle) = self.handle(beam) else { return };
        match news {
            News::Access => handle.refresh().await,
            News::Keys => handle.tell_of_keys().await,
            News::Store => handle.store().await,
        }
    }

    /// Has every live beam read its access soon: changes of it may have been missed.
    pub fn refresh_all_soon(&self) {
        for beam in self.lock().values() {
            beam.refresh_soon();
        }
    }

    /// Stores what the live beams have not stored yet: the server is about to end. One that hangs holds up no other.
    pub async fn store_all(&self) {
        let handles: Vec<_> = self.lock().values().cloned().collect();
        join_all(handles.iter().map(BeamHandle::store)).await;
    }

    /// Ends all live beams, a few at a time, so that other nodes drive them. Their devices come again at once, and not all
    /// together.
    pub async fn hand_over_all(&self) {
        let handles: Vec<_> = self.lock().values().cloned().collect();
        let beams = u32::try_from(handles.len()).unwrap_or(u32::MAX).max(1);
        let step = (SPREAD / beams).min(STEP);
        let one = async |number: u32, beam: &BeamHandle| {
            sleep(step * number).await;
            beam.hand_over().await;
        };
        join_all((0..).zip(&handles).map(|(number, beam)| one(number, beam))).await;
    }

    /// Changes how the devices of an account are shown in a beam (S6).
    pub async fn change_user(&self, beam: BeamId, account: AccountId, user: DeviceUser) {
        if let Some(handle) = self.handle(beam) {
            handle.change_user(account, user).await;
        }
    }

    /// Looks up and inserts under one lock, so that two newcomers get the same beam.
    fn get_or_spawn(&self, beam: BeamId, epoch: &str) -> BeamHandle {
        self.lock().entry(beam).or_insert_with(|| self.spawn(beam, epoch)).clone()
    }

    fn spawn(&self, beam: BeamId, epoch: &str) -> BeamHandle {
        let Self {
            live: _,
            clock,
            bus,
            storage,
            writer,
            capacity,
            address_secret,
            budget,
            removals,
        } = self.clone();
        let epoch = epoch.to_owned();
        let keeper = Keeper {
            beam,
            epoch,
            clock,
            bus,
            lease: None,
            storage,
            writer,
            capacity,
            address_secret,
            budget,
            removals,
        };
        let (handle, mailbox) = BeamHandle::new();
        let (hub, finished) = (self.clone(), handle.clone());
        tokio::spawn(async move {
            actor::run(keeper, clock, finished.relay().clone(), mailbox).await;
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

    fn handle(&self, beam: BeamId) -> Option<BeamHandle> {
        self.lock().get(&beam).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BeamId, BeamHandle>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
