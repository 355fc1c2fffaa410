//! The item that has the keys of a beam while it is kept, for whoever opens its link after all devices have left (E10).
//! `client/src/app/kept-beam-keys` does the same for the browser.

use std::time::Duration;

use heliograph_shared::ids::ItemId;

/// How much longer each device waits than the one before it, where whoever asked to keep the beam shared no keys.
const EACH_AFTER: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct KeptKeys {
    is_kept: bool,
    /// Whether the person at this device has asked to keep the beam.
    has_asked: bool,
    /// The item, where it opens.
    item: Option<ItemId>,
    /// Whether the server has told over this socket what is in the beam.
    is_synced: bool,
    /// This device's turn to share it, where nobody has.
    turn: Option<Duration>,
}

impl KeptKeys {
    /// The socket is new.
    pub(super) const fn welcomed(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
        self.cut();
    }

    /// The socket is gone. What is in the beam now is told over the next one.
    pub(super) const fn cut(&mut self) {
        self.is_synced = false;
        self.turn = None;
    }

    /// The person asks to keep the beam.
    pub(super) const fn asks(&mut self) {
        self.has_asked = true;
    }

    /// The beam is kept, or is not any more.
    pub(super) const fn turned(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
        self.has_asked &= is_kept;
    }

    /// All items that the server has are about to be told.
    pub(super) const fn synced(&mut self) {
        self.item = None;
        self.is_synced = true;
    }

    /// An item has come that has the keys, or is on its way from here.
    pub(super) const fn came(&mut self, item: ItemId) {
        self.item = Some(item);
        self.turn = None;
    }

    /// An item was deleted: perhaps this one. As long as the beam is kept, it is shared again.
    pub(super) fn deleted(&mut self, item: ItemId) {
        if self.item == Some(item) {
            self.item = None;
        }
    }

    /// Sees whether the item is missing. `place` is that of this device among those that seal, from 0; `None` for one that has no keys.
    /// Returns whether this device is to share it now.
    pub(super) fn is_wanted(&mut self, place: Option<usize>, now: Duration) -> bool {
        let is_missing = self.is_kept && self.is_synced && self.item.is_none();
        let Some(place) = place.filter(|_| is_missing) else {
            self.turn = None;
            return false;
        };
        let after = if self.has_asked { 0 } else { place + 1 };
        let wait = EACH_AFTER.saturating_mul(u32::try_from(after).unwrap_or(u32::MAX));
        now >= *self.turn.get_or_insert(now.saturating_add(wait))
    }

    pub(super) const fn next_due(&self) -> Option<Duration> {
        self.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn kept() -> KeptKeys {
        let mut kept = KeptKeys::default();
        kept.welcomed(true);
        kept.synced();
        kept
    }

    #[test]
    fn e10_who_asks_shares_the_keys_at_once_and_others_in_their_turn() {
        let mut kept = kept();
        assert!(!kept.is_wanted(Some(1), at(10)));
        assert_eq!(kept.next_due(), Some(at(14)));
        assert!(kept.is_wanted(Some(1), at(14)));
        let mut asking = KeptKeys::default();
        asking.welcomed(false);
        asking.synced();
        asking.asks();
        assert!(!asking.is_wanted(Some(1), at(10)), "the server has not answered");
        asking.turned(true);
        assert!(asking.is_wanted(Some(1), at(10)));
    }

    #[test]
    fn e10_the_keys_are_shared_once_and_again_when_they_are_deleted_while_the_beam_is_kept() {
        let (mut kept, item) = (kept(), ItemId::from_random([1; 16]));
        kept.came(item);
        assert!(!kept.is_wanted(Some(0), at(100)));
        kept.deleted(item);
        assert!(!kept.is_wanted(Some(0), at(100)));
        assert!(kept.is_wanted(Some(0), at(102)));
        kept.turned(false);
        assert!(!kept.is_wanted(Some(0), at(200)));
        assert_eq!(kept.next_due(), None);
    }

    #[test]
    fn e10_nobody_shares_keys_who_has_none_or_does_not_know_what_is_there() {
        let mut kept = kept();
        assert!(!kept.is_wanted(None, at(100)));
        kept.cut();
        assert!(!kept.is_wanted(Some(0), at(100)));
    }
}
