//! Keeps the keys of a sealed beam the same on all devices that are in, when one of them changes the keys (E15), and knows the names
//! that devices have said.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::device::Device;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::MAX_DEVICE_NAME;
use heliograph_shared::names::clean;

use super::moment::Moment;
use crate::keys::handing_over::HandingOver;
use crate::keys::keyring::Keyring;
use crate::keys::way_in::{SealedMessage, Text, WayIn};

#[derive(Default)]
pub(super) struct KeyChanges {
    handing: HandingOver,
    /// The devices that this one has told its public key and its name, with the keys of now and over the socket of now.
    told: BTreeSet<DeviceId>,
    /// What the devices that are here have called themselves.
    names: BTreeMap<DeviceId, String>,
    others: Vec<DeviceId>,
}

/// What has come of what a device tells of itself.
#[derive(Clone, Copy)]
pub(super) struct Heard {
    /// Whether its name is news.
    pub(super) is_named: bool,
    /// Whether it has the key that seals.
    pub(super) is_in: bool,
    /// Whether it says another public key than counts.
    pub(super) has_other_key: bool,
}

/// The two ends of what is said between devices.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) from: DeviceId,
    pub(super) me: DeviceId,
}

impl KeyChanges {
    /// The socket is new: what was told over the old one may be lost.
    pub(super) fn welcomed(&mut self) {
        self.told.clear();
    }

    pub(super) fn listed(&mut self, others: &[DeviceId]) {
        self.told.retain(|device| others.contains(device));
        self.names.retain(|device, _| others.contains(device));
        self.others = others.to_vec();
    }

    /// Gives each device the name that it has said itself. That which the server says counts no more then.
    pub(super) fn name(&self, devices: &mut [Device]) {
        for device in devices {
            if let Some(name) = self.names.get(&device.device_id) {
                device.name.clone_from(name);
            }
        }
    }

    /// Whether this device is in may have changed, or who is here.
    pub(super) fn look(
        &mut self,
        ring: &mut Keyring,
        me: DeviceId,
        name: &str,
        moment: &mut Moment<'_>,
    ) {
        if !ring.is_keyed() {
            return;
        }
        for device in self.others.clone() {
            if !self.told.contains(&device) {
                self.introduce(ring, me, device, (name, false), moment);
            }
        }
    }

    /// Tells all others this device's key and name again: those that have other keys hand theirs over, or are handed these.
    pub(super) fn again(&mut self) {
        self.told.clear();
    }

    fn introduce(
        &mut self,
        ring: &mut Keyring,
        me: DeviceId,
        to: DeviceId,
        (name, is_answer): (&str, bool),
        moment: &mut Moment<'_>,
    ) {
        self.told.insert(to);
        let has_yours = self.names.contains_key(&to);
        if let Some(sealed) = HandingOver::introduce(ring, me, to, name, has_yours) {
            moment.out.way(to, &WayIn::Device { sealed: Text(sealed), is_answer });
        }
    }

    /// A device tells its key and its name.
    pub(super) fn introduced(
        &mut self,
        ring: &mut Keyring,
        ends: Ends,
        (envelope, is_answer): (&str, bool),
        name: &str,
        moment: &mut Moment<'_>,
    ) -> Heard {
        let Ends { from, me } = ends;
        let said = self.handing.introduced(ring, from, me, envelope, moment.now, moment.random);
        // It comes from another device, which may be of another version.
        let shown = said.name.map(|name| clean(&name, MAX_DEVICE_NAME)).unwrap_or_default();
        let is_named = !shown.is_empty() && self.names.get(&from) != Some(&shown);
        if is_named {
            self.names.insert(from, shown);
        }
        if let Some(keys) = said.keys {
            moment.out.way(from, &WayIn::Keys(keys));
        }
        // An answer is not answered, or two devices that know nothing of each other's keys would go on for ever.
        if said.is_asking && !is_answer {
            self.introduce(ring, me, from, (name, true), moment);
        }
        Heard { is_named, is_in: said.is_in, has_other_key: said.other_key.is_some() }
    }

    /// A device hands over what it has. `here` are all that are here. Returns whether anything was taken.
    pub(super) fn handed(
        &mut self,
        ring: &mut Keyring,
        ends: Ends,
        message: &SealedMessage,
        here: &[DeviceId],
        moment: &mut Moment<'_>,
    ) -> bool {
        let before = ring.newest();
        let Ends { from, me } = ends;
        let is_taken =
            HandingOver::handed(ring, from, me, message, here, moment.now, moment.random);
        if ring.newest() != before {
            self.again();
        }
        is_taken
    }
}
