//! One memory of a beam: its items in their order, and what devices have shown to be empty.

use std::collections::BTreeMap;

use super::item::{Device, Item};

/// Items that stay here when older ones are forgotten: four times what the server keeps of an unsaved beam (S17).
const KEPT: usize = 2_048;

/// A memory of the server.
#[derive(Debug, Default)]
pub struct Era {
    /// Its name on the wire (S11).
    pub epoch: String,
    /// The first number that it may have given. What comes below it was brought back by devices (S28).
    pub start: u64,
    /// The highest number that its sender knows of.
    pub acknowledged: Option<u64>,
    order: BTreeMap<u64, Item>,
    /// Between a number and the next one that a device got, there is nothing: the next one, and who says so.
    gaps: BTreeMap<u64, (u64, Device)>,
}

impl Era {
    pub fn new(epoch: &str, oldest: u64) -> Self {
        Self { epoch: epoch.to_owned(), start: oldest, ..Self::default() }
    }

    pub fn at(&self, seq: u64) -> Option<Item> {
        self.order.get(&seq).copied()
    }

    /// The first item after a number.
    pub fn after(&self, seq: u64) -> Option<Item> {
        self.order.range(seq + 1..).next().map(|(_, item)| *item)
    }

    /// How many items lie from this number on.
    pub fn count_from(&self, seq: u64) -> usize {
        self.order.range(seq..).count()
    }

    /// Places an item. Returns the device that has shown that nothing is there.
    pub fn insert(&mut self, seq: u64, item: Item) -> Option<Device> {
        self.order.insert(seq, item);
        let (_, (end, device)) = self.gaps.range(..seq).next_back()?;
        (*end > seq).then_some(*device)
    }

    /// A device got one number right after the other. Returns what it has missed.
    pub fn follows(&mut self, before: u64, seq: u64, device: Device) -> Vec<(u64, Item)> {
        if before >= seq {
            return Vec::new();
        }
        let missed: Vec<_> =
            self.order.range(before + 1..seq).map(|(seq, item)| (*seq, *item)).collect();
        if missed.is_empty() {
            let gap = self.gaps.entry(before).or_insert((seq, device));
            if gap.0 < seq {
                *gap = (seq, device);
            }
        }
        missed
    }

    /// Forgets what no device here can get any more: it keeps the newest items, and what devices have yet to get after
    /// `reached`. Returns the first number that it still has.
    pub fn prune(&mut self, reached: u64) -> Option<u64> {
        if self.order.len() < 2 * KEPT {
            return None;
        }
        let (newest, _) = self.order.iter().rev().nth(KEPT)?;
        let first = (*newest).min(reached);
        self.order = self.order.split_off(&first);
        self.gaps = self.gaps.split_off(&first);
        Some(first)
    }
}
