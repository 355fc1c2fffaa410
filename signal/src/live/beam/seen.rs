//! The devices that joined a beam recently. Only these can be removed from it (S25).

use std::collections::VecDeque;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::MAX_REMOVED_DEVICES;

/// The most recent devices, bounded by the number that can be removed.
#[derive(Debug, Default)]
pub(super) struct Seen(VecDeque<DeviceId>);

impl Seen {
    pub fn add(&mut self, device: DeviceId) {
        self.0.retain(|seen| *seen != device);
        if self.0.len() >= MAX_REMOVED_DEVICES {
            self.0.pop_front();
        }
        self.0.push_back(device);
    }

    pub fn contains(&self, device: DeviceId) -> bool {
        self.0.contains(&device)
    }
}
