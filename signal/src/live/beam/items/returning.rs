//! Items of earlier memories come back from the devices (S28).

use std::cell::OnceCell;
use std::collections::HashMap;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::{MAX_LIVE_ITEMS, MAX_NOTES};
use heliograph_shared::socket::{Held, LiveItem};

use super::{Items, Keeping, Kept, Shared};
use crate::live::beam::earlier::Earlier;
use crate::live::beam::recovery::Findings;

impl Items {
    /// Compares what a device holds of earlier memories with what is here.
    pub fn compare(&mut self, held: &Held) -> Findings {
        let here: HashMap<_, _> =
            self.kept.iter().map(|kept| (kept.item.id, kept.item.seq)).collect();
        let most = match self.keeping {
            Keeping::Newest => MAX_LIVE_ITEMS,
            Keeping::All => MAX_NOTES.saturating_sub(here.len()),
        };
        let mut findings = self.recovery.compare(held, &here, most);
        if self.reserve(0, 0).is_err() {
            self.recovery.give_up();
            findings.wanted.clear();
        }
        self.recovery.count_lacking(held, &here);
        findings
    }

    /// Whether a device was asked for this item, and its place is free. What a newer version has replaced is wanted no
    /// more.
    pub fn wants(&mut self, item: &LiveItem) -> bool {
        if !self.recovery.wants(item.id, item.seq) {
            return false;
        }
        let newer = self.find(item.id).is_some_and(|(here, _)| here.seq > item.seq);
        let place = self.place_of(item.seq);
        let is_taken = self.kept.get(place).is_some_and(|kept| kept.item.seq == item.seq);
        if newer || is_taken {
            self.recovery.settle(item.id);
        }
        !newer && !is_taken
    }

    /// Takes back a wanted item of an earlier memory: with its number, and so in its old place.
    pub fn restore(&mut self, item: LiveItem) -> Shared {
        self.recovery.settle(item.id);
        let old = self.position(item.id).and_then(|at| self.remove(at));
        let place = self.place_of(item.seq);
        let author = old.as_ref().and_then(|old| old.author);
        let kept = Kept { item: item.clone(), author, digest: OnceCell::new() };
        self.bytes += kept.bytes();
        self.revision += 1;
        self.kept.insert(place, kept);
        self.make_room();
        match old {
            Some(old) => Shared::Replaced { old: old.item.message, new: item },
            None => Shared::New(item),
        }
    }

    /// An item was deleted that is not here. It may be on its way back.
    pub fn delete_absent(&mut self, id: ItemId, proof: Option<&str>) {
        self.recovery.delete_absent(id, proof);
        if self.reserve(0, 0).is_err() {
            self.recovery.forget_absent();
        }
    }

    /// Whether an item that a device brings back was deleted, and is not here.
    pub fn was_deleted(&self, item: &LiveItem) -> bool {
        self.position(item.id).is_none() && self.recovery.was_deleted(item.id, item.seq)
    }

    /// What proves the deletion of an item that was not here.
    pub fn proof(&self, id: ItemId) -> Option<&String> {
        self.recovery.proof(id)
    }

    /// There is no room for a wanted item, nor for older ones: they stay where they are.
    pub fn give_up(&mut self, item: &LiveItem) {
        self.recovery.drop_to(item.seq);
    }

    /// What the tables are to know of items that they lack.
    pub fn earlier(&self) -> Earlier {
        Earlier { let_go: self.let_go, known: self.recovery.learnt() }
    }

    /// Whether that may differ from what was stored last.
    pub fn has_learnt(&self) -> bool {
        self.recovery.has_learnt
    }

    /// What [`Items::earlier`] told is being stored, or it could not be.
    pub fn set_learnt(&mut self, has_learnt: bool) {
        self.recovery.has_learnt = has_learnt;
    }

    fn place_of(&self, seq: u64) -> usize {
        self.kept.partition_point(|kept| kept.item.seq < seq)
    }
}
