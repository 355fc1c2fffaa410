//! The devices that were let in without the link and that nobody has compared (E8). All devices of the beam tell each other of them:
//! who joins by the link later could not know otherwise that such a device has the keys.

use heliograph_shared::ids::DeviceId;

/// Whoever is in could tell of any number. One alone says that the beam is not verified.
pub(super) const MOST_UNVERIFIED: usize = 64;

#[derive(Clone, Default)]
pub(super) struct UnverifiedDevices {
    told: Vec<DeviceId>,
}

impl UnverifiedDevices {
    pub(super) fn ids(&self) -> &[DeviceId] {
        &self.told
    }

    /// Takes what others tell. Returns whether any of it is news.
    pub(super) fn merge(&mut self, told: impl IntoIterator<Item = DeviceId>) -> bool {
        let before = self.told.len();
        for device in told {
            if self.told.len() < MOST_UNVERIFIED && !self.told.contains(&device) {
                self.told.push(device);
            }
        }
        self.told.len() > before
    }

    /// They have none of the keys that count.
    pub(super) fn drop(&mut self, devices: &[DeviceId]) {
        self.told.retain(|device| !devices.contains(device));
    }
}
