//! Tells other devices which pieces this device can give of a file that it receives or has received (F20, F21). They want them as
//! they want those of the device that shared the file.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::IncomingFile;
use super::incoming::Incoming;
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::frames::ControlFrame;

/// Smaller files are not passed on: they are over before the others know who has what, and of hundreds that come together every
/// device would tell every other.
const LEAST_BYTES: u64 = 4 * 1024 * 1024;
/// Devices that are told about one file. The bandwidth of so many is enough for any number of others.
const MOST_TOLD: usize = 64;
/// Ranges in one `have`: within the smallest frame that a device takes (F8).
const MOST_RANGES: usize = 4_000;

/// Whether a file may be given to others at all (F20).
pub const fn is_passed_on(file: &IncomingFile) -> bool {
    file.size.bytes() >= LEAST_BYTES && !file.is_private
}

/// What becomes of a file that others may want of this device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Passed(ItemId),
    Withdrawn(ItemId),
}

#[derive(Debug, Default)]
pub struct PassingOn {
    /// The devices that receive each file or have it, and the pieces that each was told of.
    files: BTreeMap<ItemId, BTreeMap<DeviceId, ChunkSet>>,
    /// Whether this device may not give: it may be on its battery, or its person does not want it (F21).
    is_forbidden: bool,
    changes: Vec<Change>,
}

impl PassingOn {
    pub fn allow(&mut self, is_allowed: bool) {
        if self.is_forbidden != is_allowed {
            return;
        }
        self.is_forbidden = !is_allowed;
        let change = if is_allowed { Change::Passed } else { Change::Withdrawn };
        self.changes.extend(self.files.keys().copied().map(change));
        // Once it is allowed again, they are told anew.
        for known in self.files.values_mut().flat_map(BTreeMap::values_mut) {
            *known = ChunkSet::default();
        }
    }

    /// What has changed since this was called last.
    pub fn changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// A file is here, or begins to be received. Where it goes on after a pause, those who are told of it, and get it, notice nothing.
    pub fn add(&mut self, id: ItemId) {
        if let Entry::Vacant(vacant) = self.files.entry(id) {
            vacant.insert(BTreeMap::new());
            if !self.is_forbidden {
                self.changes.push(Change::Passed(id));
            }
        }
    }

    /// The file can be passed on no more.
    pub fn remove(&mut self, id: ItemId) {
        if self.files.remove(&id).is_some() {
            self.changes.push(Change::Withdrawn(id));
        }
    }

    /// A device receives a file or has it. `is_new`: it has only just begun, or begins anew, and knows nothing of what is here.
    pub fn heard(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        incoming: &Incoming,
        is_new: bool,
    ) {
        let Some(told) = self.files.get_mut(&incoming.id) else { return };
        let is_known = told.contains_key(&device);
        if (is_known && !is_new) || (!is_known && told.len() >= MOST_TOLD) {
            return;
        }
        told.insert(device, ChunkSet::default());
        // It has to know of this device, which may have begun later.
        if !is_known {
            announce(context, device, incoming.id);
        }
        self.tell(context, device, incoming);
    }

    fn tell(&mut self, context: &mut Context, device: DeviceId, incoming: &Incoming) {
        let told = self.files.get_mut(&incoming.id);
        let Some(known) = told.and_then(|told| told.get_mut(&device)) else { return };
        let Some(pieces) = incoming.pieces().filter(|_| !self.is_forbidden) else { return };
        let fresh = pieces.ranges().flat_map(|range| known.missing(range));
        let pieces: Vec<ChunkRange> = fresh.take(MOST_RANGES).collect();
        let have = ControlFrame::Have { transfer: incoming.id, pieces: pieces.clone() };
        if !pieces.is_empty() && context.say(device, &have) {
            for range in pieces {
                known.add(range);
            }
        }
    }

    /// Tells the devices what is here since the last look. Called several times a second while anything moves.
    pub fn look(&mut self, context: &mut Context, files: &BTreeMap<ItemId, Incoming>) {
        let ids: Vec<_> = self.files.keys().copied().collect();
        for incoming in ids.iter().filter_map(|id| files.get(id)) {
            let told = self.files.get(&incoming.id).into_iter().flatten();
            let devices: Vec<_> = told.map(|(device, _)| *device).collect();
            for device in devices {
                if context.is_here(device) {
                    self.tell(context, device, incoming);
                }
            }
        }
    }

    /// Forgets a device that left.
    pub fn left(&mut self, device: DeviceId) {
        for told in self.files.values_mut() {
            told.remove(&device);
        }
    }
}

/// Tells a device that this one receives a file. If it does too, or has the file, it says which pieces it has.
pub fn announce(context: &mut Context, device: DeviceId, transfer: ItemId) {
    context.say(device, &ControlFrame::Have { transfer, pieces: Vec::new() });
}
