//! What the devices still know of a memory that the server has lost (S28).
//!
//! An item that was never deleted and one that was deleted are both missing here. What tells them apart is the ranges
//! of numbers of which some device knows every item: within them, what that device does not hold was deleted.

use std::collections::HashMap;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::{MAX_HELD_ITEMS, MAX_HELD_RANGES};
use heliograph_shared::socket::Held;

use super::absent::AbsentDeletions;

/// Most deletions to tell of at a time, fewer than an outbox holds. The others follow after the next `sync`.
const MOST_DELETIONS: usize = 400;

/// The items of earlier memories that are expected, and those that are known to be deleted.
#[derive(Debug, Default)]
pub struct Recovery {
    /// The last number of earlier memories.
    start: u64,
    /// Ranges of which everything that was not deleted is here or wanted, both ends included.
    known: Vec<(u64, u64)>,
    /// The items that devices were asked for, with their numbers.
    wanted: HashMap<ItemId, u64>,
    /// What was deleted here while it was not here.
    absent: AbsentDeletions,
    /// The highest number of earlier memories that has no room here. Up to it nothing more is wanted, and what is
    /// missing was not necessarily deleted.
    floor: u64,
    /// How many items of earlier memories have no room here: at least so many are on devices only.
    lacking: u64,
    /// Whether [`Recovery::learnt`] may have changed.
    pub has_learnt: bool,
}

/// What follows from what a device holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The device is asked for these.
    pub wanted: Vec<ItemId>,
    /// The device holds these although they were deleted.
    pub outdated: Vec<ItemId>,
    /// These are here, and the device knows that they were deleted.
    pub deleted: Vec<ItemId>,
}

impl Recovery {
    /// Of the memories whose last number may be `start`, everything in these ranges that was not deleted is here.
    pub fn after(start: u64, known: Vec<(u64, u64)>) -> Self {
        Self { start, known, ..Self::default() }
    }

    /// The last number of earlier memories.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Whether a number belongs to an earlier memory.
    pub const fn is_earlier(&self, seq: u64) -> bool {
        seq <= self.start
    }

    /// Whether the item may come back with this number.
    pub fn wants(&self, id: ItemId, seq: u64) -> bool {
        self.wanted.get(&id) == Some(&seq)
    }

