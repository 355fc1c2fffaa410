//! What this device knows of a beam's items, so that it can bring them back after the server has lost them (S28). An item that is not
//! known because it was deleted differs from one that this device has never seen: within the `known` ranges of numbers, every item that
//! was not deleted is here.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::ItemId;
use heliograph_shared::json::Json;
use heliograph_shared::limits::{MAX_HELD_ITEMS, MAX_HELD_RANGES};
use heliograph_shared::socket::{Held, HeldItem, LiveItem};

use super::item::{ContentHash, envelope_of};

/// Most deletions to remember, the latest.
const MOST_DELETED: usize = 5_000;

/// An item, with the hash of its content, which is made once.
struct Known {
    item: LiveItem,
    content: ContentHash,
}

#[derive(Default)]
pub(super) struct BeamMemory {
    items: BTreeMap<ItemId, Known>,
    /// The numbers of those that are for one device alone, in the server's present memory (S33). They are none of the others' business, so
    /// they are not brought back.
    addressed: BTreeMap<ItemId, u64>,
    /// Those that the server has given, and has not deleted.
    given: BTreeSet<ItemId>,
    /// Sealed items that the server has deleted, though no device of the beam is known to have done so (E4). They stay here.
    doubted: BTreeSet<ItemId>,
    /// In the order in which they were deleted.
    deleted: Vec<ItemId>,
    /// Both ends included, in the order in which they became known. None touches another.
    known: Vec<(u64, u64)>,
    /// The name of the server's present memory.
    epoch: String,
    /// Its first number; `None` before it was told.
    oldest: Option<u64>,
}

impl BeamMemory {
    /// The server has sent all its items.
    pub(super) fn synced(&mut self, epoch: &str, oldest: u64, items: &[LiveItem]) {
        // With its memory, the server has lost what is for one device: it stays here.
        if self.epoch != epoch {
            epoch.clone_into(&mut self.epoch);
            self.addressed.clear();
        }
        let there: BTreeSet<ItemId> = items.iter().map(|item| item.id).collect();
        // In the same memory of the server, what it lacks was deleted.
        let is_lacking = |item: &&LiveItem| {
            item.seq >= oldest && !there.contains(&item.id) && !self.doubted.contains(&item.id)
        };
        let known = self.items.values().map(|known| &known.item);
        let lacking = known.filter(is_lacking).map(|item| item.id);
        let addressed = self.addressed.iter();
        let gone = addressed.filter(|(id, seq)| **seq >= oldest && !there.contains(id));
        for id in lacking.chain(gone.map(|(id, _)| *id)).collect::<Vec<_>>() {
            self.delete(id);
        }
        for item in items {
            self.put(item);
        }
        self.given = there;
        self.oldest = Some(oldest);
        self.learn(oldest, items.iter().map(|item| item.seq).max());
    }

    /// The server has sent an item, and everything before it.
    pub(super) fn received(&mut self, item: &LiveItem) {
        self.put(item);
        self.given.insert(item.id);
        if let Some(oldest) = self.oldest {
            self.learn(oldest, Some(item.seq));
        }
    }

    /// This device deletes an item.
    pub(super) fn deleted(&mut self, id: ItemId) {
        self.delete(id);
    }

    /// The server has deleted items. What is sealed stays here until it is known that the deletion counts (E4).
    pub(super) fn taken(&mut self, named: &[ItemId]) {
        for one in named.iter().copied() {
            self.given.remove(&one);
            let is_sealed = |known: &Known| envelope_of(&known.item.message).is_some();
            if self.items.get(&one).is_some_and(is_sealed) {
                self.doubted.insert(one);
            } else {
                self.delete(one);
            }
        }
    }

    /// The deletion counts of an item, unless the server has it again.
    pub(super) fn confirmed(&mut self, id: ItemId) {
        if self.doubted.contains(&id) {
            self.delete(id);
        }
    }

    /// Without an id, an item is named by its content (S10).
    pub(super) fn named(&self, id: Option<ItemId>, message: &Json) -> Vec<ItemId> {
        if let Some(id) = id {
            return vec![id];
        }
        let content = ContentHash::of(message);
        let items = self.items.iter().filter(|(_, known)| known.content == content);
        items.map(|(id, _)| *id).collect()
    }

    /// Whether the item was deleted, as far as is known.
    pub(super) fn is_deleted(&self, id: ItemId) -> bool {
        self.deleted.contains(&id)
    }

    pub(super) fn find(&self, id: ItemId) -> Option<&LiveItem> {
        self.items.get(&id).map(|known| &known.item)
    }

    /// What the server has given and not deleted, for everybody, the oldest first.
    pub(super) fn given(&self) -> Vec<&LiveItem> {
        let mut given: Vec<_> = self.given.iter().filter_map(|id| self.find(*id)).collect();
        given.sort_by_key(|item| item.seq);
        given
    }

    /// What the server may lack: the items below its first number, without those that are being deleted. `None` when nothing is known of
    /// such.
    pub(super) fn held(&mut self, deletions: &[ItemId]) -> Option<Held> {
        for id in deletions {
            self.delete(*id);
        }
        let oldest = self.oldest?;
        let older = self.items.values().map(|known| &known.item);
        let older = older.filter(|item| item.seq < oldest);
        let mut items: Vec<HeldItem> =
            older.map(|item| HeldItem { id: item.id, seq: item.seq }).collect();
        items.sort_by_key(|item| item.seq);
        items.drain(..items.len().saturating_sub(MAX_HELD_ITEMS));
        // Of a list that is cut off, only the part that it covers may be called complete.
        let is_cut = items.len() == MAX_HELD_ITEMS;
        let first = items.first().filter(|_| is_cut).map_or(0, |item| item.seq);
        let last = oldest.saturating_sub(1);
        let known = self.known.iter().map(|(from, to)| ((*from).max(first), (*to).min(last)));
        let known: Vec<_> = known.filter(|(from, to)| from <= to).collect();
        let is_empty = known.is_empty() && items.is_empty();
        (!is_empty).then_some(Held { known, items })
    }

    fn put(&mut self, item: &LiveItem) {
        self.deleted.retain(|id| *id != item.id);
        self.doubted.remove(&item.id);
        if item.to.is_none() {
            let content = ContentHash::of(&item.message);
            self.items.insert(item.id, Known { item: item.clone(), content });
        } else {
            self.addressed.insert(item.id, item.seq);
        }
    }

    fn delete(&mut self, id: ItemId) {
        self.items.remove(&id);
        self.addressed.remove(&id);
        self.doubted.remove(&id);
        self.deleted.retain(|one| *one != id);
        self.deleted.push(id);
        self.deleted.drain(..self.deleted.len().saturating_sub(MOST_DELETED));
    }

    /// Everything from a number of the server's present memory up to another one is known.
    fn learn(&mut self, first: u64, last: Option<u64>) {
        let Some(last) = last.filter(|last| *last >= first) else { return };
        let mut range = (first, last);
        self.known.retain(|(from, to)| {
            let touches = *from <= range.1.saturating_add(1) && range.0 <= to.saturating_add(1);
            if touches {
                range = ((*from).min(range.0), (*to).max(range.1));
            }
            !touches
        });
        self.known.push(range);
        self.known.drain(..self.known.len().saturating_sub(MAX_HELD_RANGES));
    }
}
