//! What becomes of the files that go from here when a device has them, does not want them, leaves, or wants nothing for long.

use std::collections::BTreeSet;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{self, Output, Progress, TransferFailure};
use super::offers::{Offer, moving_to};
use super::outgoing::State;
use super::remote_device::carrying;
use super::sending::{QUIET, Sending};
use super::{piece_hashes, pump};
use crate::chunk_set::ChunkSet;
use crate::frames::{CancelReason, ControlFrame};
use crate::unheard_ends::End;

/// What a `cancel` from the other device means for a transfer, at either end of it.
pub const fn cancelled_there(reason: CancelReason, bytes: u64) -> Progress {
    match reason {
        CancelReason::Person => Progress::Cancelled { by: contract::End::There },
        CancelReason::Paused => Progress::Paused { bytes, by: contract::End::There },
        CancelReason::Gone => Progress::Failed { bytes, why: TransferFailure::Gone },
        CancelReason::NoRoom => Progress::Failed { bytes, why: TransferFailure::NoRoomThere },
    }
}

impl Sending {
    /// A device has the whole file. It may say so more than once.
    pub fn done(&mut self, context: &mut Context, device: DeviceId, id: ItemId) {
        let Some(offer) = self.offers.get(&id) else {
            // From others, or from an earlier run of this device.
            self.missed.remove(device, id);
            let progress = Progress::Done { twice: 0, via: None };
            return context.does(Output::Sending { id, device, progress });
        };
        if !offer.is_own() {
            return;
        }
        // Nothing of an empty file is ever wanted.
        if !offer.to.contains_key(&device) {
            self.begin(context, id, device);
        }
        let via = self.carried(context, id, device);
        let Some(outgoing) = self.outgoing(id, device) else { return };
        if outgoing.state == State::Done {
            return;
        }
        let twice = outgoing.sender.twice();
        self.stop(context, id, device, State::Done, None);
        self.say(context, id, device, Progress::Done { twice, via });
    }

    /// The other device cancelled the transfer.
    pub fn cancelled_by_them(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        id: ItemId,
        reason: CancelReason,
    ) {
        // Only who gives a file says so, and it may go on to receive it.
        if reason == CancelReason::Gone || !self.is_under_way(id, device) {
            return;
        }
        let Some(outgoing) = self.outgoing(id, device) else { return };
        let progress = cancelled_there(reason, outgoing.sender.sent());
        if reason != CancelReason::Paused {
            let is_failed = matches!(progress, Progress::Failed { .. });
            let how = if is_failed { State::Failed } else { State::Cancelled };
            self.stop(context, id, device, how, None);
            return self.say(context, id, device, progress);
        }
        // What both have paused goes on when both do.
        if outgoing.state != State::Paused {
            outgoing.state = State::PausedThere;
            context.device(device).forget_queued(id);
            self.say(context, id, device, progress);
        }
        self.missed.remove(device, id);
    }

    /// Ends what is sent to a device when the server forbids it and there is no other link.
    pub fn forbidden(&mut self, context: &mut Context, device: DeviceId) {
        for id in moving_to(&self.offers, device) {
            self.fail(context, id, device, TransferFailure::ReadOnly);
        }
    }

    /// Ends what was being sent to a device that may no longer be in the beam.
    pub fn removed(&mut self, context: &mut Context, device: DeviceId) {
        self.missed.forget(device);
        let ids: Vec<_> = self.offers.keys().copied().collect();
        for id in ids {
            if self.is_under_way(id, device) {
                self.stop(context, id, device, State::Cancelled, None);
                let by = contract::End::Here;
                self.say(context, id, device, Progress::Cancelled { by });
            }
        }
    }

    /// Tells a device that the server dropped frames to it, so that it wants them again (F11).
    pub fn say_dropped(&self, context: &mut Context, device: DeviceId) {
        for transfer in moving_to(&self.offers, device) {
            // It wants again what has not arrived, so also what still waits here.
            let relay = &mut context.device(device).relay;
            relay.forget(transfer);
            let relay = relay.key;
            context.say_on(device, relay, &ControlFrame::Dropped { transfer });
        }
    }

    /// Whether anything is being sent to a device.
    pub fn is_moving_to(&self, device: DeviceId) -> bool {
        !moving_to(&self.offers, device).is_empty()
    }

    /// Whether any remembered transfer is with this device.
    pub fn knows(&self, device: DeviceId) -> bool {
        self.offers.values().any(|offer| offer.to.contains_key(&device))
    }

