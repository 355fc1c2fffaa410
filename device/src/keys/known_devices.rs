//! The devices of a beam: the public keys of those that are in, and which were removed.

use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::DeviceId;

/// Removed devices that are remembered: as many as the server does (S25).
const MOST_REMOVED: usize = 1_000;
/// As many as are here (S17), and as many again that are away.
const MOST_DEVICES: usize = 200;

#[derive(Clone, Default)]
pub(super) struct KnownDevices {
    /// Those that were heard of last at the end.
    keys: Vec<(DeviceId, PublicKey)>,
    gone: Vec<DeviceId>,
}

impl KnownDevices {
    pub(super) fn keys(&self) -> &[(DeviceId, PublicKey)] {
        &self.keys
    }

    /// Those that were removed. One that was is never handed anything again.
    pub(super) fn gone(&self) -> &[DeviceId] {
        &self.gone
    }

    pub(super) fn is_removed(&self, device: DeviceId) -> bool {
        self.gone.contains(&device)
    }

    /// Whether a device is said to be removed that is here, and was not.
    pub(super) fn is_contradicted_by(&self, removed: DeviceId, here: &[DeviceId]) -> bool {
        here.contains(&removed) && !self.is_removed(removed)
    }

    /// `None` where the key of a device is not known, or the device was removed.
    pub(super) fn key_of(&self, device: DeviceId) -> Option<&PublicKey> {
        self.keys.iter().find(|(id, _)| *id == device).map(|(_, key)| key)
    }

    /// A device has said its public key. The first one counts: a device that is in could say one of its own in the name of another,
    /// and would be handed keys after its removal. Returns whether that is news.
    pub(super) fn learn(&mut self, device: DeviceId, key: PublicKey) -> bool {
        if self.is_removed(device) || self.key_of(device).is_some() {
            return false;
        }
        self.keys.push((device, key));
        keep_last(&mut self.keys, MOST_DEVICES);
        true
    }

    /// What this device knows counts before what it is told.
    pub(super) fn merge(&mut self, told: &[(DeviceId, PublicKey)], removed: &[DeviceId]) {
        let fresh = told.iter().filter(|(id, _)| self.key_of(*id).is_none()).copied();
        self.keys = fresh.chain(self.keys.iter().copied()).collect();
        keep_last(&mut self.keys, MOST_DEVICES);
        self.forget(removed);
    }

    /// The devices were removed.
    pub(super) fn forget(&mut self, removed: &[DeviceId]) {
        for device in removed {
            if !self.is_removed(*device) {
                self.gone.push(*device);
            }
        }
        keep_last(&mut self.gone, MOST_REMOVED);
        let gone = &self.gone;
        self.keys.retain(|(id, _)| !gone.contains(id));
    }
}

pub(super) fn keep_last<T>(list: &mut Vec<T>, most: usize) {
    list.drain(..list.len().saturating_sub(most));
}
