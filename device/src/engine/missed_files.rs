//! Which devices wanted what while it was not here, as after a restart of this one (F17).

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::{DeviceId, ItemId};

/// Of so many devices, and so many files of each, is remembered that they were missed. Any other file goes on when its person asks
/// for it again.
const MOST_DEVICES: usize = 100;
const MOST_FILES: usize = 1_000;

#[derive(Debug, Default)]
pub struct MissedFiles(BTreeMap<DeviceId, BTreeSet<ItemId>>);

impl MissedFiles {
    /// A device wants a file that is not here.
    pub fn add(&mut self, device: DeviceId, id: ItemId) {
        if !self.0.contains_key(&device) && self.0.len() >= MOST_DEVICES {
            return;
        }
        let missed = self.0.entry(device).or_default();
        if missed.len() < MOST_FILES {
            missed.insert(id);
        }
    }

    /// It waits for the file no more.
    pub fn remove(&mut self, device: DeviceId, id: ItemId) {
        if let Some(missed) = self.0.get_mut(&device) {
            missed.remove(&id);
        }
    }

    /// The device may no longer be in the beam.
    pub fn forget(&mut self, device: DeviceId) {
        self.0.remove(&device);
    }

    pub fn has(&self, device: DeviceId, id: ItemId) -> bool {
        self.0.get(&device).is_some_and(|missed| missed.contains(&id))
    }

    pub fn of(&self, device: DeviceId) -> Vec<ItemId> {
        self.0.get(&device).into_iter().flatten().copied().collect()
    }
}
