//! The devices that were let in without the link and that nobody has compared (E8). All devices of the beam tell each other of them:
//! who joins by the link later could not know otherwise that such a device has the keys.

use heliograph_shared::ids::DeviceId;

use super::known_devices::keep_last;

/// Whoever is in could tell of any number. One alone says that the beam is not verified.
pub(super) const MOST_UNVERIFIED: usize = 64;
/// Those that people have compared on this device. One that is forgotten is shown as not verified again.
const MOST_COMPARED: usize = 256;

#[derive(Clone, Default)]
pub(super) struct UnverifiedDevices {
    /// Those that this device has let in itself.
    let_in: Vec<DeviceId>,
    /// Those of which others have told.
    told: Vec<DeviceId>,
    compared: Vec<DeviceId>,
}

impl UnverifiedDevices {
    pub(super) fn ids(&self) -> Vec<DeviceId> {
        let mut ids = self.let_in.clone();
        ids.extend(self.told.iter().filter(|device| !self.let_in.contains(device)));
        ids.truncate(MOST_UNVERIFIED);
        ids
    }

    /// Those that this device has let in itself, and those that people have compared at it: both are known here alone.
    pub(super) fn own(&self) -> (&[DeviceId], &[DeviceId]) {
        (&self.let_in, &self.compared)
    }

    /// This device lets one in unasked.
    pub(super) fn add(&mut self, device: DeviceId) {
        if !self.compared.contains(&device) && !self.let_in.contains(&device) {
            self.let_in.insert(0, device);
            self.let_in.truncate(MOST_UNVERIFIED);
        }
    }

    /// Takes what others tell. What a person here has compared stays so. Returns whether any of it is news.
    pub(super) fn merge(&mut self, told: impl IntoIterator<Item = DeviceId>) -> bool {
        let before = self.ids().len();
        for device in told {
            let is_news = !self.told.contains(&device) && !self.compared.contains(&device);
            if self.told.len() < MOST_UNVERIFIED && is_news {
                self.told.push(device);
            }
        }
        self.ids().len() > before
    }

    /// A person at this device has compared them.
    pub(super) fn compare(&mut self, devices: &[DeviceId]) {
        self.compared.retain(|device| !devices.contains(device));
        self.compared.extend(devices);
        keep_last(&mut self.compared, MOST_COMPARED);
        self.drop(devices);
    }

    /// They are compared, or have none of the keys that this device has made.
    pub(super) fn drop(&mut self, devices: &[DeviceId]) {
        self.let_in.retain(|device| !devices.contains(device));
        self.drop_told(devices);
    }

    /// Others tell that these have none of the keys that count. It takes away what others have told, and not what this device knows
    /// itself: one that it has let in could let in another, which tells that.
    pub(super) fn drop_told(&mut self, devices: &[DeviceId]) {
        self.told.retain(|device| !devices.contains(device));
    }
}
