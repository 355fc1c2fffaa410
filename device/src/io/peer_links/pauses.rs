//! The pauses between the connections in each place of a bundle.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Slot;

/// Pauses between two connections in one place that another device may make this one set up, because each costs much more than an
/// offer: in the first place, and in the others, where this device keeps to it too (L1, L6).
const OFFER_INTERVAL: Duration = Duration::from_secs(1);
const FURTHER_INTERVAL: Duration = Duration::from_secs(5);

/// Pauses before a dead connection is rebuilt, while the relay carries the frames. The last one repeats.
const REBUILD_DELAYS: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_mins(1),
];

/// The pauses of all places, each with the time at which it is over.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    failures: BTreeMap<Slot, usize>,
    retries: BTreeMap<Slot, Duration>,
    /// Places in which a connection was set up less than the interval ago.
    resting: BTreeMap<Slot, Duration>,
}

impl Pauses {
    /// The places in which a connection is to be rebuilt.
    pub(super) fn retrying(&self) -> Vec<Slot> {
        self.retries.keys().copied().collect()
    }

    pub(super) fn is_retrying(&self, slot: Slot) -> bool {
        self.retries.contains_key(&slot)
    }

    pub(super) fn is_resting(&self, slot: Slot) -> bool {
        self.resting.contains_key(&slot)
    }

    /// Has a connection rebuilt after a pause that is longer with each failure in the place.
    pub(super) fn retry(&mut self, slot: Slot, now: Duration) {
        let failures = self.failures.entry(slot).or_default();
        let delay = REBUILD_DELAYS[(*failures).min(REBUILD_DELAYS.len() - 1)];
        *failures += 1;
        self.retries.insert(slot, now + delay);
    }

    pub(super) fn cancel_retry(&mut self, slot: Slot) {
        self.retries.remove(&slot);
    }

    /// Lets no other connection be set up in a place for a while.
    pub(super) fn rest(&mut self, slot: Slot, now: Duration) {
        let interval = if slot.place == 0 { OFFER_INTERVAL } else { FURTHER_INTERVAL };
        self.resting.insert(slot, now + interval);
    }

    /// A connection in the place works.
    pub(super) fn worked(&mut self, slot: Slot) {
        self.failures.remove(&slot);
    }

    pub(super) fn forget_failures(&mut self) {
        self.failures.clear();
    }

    /// Takes a place whose rest is over.
    pub(super) fn rested(&mut self, now: Duration) -> Option<Slot> {
        take_over(&mut self.resting, now)
    }

    /// Takes a place in which a connection is to be rebuilt now.
    pub(super) fn retried(&mut self, now: Duration) -> Option<Slot> {
        take_over(&mut self.retries, now)
    }

    /// When the next pause is over.
    pub(super) fn next(&self) -> Option<Duration> {
        self.retries.values().chain(self.resting.values()).min().copied()
    }
}

fn take_over(pauses: &mut BTreeMap<Slot, Duration>, now: Duration) -> Option<Slot> {
    let slot = pauses.iter().find(|(_, until)| **until <= now).map(|(slot, _)| *slot)?;
    pauses.remove(&slot);
    Some(slot)
}