    /// How many items are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted.len()
    }

    /// The item has come back.
    pub fn settle(&mut self, id: ItemId) {
        self.has_learnt |= self.wanted.remove(&id).is_some();
    }

    /// An item of this number, or one that was to come back, was deleted. It is known now, so that no device that slept
    /// brings it back.
    pub fn settle_deleted(&mut self, id: ItemId, seq: Option<u64>) {
        for seq in [self.wanted.remove(&id), seq].into_iter().flatten() {
            if self.is_earlier(seq) {
                self.add_known(seq, seq);
            }
        }
    }

    /// An item was deleted that is not here: a device may hold it that was not told.
    pub fn delete_absent(&mut self, id: ItemId, proof: Option<&str>) {
        self.settle_deleted(id, None);
        self.absent.push(id, proof);
    }

    /// Such deletions are remembered no more, for lack of memory.
    pub fn forget_absent(&mut self) {
        self.absent.clear();
    }

    /// An item is shared: it may have been deleted before.
    pub fn shared(&mut self, id: ItemId) {
        self.absent.forget(id);
    }

    /// How many such deletions are remembered, and the bytes of their proofs.
    pub fn absent(&self) -> (usize, usize) {
        (self.absent.len(), self.absent.proof_bytes())
    }

    /// What proves the deletion of an item that was not here.
    pub fn proof(&self, id: ItemId) -> Option<&String> {
        self.absent.proof(id)
    }

    /// Whether an item that is not here was deleted, under the number that a device has of it.
    pub fn was_deleted(&self, id: ItemId, seq: u64) -> bool {
        let is_missed = self.is_earlier(seq) && seq > self.floor && self.is_known(seq);
        self.absent.has(id) || (is_missed && !self.wanted.contains_key(&id))
    }

    /// An item of an earlier memory was dropped for lack of room, and older ones would be too.
    pub fn drop(&mut self, seq: u64) {
        self.drop_to(seq);
        self.lacking += 1;
    }

    /// There is no room for items up to this number: they are wanted no more.
    pub fn drop_to(&mut self, seq: u64) {
        self.floor = self.floor.max(seq);
        let before = self.wanted.len();
        self.wanted.retain(|_, wanted| *wanted > seq);
        self.lacking += (before - self.wanted.len()) as u64;
    }

    /// There is room from now on for what was dropped, up to this number: it is as good as of an earlier memory.
    pub fn make_up_for(&mut self, let_go: u64) {
        self.known = self.learnt();
        (self.start, self.floor) = (let_go, 0);
    }

    /// Gives up what is wanted, because there is no memory for it.
    pub fn give_up(&mut self) {
        if let Some(newest) = self.wanted.values().copied().max() {
            self.drop_to(newest);
        }
    }

    /// How many items of earlier memories are known to have no room here.
    pub const fn lacking(&self) -> u64 {
        self.lacking
    }

    /// Counts what a device holds and has no room here. Devices hold much the same, so the one that holds most counts.
    pub fn count_lacking(&mut self, held: &Held, here: &HashMap<ItemId, u64>) {
        let items = held.items.iter().take(MAX_HELD_ITEMS);
        let lacking = items.filter(|item| item.seq <= self.floor && !here.contains_key(&item.id));
        self.lacking = self.lacking.max(lacking.count() as u64);
    }

    /// The ranges of which everything that was not deleted is here, without what is still wanted or has no room.
    pub fn learnt(&self) -> Vec<(u64, u64)> {
        let mut wanted: Vec<_> = self.wanted.values().copied().collect();
        wanted.sort_unstable();
        let mut ranges = Vec::new();
        for &(first, last) in &self.known {
            let mut next = first.max(self.floor + 1);
            let from = wanted.partition_point(|seq| *seq < next);
            for seq in wanted[from..].iter().take_while(|seq| **seq <= last) {
                ranges.push((next, seq - 1));
                next = seq + 1;
            }
            ranges.push((next, last));
        }
        ranges.retain(|(first, last)| first <= last);
        // Without room for all of them less is known, and more comes back.
        ranges.sort_unstable_by_key(|(first, last)| std::cmp::Reverse(last - first));
        ranges.truncate(MAX_HELD_RANGES);
        ranges
    }

    /// Compares what a device holds with what is here. There is room for so many more.
    pub fn compare(&mut self, held: &Held, here: &HashMap<ItemId, u64>, most: usize) -> Findings {
        let mut findings = Findings::default();
        let items = || held.items.iter().take(MAX_HELD_ITEMS);
        // The newest first: when not all have room, they are wanted.
        let mut sorted: Vec<_> = items().filter(|item| self.is_earlier(item.seq)).collect();
        sorted.sort_unstable_by_key(|item| std::cmp::Reverse(item.seq));
        for item in sorted {
            if item.seq <= self.floor || here.get(&item.id).is_some_and(|seq| *seq >= item.seq) {
                continue;
            }
            if self.absent.has(item.id) {
                self.settle_deleted(item.id, Some(item.seq));
                findings.outdated.push(item.id);
                continue;
            }
            match self.wanted.get(&item.id).copied() {
                Some(seq) if seq > item.seq => {}
                None if self.is_known(item.seq) => findings.outdated.push(item.id),
                None if !self.has_room_for(item.seq, most) => self.floor = item.seq,
                _ => {
                    self.wanted.insert(item.id, item.seq);
                    findings.wanted.push(item.id);
                }
            }
        }
        findings.wanted.reverse();
        findings.outdated.truncate(MOST_DELETIONS);
        let holds: HashMap<_, _> = items().map(|item| (item.id, item.seq)).collect();
        for &(first, last) in held.known.iter().take(MAX_HELD_RANGES) {
            self.learn(first, last.min(self.start), &holds, here, &mut findings);
        }
        // The ranges may overlap.
        findings.deleted.sort_unstable();
        findings.deleted.dedup();
        findings.deleted.truncate(MOST_DELETIONS);
        findings
    }

    /// Makes room for one more wanted item. An older one makes way.
    fn has_room_for(&mut self, seq: u64, most: usize) -> bool {
        if self.wanted.len() < most {
            return true;
        }
        let oldest = self.wanted.values().copied().min().filter(|oldest| *oldest < seq);
        if let Some(oldest) = oldest {
            self.drop_to(oldest);
        }
        oldest.is_some()
    }

    /// Takes a range of which the device holds everything that was not deleted.
    fn learn(
        &mut self,
        first: u64,
        last: u64,
        holds: &HashMap<ItemId, u64>,
        here: &HashMap<ItemId, u64>,
        findings: &mut Findings,
    ) {
        if first > last {
            return;
        }
        let is_deleted = |id: ItemId, seq: u64| {
            (first..=last).contains(&seq) && holds.get(&id).is_none_or(|held| *held < seq)
        };
        self.wanted.retain(|id, seq| !is_deleted(*id, *seq));
        let deleted = here.iter().filter(|(id, seq)| is_deleted(**id, **seq));
        findings.deleted.extend(deleted.map(|(id, _)| *id));
        self.add_known(first, last);
    }

    fn is_known(&self, seq: u64) -> bool {
        self.known.iter().any(|(first, last)| (*first..=*last).contains(&seq))
    }

    /// Joins the range with those that it touches.
    fn add_known(&mut self, mut first: u64, mut last: u64) {
        self.known.retain(|&(from, to)| {
            let touches = from <= last.saturating_add(1) && first <= to.saturating_add(1);
            if touches {
                (first, last) = (first.min(from), last.max(to));
            }
            !touches
        });
        self.known.push((first, last));
        // Without room for all of them less is known, and more comes back.
        let shortest = (0..self.known.len()).min_by_key(|at| self.known[*at].1 - self.known[*at].0);
        if let Some(shortest) = shortest.filter(|_| self.known.len() > MAX_HELD_RANGES) {
            self.known.swap_remove(shortest);
        }
        self.has_learnt = true;
    }
}
