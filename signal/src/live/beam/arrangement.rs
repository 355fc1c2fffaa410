//! The shared arrangement of a beam: where its items lie, the same for everybody (S35).

use std::collections::{HashMap, HashSet};

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::MAX_PLACES;
use heliograph_shared::socket::{Arranged, Placed, ServerMessage};

/// The places, while the arrangement is shared. There is at most one for each item, and an item's record has room for
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// `None` while each device has its own.
    places: Option<HashMap<ItemId, Placed>>,
}

impl Arrangement {
    /// An arrangement as it was stored.
    pub fn stored(places: Option<Vec<Placed>>) -> Self {
        let by_id = |places: Vec<Placed>| places.into_iter().map(|placed| (placed.id, placed));
        Self { places: places.map(|places| by_id(places).collect()) }
    }

    /// Whether it is shared.
    pub const fn is_shared(&self) -> bool {
        self.places.is_some()
    }

    /// The places that are known; none while it is not shared.
    pub fn places(&self) -> Vec<Placed> {
        self.places.iter().flat_map(|places| places.values().copied()).collect()
    }

    /// Turns it on or off, and takes over new places. What is no longer in the beam is forgotten.
    pub fn change(&mut self, shared: bool, places: &[Placed], here: &HashSet<ItemId>) {
        if !shared {
            self.places = None;
            return;
        }
        let known = self.places.get_or_insert_default();
        known.extend(places.iter().map(|placed| (placed.id, *placed)));
        known.retain(|id, _| here.contains(id));
    }

    /// Whether these places are in it, with the switch in this position.
    pub fn has(&self, shared: bool, places: &[Placed]) -> bool {
        let is_there = |placed: &Placed| self.get(placed.id) == Some(*placed);
        self.is_shared() == shared && (!shared || places.iter().all(is_there))
    }

    fn get(&self, id: ItemId) -> Option<Placed> {
        self.places.as_ref()?.get(&id).copied()
    }

    /// What a device that joins is told; nothing while it is not shared.
    pub fn welcome(&self) -> Vec<ServerMessage> {
        if !self.is_shared() {
            return Vec::new();
        }
        let places = self.places();
        let mut parts: Vec<_> = places.chunks(MAX_PLACES).map(<[_]>::to_vec).collect();
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        parts.into_iter().map(|places| news(true, places, None)).collect()
    }
}

/// News of the arrangement.
pub fn news(shared: bool, places: Vec<Placed>, from: Option<DeviceId>) -> ServerMessage {
    ServerMessage::Arranged { message: Arranged { shared, places, from } }
}
