//! How many items a beam may have, and what they take of the server's memory (S17, S22, S30, S33).

use heliograph_shared::limits::{MAX_LIVE_BYTES, MAX_LIVE_ITEMS, MAX_NOTES, MAX_NOTES_BYTES};
use heliograph_shared::socket::LiveItem;

use super::{Items, Keeping, Kept, MAX_FOR_ONE, MAX_FOR_ONE_BYTES, RECORD_BYTES, bytes_of};
use crate::budget::Spent;

/// What some of the items take.
struct Taken {
    items: usize,
    bytes: usize,
}

impl Taken {
    fn by<'a>(kept: impl Iterator<Item = &'a Kept>) -> Self {
        let nothing = Self { items: 0, bytes: 0 };
        kept.fold(nothing, |Self { items, bytes }, kept| Self {
            items: items + 1,
            bytes: bytes + kept.bytes(),
        })
    }
}

impl Items {
    /// Whether a saved or kept beam has room for an item for everybody. An edit frees the room of the old content, and one
    /// that does not grow always fits. Items for one device take none of this room: who owns the beam could not delete them.
    pub fn has_room_for(&self, item: &LiveItem) -> bool {
        let bytes = bytes_of(item);
        let taken = Taken::by(self.kept.iter().filter(|kept| kept.item.to.is_none()));
        match self.position(item.id).map(|at| self.kept[at].bytes()) {
            Some(old) => bytes <= old || taken.bytes - old + bytes <= MAX_NOTES_BYTES,
            None => taken.items < MAX_NOTES && taken.bytes + bytes <= MAX_NOTES_BYTES,
        }
    }

    /// Takes the memory that a saved beam needs for an item before it is stored.
    ///
    /// # Errors
    /// [`Spent`] when the server has none.
    pub fn reserve_for(&mut self, item: &LiveItem) -> Result<(), Spent> {
        let bytes = bytes_of(item);
        match self.position(item.id).map(|at| self.kept[at].bytes()) {
            Some(old) => self.reserve(0, bytes.saturating_sub(old)),
            None => self.reserve(1, bytes),
        }
    }

    /// Memory for what is here and for so much more, in bytes.
    pub(super) fn needed(&self, more_items: usize, more_bytes: usize) -> usize {
        let (absent, proof_bytes) = self.recovery.absent();
        let gone = self.deleted.len() + absent;
        let records = self.kept.len() + gone + self.recovery.wanted() + more_items;
        self.bytes + proof_bytes + more_bytes + records * RECORD_BYTES
    }

    /// Takes memory for so much more. The deleted items give theirs up first.
    pub(super) fn reserve(&mut self, more_items: usize, more_bytes: usize) -> Result<(), Spent> {
        self.grow_for(more_items, more_bytes).or_else(|Spent| {
            self.deleted.clear();
            self.recovery.forget_absent();
            self.grow_for(more_items, more_bytes)
        })
    }

    fn grow_for(&mut self, more_items: usize, more_bytes: usize) -> Result<(), Spent> {
        match self.needed(more_items, more_bytes).checked_sub(self.room.bytes()) {
            None | Some(0) => Ok(()),
            Some(missing) => self.room.grow(missing),
        }
    }

    /// Drops the oldest items for one device of a saved or kept beam until the others fit. The newest one always does.
    fn make_room_for_one(&mut self) {
        let is_for_one = |kept: &&Kept| kept.item.to.is_some();
        let mut taken = Taken::by(self.kept.iter().filter(is_for_one));
        while taken.items > 1 && (taken.items > MAX_FOR_ONE || taken.bytes > MAX_FOR_ONE_BYTES) {
            let oldest = self.kept.iter().position(|kept| kept.item.to.is_some());
            let Some(oldest) = oldest.and_then(|at| self.remove(at)) else { return };
            taken = Taken { items: taken.items - 1, bytes: taken.bytes - oldest.bytes() };
            self.let_go_for_one = self.let_go_for_one.max(oldest.item.seq);
        }
    }

    pub(super) fn make_room(&mut self) {
        if self.keeping == Keeping::All {
            return self.make_room_for_one();
        }
        while self.kept.len() > MAX_LIVE_ITEMS
            || self.bytes > MAX_LIVE_BYTES
            || self.reserve(0, 0).is_err()
        {
            let Some(oldest) = self.remove(0) else { return };
            if self.recovery.is_earlier(oldest.item.seq) {
                self.recovery.drop(oldest.item.seq);
            } else {
                self.dropped += 1;
                self.let_go = oldest.item.seq;
            }
        }
    }
}
