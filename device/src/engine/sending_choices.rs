//! What persons do with the files that go from here: they pause them, go on with them, and cancel them.

use std::collections::BTreeSet;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{self, Progress};
use super::offers::Offer;
use super::outgoing::State;
use super::sending::Sending;
use crate::frames::CancelReason;
use crate::unheard_ends::End;

impl Sending {
    /// The person pauses the transfer, to one device or to all (`None`).
    pub fn pause(&mut self, context: &mut Context, id: ItemId, device: Option<DeviceId>) {
        let transfers = self.transfers_of(id, device);
        if let Some(offer) = self.own(id) {
            match device {
                None => offer.is_paused = true,
                Some(device) if transfers.is_empty() => drop(offer.paused_for.insert(device)),
                Some(_) => {}
            }
        }
        for device in transfers {
            let state = self.outgoing(id, device).map(|outgoing| outgoing.state);
            if state == Some(State::Paused) || !self.is_under_way(id, device) {
                continue;
            }
            self.pause_one(context, id, device);
            context.end(device, id, End::Cancel(CancelReason::Paused));
        }
    }

    pub(super) fn pause_one(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
        context.device(device).forget_queued(id);
        self.missed.remove(device, id);
        let Some(outgoing) = self.outgoing(id, device) else { return };
        outgoing.state = State::Paused;
        let bytes = outgoing.sender.sent();
        self.say(context, id, device, Progress::Paused { bytes, by: contract::End::Here });
    }

    /// The person goes on with what was paused here. The device then wants the rest.
    pub fn resume(&mut self, context: &mut Context, id: ItemId, device: Option<DeviceId>) {
        let transfers = self.transfers_of(id, device);
        let Some(offer) = self.own(id) else { return };
        // Also those that come later are to get what goes on for one.
        offer.is_paused = false;
        // Those for which an earlier run has paused it know of none that goes on.
        let is_meant = |to: &DeviceId| device.is_none_or(|device| device == *to);
        let before: Vec<_> = offer.paused_for.extract_if(.., |to| is_meant(to)).collect();
        let begun = |to: &DeviceId| transfers.contains(to);
        let unknown: BTreeSet<_> =
            before.into_iter().chain(device).filter(|to| !begun(to)).collect();
        for to in unknown {
            self.misses(context, to, id);
            self.say_offered(context, to, id);
        }
        for to in transfers {
            if self.outgoing(id, to).is_some_and(|outgoing| outgoing.state == State::Paused) {
                self.misses(context, to, id);
                self.park(context, id, to);
            }
        }
    }

    /// The person cancelled, for one device or for all (`None`).
    pub fn cancel(&mut self, context: &mut Context, id: ItemId, device: Option<DeviceId>) {
        let transfers = self.transfers_of(id, device);
        let Some(offer) = self.own(id) else { return };
        match device {
            // Its transfer was one of an earlier run, of which this one knows nothing.
            Some(device) if transfers.is_empty() => {
                offer.paused_for.remove(&device);
                offer.refused.insert(device);
            }
            Some(_) => {}
            None => {
                offer.is_paused = false;
                offer.paused_for.clear();
                offer
                    .refused
                    .extend(context.ids().into_iter().filter(|to| !transfers.contains(to)));
            }
        }
        for to in transfers {
            if self.is_under_way(id, to) {
                self.cancel_one(context, id, to);
            }
        }
    }

    pub(super) fn cancel_one(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
        self.stop(context, id, device, State::Cancelled, Some(CancelReason::Person));
        self.say(context, id, device, Progress::Cancelled { by: contract::End::Here });
    }

    /// A file that this device has shared.
    fn own(&mut self, id: ItemId) -> Option<&mut Offer> {
        self.offers.get_mut(&id).filter(|offer| offer.is_own())
    }

    /// The devices to which a file goes: one, or all (`None`).
    fn transfers_of(&mut self, id: ItemId, device: Option<DeviceId>) -> Vec<DeviceId> {
        let all = self.own(id).map(|offer| offer.to.keys().copied().collect::<Vec<_>>());
        let is_meant = |to: &DeviceId| device.is_none_or(|device| device == *to);
        all.unwrap_or_default().into_iter().filter(is_meant).collect()
    }
}
