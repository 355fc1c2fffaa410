//! The devices that a person has compared at this one in earlier runs (E8), each with its public key (E15). One is verified again once it
//! is here and has that key.

use std::collections::BTreeMap;

use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::DeviceId;

use super::trust::{TrustBook, TrustState};
use crate::keys::keyring::Keyring;

#[derive(Default)]
pub(super) struct ComparedBefore(BTreeMap<DeviceId, PublicKey>);

impl ComparedBefore {
    pub(super) fn remember(&mut self, compared: Vec<(DeviceId, PublicKey)>) {
        self.0.extend(compared);
    }

    /// Those and the ones that were compared in this run.
    pub(super) fn with_those_of(
        &self,
        trust: &TrustBook,
        ring: &Keyring,
    ) -> Vec<(DeviceId, PublicKey)> {
        let mut all = self.0.clone();
        let compared = trust.devices().filter(|(_, trust)| trust.is_in);
        let compared = compared.filter(|(_, trust)| trust.state == TrustState::Verified);
        all.extend(compared.filter_map(|(device, _)| Some((device, *ring.key_of(device)?))));
        all.into_iter().collect()
    }

    /// Looks which of them are here. Returns those that have another key.
    pub(super) fn look(
        &mut self,
        others: &[DeviceId],
        ring: &mut Keyring,
        trust: &mut TrustBook,
    ) -> Vec<DeviceId> {
        let mut changed = Vec::new();
        for device in others {
            let (Some(before), Some(now)) = (self.0.get(device), ring.key_of(*device)) else {
                continue;
            };
            if before != now {
                changed.push(*device);
            } else if trust.compared_before(*device) {
                ring.compared(&[*device]);
            }
        }
        for device in &changed {
            self.forget(*device, trust);
        }
        changed
    }

    /// The device has another key: what was compared says nothing of it.
    pub(super) fn forget(&mut self, device: DeviceId, trust: &mut TrustBook) {
        self.0.remove(&device);
        trust.has_other_key(device);
    }
}
