//! Which devices came without the link, and whether people have compared what both show (E8).

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::DeviceId;

use crate::keys::signs::Signs;

/// How a device that came without the link stands to this one, or this one to a device by which it wants to come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// It waits until a person here lets it in.
    Asking,
    /// The person here did not let it in. It may still be in the list of devices.
    Refused,
    /// Nobody here has compared the pictures.
    Unverified,
    /// The person here has compared them.
    Verified,
}

/// What is known of a device. One that came by the link has none: it has proved to have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    /// The four pictures that both devices show; `None` where only others could compare that device.
    pub signs: Option<Signs>,
    /// How it stands.
    pub state: TrustState,
    /// Whether one of the two has let the other in. Then only a person makes it verified.
    pub is_in: bool,
}

/// Why a device does not compare itself with this one for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnedAway {
    /// Its person has refused this one.
    Person,
    /// It was asked too often. It is asked again within ten minutes.
    Locked,
}

/// What is known of all devices.
#[derive(Default)]
pub struct TrustBook {
    devices: BTreeMap<DeviceId, Trust>,
    turned_away: BTreeMap<DeviceId, TurnedAway>,
    /// Those that were compared, and have another key since.
    other_keys: BTreeSet<DeviceId>,
    /// Those of which something else is known since it was told last.
    changed: BTreeSet<DeviceId>,
}

impl TrustBook {
    /// What is known of a device; `None` where it came by the link, or has nothing to be compared.
    #[must_use]
    pub fn of(&self, device: DeviceId) -> Option<&Trust> {
        self.devices.get(&device)
    }

    /// All devices of which something is known.
    pub fn devices(&self) -> impl Iterator<Item = (DeviceId, &Trust)> {
        self.devices.iter().map(|(device, trust)| (*device, trust))
    }

    /// Why a device turns this one away; `None` where it does not.
    #[must_use]
    pub fn turned_away_by(&self, device: DeviceId) -> Option<TurnedAway> {
        self.turned_away.get(&device).copied()
    }

    /// `None`: the device needs none any more. What a device that is in says later takes nothing back: the server can speak in its name.
    pub(super) fn learn(&mut self, device: DeviceId, trust: Option<Trust>) {
        let before = self.of(device).copied().filter(|before| before.is_in);
        let next = match (before, trust) {
            (None, trust) => trust,
            (Some(before), None | Some(Trust { state: TrustState::Refused, .. })) => {
                let is_asking = before.state == TrustState::Asking;
                let state = if is_asking { TrustState::Unverified } else { before.state };
                Some(Trust { state, ..before })
            }
            (Some(_), Some(trust)) => Some(Trust { is_in: true, ..trust }),
        };
        self.set(device, next);
    }

    /// The device has let this one in, and both have shown these. What a person has compared before counts, where it was that.
    pub(super) fn let_in_by(&mut self, device: DeviceId, signs: Signs) {
        let is_verified = self
            .of(device)
            .is_some_and(|known| known.state == TrustState::Verified && known.signs == Some(signs));
        let state = if is_verified { TrustState::Verified } else { TrustState::Unverified };
        self.set(device, Some(Trust { signs: Some(signs), state, is_in: true }));
    }

    /// The person has compared these with what the device shows. Returns whether it still shows them.
    pub(super) fn confirm(&mut self, device: DeviceId, signs: Signs) -> bool {
        let known = self.of(device).copied().filter(|known| known.signs == Some(signs));
        if let Some(known) = known {
            self.set(device, Some(Trust { state: TrustState::Verified, ..known }));
        }
        known.is_some()
    }

    /// The person has compared a device in an earlier run. Returns whether that is news. It is not believed as long as a device is not
    /// compared that this one came in by: who stands between them could make all others up.
    pub(super) fn compared_before(&mut self, device: DeviceId) -> bool {
        let is_open =
            |one: &Trust| one.is_in && one.signs.is_some() && one.state == TrustState::Unverified;
        let is_told = |one: &Trust| one.signs.is_none() && one.state == TrustState::Unverified;
        if self.devices.values().any(is_open) || !self.of(device).is_none_or(is_told) {
            return false;
        }
        let state = TrustState::Verified;
        self.set(device, Some(Trust { signs: None, state, is_in: true }));
        true
    }

    /// A device that the person has compared has another key now.
    pub(super) fn has_other_key(&mut self, device: DeviceId) {
        self.other_keys.insert(device);
        let state = TrustState::Unverified;
        self.set(device, Some(Trust { signs: None, state, is_in: true }));
    }

    /// All other devices that nobody has compared, as the devices of the beam tell each other. What this device knows of one itself
    /// counts before what it is told; of one that it has refused, that others have let it in.
    pub(super) fn told(&mut self, told: &[DeviceId]) {
        for (device, known) in self.devices.clone() {
            let is_told = told.contains(&device);
            let is_own = match known.state {
                TrustState::Refused => !is_told,
                TrustState::Verified => true,
                _ => known.signs.is_some() || is_told || self.other_keys.contains(&device),
            };
            if !is_own {
                self.set(device, None);
            }
        }
        for device in told {
            if !self.devices.contains_key(device) {
                let unverified = Trust { signs: None, state: TrustState::Unverified, is_in: true };
                self.set(*device, Some(unverified));
            }
        }
    }

    /// `None` once this device begins again with it, or it has left.
    pub(super) fn turn_away(&mut self, device: DeviceId, why: Option<TurnedAway>) {
        let before = match why {
            Some(why) => self.turned_away.insert(device, why),
            None => self.turned_away.remove(&device),
        };
        if before != why {
            self.changed.insert(device);
        }
    }

    fn set(&mut self, device: DeviceId, trust: Option<Trust>) {
        let before = match trust {
            Some(trust) => self.devices.insert(device, trust),
            None => self.devices.remove(&device),
        };
        if before != trust {
            self.changed.insert(device);
        }
    }

    /// The devices of which something else is known since this was asked last.
    pub(super) fn take_changed(&mut self) -> BTreeSet<DeviceId> {
        std::mem::take(&mut self.changed)
    }
}
