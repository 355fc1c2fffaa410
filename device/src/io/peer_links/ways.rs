//! By which of two kinds of link a device is connected to (L7).

use std::collections::BTreeSet;

use heliograph_shared::ids::DeviceId;
use serde_json::Value;

use super::attempt::Slot;
use crate::io::direct_link::LinkKind;

/// The kinds of link to each device.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// Devices that have QUIC.
    quic: Vec<DeviceId>,
    /// Those of them to which the last link was one of QUIC, in the first place, and has ended.
    failed: BTreeSet<DeviceId>,
}

impl Ways {
    pub(super) fn set(&mut self, quic: Vec<DeviceId>) {
        self.failed.retain(|device| quic.contains(device));
        self.quic = quic;
    }

    /// The kind of the next link. All of a bundle are tried alike.
    pub(super) fn kind(&self, slot: Slot) -> LinkKind {
        let is_quic = self.quic.contains(&slot.device) && !self.failed.contains(&slot.device);
        if is_quic { LinkKind::Quic } else { LinkKind::WebRtc }
    }

    /// A link has ended, or could not be made. The next is of the other kind.
    pub(super) fn ended(&mut self, Slot { device, place }: Slot, kind: LinkKind) {
        match kind {
            // One that is not here has not failed.
            LinkKind::Quic if place == 0 && self.quic.contains(&device) => {
                self.failed.insert(device);
            }
            LinkKind::WebRtc if place == 0 => {
                self.failed.remove(&device);
            }
            _ => {}
        }
    }

    /// What has failed may work over another network.
    pub(super) fn forget(&mut self) {
        self.failed.clear();
    }

    /// The kind of an offer; `None` where the two devices do not both have it.
    pub(super) fn offered(&self, from: DeviceId, signal: &Value) -> Option<LinkKind> {
        if signal.get("quic").is_none() {
            return Some(LinkKind::WebRtc);
        }
        self.quic.contains(&from).then_some(LinkKind::Quic)
    }
}