    /// A device left: its transfers wait for it.
    pub fn park_all(&mut self, context: &mut Context, device: DeviceId) {
        for id in moving_to(&self.offers, device) {
            self.park(context, id, device);
        }
    }

    /// What was wanted on a link is void. Transfers that are not wanted on another wait for the device.
    pub fn lost_link(&mut self, context: &mut Context, device: DeviceId) {
        for id in moving_to(&self.offers, device) {
            if !context.device(device).is_wanted(id) {
                self.park(context, id, device);
            }
        }
    }

    pub(super) fn park(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
        let Some(outgoing) = self.outgoing(id, device) else { return };
        outgoing.state = State::Parked;
        // Some may be lost with the link, and a program that begins anew knows none.
        outgoing.told = ChunkSet::default();
        let bytes = outgoing.sender.sent();
        self.say(context, id, device, Progress::Parked { bytes, needs_direct: false });
        self.say_offered(context, device, id);
    }

    /// Reports the progress of each file to a device, and looks after what is being read for it. Called several times a second.
    pub fn tick(&mut self, context: &mut Context, device: DeviceId) {
        pump::signs(context, device);
        let moving = moving_to(&self.offers, device);
        let unsent = context.device(device).unsent();
        let count = u64::try_from(moving.len()).unwrap_or(u64::MAX);
        for id in moving {
            let is_busy = unsent > 0 || context.device(device).is_wanted(id);
            let now = context.now;
            let Some(outgoing) = self.outgoing(id, device) else { continue };
            if is_busy {
                outgoing.busy_at = now;
            }
            if now.saturating_sub(outgoing.busy_at) > QUIET {
                self.park(context, id, device);
                continue;
            }
            // Files take turns of one frame, so each has its part of what has not left this device yet.
            let bytes = outgoing.sender.sent().saturating_sub(unsent / count);
            let bytes_per_second = outgoing.speed.sample(bytes, now);
            let twice = outgoing.sender.twice();
            if let Some(offer) = self.offers.get_mut(&id) {
                piece_hashes::tell(offer, device, context);
            }
            let via = self.via(context, id, device);
            let progress = Progress::Moving { bytes, bytes_per_second, twice, via };
            self.say(context, id, device, progress);
        }
    }

    /// Ends the transfers of files that could not be read for too long. Called several times a second.
    pub fn end_overdue(&mut self, context: &mut Context) {
        let overdue: Vec<_> = self
            .offers
            .iter_mut()
            .flat_map(|(id, offer)| {
                offer.file.overdue(context.now).into_iter().map(|piece| (*id, piece))
            })
            .collect();
        for (id, piece) in overdue {
            self.unreadable(context, id, piece);
        }
    }

    /// The links on which a file goes. Before its first chunk it is the way that it will take.
    fn via(&mut self, context: &Context, id: ItemId, device: DeviceId) -> contract::Carrying {
        self.carried(context, id, device).unwrap_or_else(|| {
            let device = context.devices.get(&device);
            device.map(|device| device.carrying(&BTreeSet::new())).unwrap_or_default()
        })
    }

    /// The links on which a file went; `None` where it did on none, as one that the other device has read from the server's copy.
    fn carried(
        &mut self,
        context: &Context,
        id: ItemId,
        device: DeviceId,
    ) -> Option<contract::Carrying> {
        let device = context.devices.get(&device)?;
        let is_busy = |key| {
            let mut links = device.links().filter(|link| link.key == key);
            links.any(|link| link.queue.has(id) || link.buffer.unsent > 0)
        };
        let keys = self.outgoing(id, device.id)?.carriers.look(is_busy, context.now);
        (!keys.is_empty()).then(|| carrying(keys))
    }

    /// A transfer ends. `reason` is what the other device is told; `None` when it already knows.
    pub(super) fn stop(
        &mut self,
        context: &mut Context,
        id: ItemId,
        device: DeviceId,
        how: State,
        reason: Option<CancelReason>,
    ) {
        let Some(outgoing) = self.outgoing(id, device) else { return };
        outgoing.state = how;
        context.device(device).forget_queued(id);
        if let Some(reason) = reason {
            context.end(device, id, End::Cancel(reason));
        }
    }

    pub(super) fn say(
        &self,
        context: &mut Context,
        id: ItemId,
        device: DeviceId,
        progress: Progress,
    ) {
        if self.offers.get(&id).is_some_and(Offer::is_own) {
            context.does(Output::Sending { id, device, progress });
        }
    }
}
