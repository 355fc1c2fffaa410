//! The files that this device offers, each with its transfers.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::{DeviceId, ItemId};

use super::contract::ReadOf;
use super::offered_file::OfferedFile;
use super::outgoing::{Outgoing, State};

/// A device's question for hashes that is being answered (F19).
#[derive(Debug)]
pub struct Asking {
    /// The first piece of the question, and the one behind its last.
    pub first: u32,
    pub end: u32,
    /// How many more pieces may be read for it.
    pub left: u32,
}

pub struct Offer {
    pub file: OfferedFile,
    /// The transfer to each device. A device that wants the file again after an end begins a new one.
    pub to: BTreeMap<DeviceId, Outgoing>,
    /// Whether its person has paused it for all, also for those that have not wanted any of it yet (F18).
    pub is_paused: bool,
    /// The devices for which its person has cancelled it before they wanted any of it: they may wait for its turn, or have wanted it
    /// of an earlier run.
    pub refused: BTreeSet<DeviceId>,
    /// Those for which they have paused it before: it was so in an earlier run.
    pub paused_for: BTreeSet<DeviceId>,
    pub asking: BTreeMap<DeviceId, Asking>,
}

impl Offer {
    pub const fn new(file: OfferedFile) -> Self {
        Self {
            file,
            to: BTreeMap::new(),
            is_paused: false,
            refused: BTreeSet::new(),
            paused_for: BTreeSet::new(),
            asking: BTreeMap::new(),
        }
    }

    /// Whether this device has shared it. What it passes on is not reported.
    pub const fn is_own(&self) -> bool {
        matches!(self.file.of, ReadOf::Offered(_))
    }
}

pub type Offers = BTreeMap<ItemId, Offer>;

/// The files that move to a device.
pub fn moving_to(offers: &Offers, device: DeviceId) -> Vec<ItemId> {
    let is_moving =
        |offer: &Offer| offer.to.get(&device).is_some_and(|to| to.state == State::Moving);
    offers.iter().filter(|(_, offer)| is_moving(offer)).map(|(id, _)| *id).collect()
}
