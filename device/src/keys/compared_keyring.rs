//! What people have compared of the devices that have the keys of a beam (E8).

use heliograph_shared::ids::DeviceId;

use super::keyring::Keyring;

impl Keyring {
    /// The devices that were let in without the link and that nobody has compared.
    #[must_use]
    pub fn unverified(&self) -> Vec<DeviceId> {
        self.unverified.ids()
    }

    /// A person at this device has compared these (E8).
    pub fn compared(&mut self, devices: &[DeviceId]) {
        self.unverified.compare(devices);
    }

    /// This device lets one in that nobody has compared.
    pub(super) fn lets_in_unasked(&mut self, device: DeviceId) {
        self.unverified.add(device);
    }

    /// Whether a device was ever let in besides the one that made the beam, as far as is known.
    #[must_use]
    pub const fn has_let_in(&self) -> bool {
        self.has_let_in
    }
}
