//! Owns every file that this device offers, and its transfer to each device.

use std::collections::BTreeSet;
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{self, FileSeal, Output, Progress, ReadId, ReadOf, TransferFailure};
use super::missed_files::MissedFiles;
use super::offered_file::{OfferedFile, PieceMemory, PieceRead};
use super::offers::{Offer, Offers};
use super::outgoing::{Outgoing, State};
use super::{piece_hashes, pump};
use crate::chunk_set::ChunkRange;
use crate::file_size::FileSize;
use crate::frames::{CancelReason, ControlFrame};
use crate::receiver::LinkKey;
use crate::stall_clock::STALL;
use crate::unheard_ends::End;

/// A transfer of which nothing was wanted for so long waits for its device, which may have begun anew without a word. At 64 kbit/s
/// a full `want` takes as long to arrive before the next one comes.
pub const QUIET: Duration = STALL.saturating_mul(4);

#[derive(Default)]
pub struct Sending {
    pub offers: Offers,
    pub memory: PieceMemory,
    pub missed: MissedFiles,
}

impl Sending {
    /// The person shares a file, or has it again.
    pub fn offer(
        &mut self,
        context: &mut Context,
        id: ItemId,
        size: FileSize,
        seal: Option<&FileSeal>,
    ) {
        self.memory.forget_file(id);
        let file = OfferedFile::new(ReadOf::Offered(id), size, seal);
        self.offers.insert(id, Offer::new(file));
        for device in context.ids() {
            self.say_if_missed(context, device, id);
        }
    }

    // --- what a device asks for

    /// A device wants chunks. They are to be sent on the link on which the frame came (F3).
    pub fn wanted(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        link: LinkKey,
        id: ItemId,
        chunks: ChunkRange,
    ) {
        let Some(offer) = self.offers.get_mut(&id) else {
            let gone = self.gone(context, device, id);
            return context.say_on(device, link, &gone);
        };
        // The device has not yet heard of the cancel.
        if context.is_ending(device, id) {
            return;
        }
        self.missed.remove(device, id);
        let is_refused = offer.refused.remove(&device);
        self.begin(context, id, device);
        if is_refused {
            return self.cancel_one(context, id, device);
        }
        let is_alone = self.is_alone(id, device);
        let Some(outgoing) = self.outgoing(id, device) else { return };
        if outgoing.state == State::Paused {
            return context.end(device, id, End::Cancel(CancelReason::Paused));
        }
        let is_begun = outgoing.sender.sent() > 0;
        let Some(range) = outgoing.sender.wanted(chunks, is_alone) else { return };
        outgoing.state = State::Moving;
        outgoing.busy_at = context.now;
        let had = outgoing.sender.sent();
        // Told before any of it moves, so that what the device had before does not count for the speed.
        if !is_begun && had > 0 {
            self.say(context, id, device, Progress::Parked { bytes: had, needs_direct: false });
        }
        if let Some(link) = context.device(device).link_mut(link) {
            link.queue.want(id, range);
        }
        pump::pump(self, context, device, link);
    }

    /// Whether no other device is known to receive a file: several of them want its pieces in any order (F20).
    fn is_alone(&self, id: ItemId, device: DeviceId) -> bool {
        let only = self.offers.get(&id).is_some_and(|offer| offer.to.len() == 1);
        only && !self.missed.is_missed_by_others(device, id)
    }

    /// The answer to a device that wants a file which is not here.
    fn gone(&mut self, context: &mut Context, device: DeviceId, id: ItemId) -> ControlFrame {
        self.misses(context, device, id);
        context.does(Output::Missed { id, device });
        ControlFrame::Cancel { transfer: id, reason: CancelReason::Gone }
    }

    fn misses(&mut self, context: &mut Context, device: DeviceId, id: ItemId) {
        self.missed.add(device, id);
        context.device(device).misses(id);
    }

    /// A device asks for the hashes of pieces (F19).
    pub fn asked(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        id: ItemId,
        pieces: ChunkRange,
    ) {
        let Some(offer) = self.offers.get_mut(&id) else {
            let gone = self.gone(context, device, id);
            context.say(device, &gone);
            return;
        };
        if !offer.is_own() {
            return;
        }
        if let Some(piece) = piece_hashes::asked(offer, device, pieces, context) {
            self.request(context, id, piece);
        }
    }

    /// Asks for a piece, unless that was done.
    pub fn request(&mut self, context: &mut Context, id: ItemId, piece: u32) {
        let Some(Offer { file, .. }) = self.offers.get_mut(&id) else { return };
        if file.is_reading(piece) {
            return;
        }
        let (start, bytes) = file.place_of(piece);
        let read = context.read(file.of, start, bytes);
        file.reads(piece, read, context.now);
    }

    /// A request to read was answered. Returns whether it was one of an offered file.
    pub fn was_read(
        &mut self,
        context: &mut Context,
        read: ReadId,
        bytes: &mut Option<Vec<u8>>,
    ) -> bool {
        let mut offers = self.offers.iter_mut();
        let found = offers.find(|(_, offer)| offer.file.is_read_by(read));
        let Some((id, offer)) = found else { return false };
        let id = *id;
        let Some((piece, is)) = offer.file.was_read(read, bytes.take(), &mut self.memory) else {
            return false;
        };
        match is {
            PieceRead::Here(hash) => {
                if let Some(hash) = hash {
                    piece_hashes::made(offer, piece, hash, context);
                }
                let asking: Vec<_> = offer.asking.keys().copied().collect();
                let next = asking
                    .into_iter()
                    .filter_map(|device| piece_hashes::goes_on(offer, device, context));
                for piece in next.collect::<Vec<_>>() {
                    self.request(context, id, piece);
                }
                pump::was_read(self, context, id);
            }
            PieceRead::Unreadable => self.unreadable(context, id, piece),
        }
        true
    }

    /// A piece can no longer be read, or has changed on the disk (F19): ends the transfers to those who wait for it.
    pub(super) fn unreadable(&mut self, context: &mut Context, id: ItemId, piece: u32) {
        let Some(offer) = self.offers.get_mut(&id) else { return };
        let asking = std::mem::take(&mut offer.asking);
        let devices: Vec<_> = offer.to.keys().chain(asking.keys()).copied().collect();
        for device in devices {
            let waits = pump::waits_for(context, device, id, piece) || asking.contains_key(&device);
            if waits && self.is_under_way(id, device) {
                self.end_unreadable(context, id, device);
            } else if asking.contains_key(&device) {
                context.end(device, id, End::Cancel(CancelReason::Gone));
            }
        }
    }

    fn end_unreadable(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
        self.fail(context, id, device, TransferFailure::Changed);
    }

    pub(super) fn fail(
        &mut self,
        context: &mut Context,
        id: ItemId,
        device: DeviceId,
        why: TransferFailure,
    ) {
        let Some(outgoing) = self.outgoing(id, device) else { return };
        let bytes = outgoing.sender.sent();
        self.stop(context, id, device, State::Failed, Some(CancelReason::Gone));
        self.say(context, id, device, Progress::Failed { bytes, why });
    }

    // --- what goes on

    pub fn outgoing(&mut self, id: ItemId, device: DeviceId) -> Option<&mut Outgoing> {
        self.offers.get_mut(&id)?.to.get_mut(&device)
    }

    pub(super) fn is_under_way(&self, id: ItemId, device: DeviceId) -> bool {
        let outgoing = self.offers.get(&id).and_then(|offer| offer.to.get(&device));
        outgoing.is_some_and(|outgoing| !outgoing.has_ended())
    }

    /// Begins a transfer to a device, unless one is under way.
    pub(super) fn begin(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
        if self.is_under_way(id, device) {
            return;
        }
        let Some(offer) = self.offers.get_mut(&id) else { return };
        offer.to.insert(device, Outgoing::new(offer.file.size));
        piece_hashes::tell(offer, device, context);
        if offer.paused_for.remove(&device) || offer.is_paused {
            self.pause_one(context, id, device);
        }
    }

    /// Tells a device which of the files that it missed are here now, until it wants them, and each again only where the link is
    /// lost on which that was said. And on every link which files go on of which it wants nothing, because it may have told their
    /// end before a `want` for them arrived on another link (F7).
    pub fn say_offers(&mut self, context: &mut Context, device: DeviceId) {
        for id in self.missed.of(device) {
            if !context.device(device).was_offered(id) {
                self.say_offered(context, device, id);
            }
        }
        let is_idle = |offer: &Offer| offer.to.get(&device).is_some_and(Outgoing::is_under_way);
        let idle: Vec<_> =
            self.offers.iter().filter(|(_, offer)| is_idle(offer)).map(|(id, _)| *id).collect();
        for id in idle {
            if !self.missed.has(device, id) && !context.device(device).is_wanted(id) {
                self.say_offered(context, device, id);
            }
        }
    }

    /// Tells a device that a file is here if it missed that one.
    fn say_if_missed(&self, context: &mut Context, device: DeviceId, id: ItemId) {
        if self.missed.has(device, id) {
            self.say_offered(context, device, id);
        }
    }

    /// A device has heard that a transfer ended or paused, perhaps late: what goes on here goes on there too.
    pub fn heard_end(&self, context: &mut Context, device: DeviceId, id: ItemId) {
        let offer = self.offers.get(&id);
        if offer.is_some_and(|offer| !offer.is_own()) {
            return;
        }
        let outgoing = offer.and_then(|offer| offer.to.get(&device));
        // Of two pauses that crossed, each end may have heard the other's after it went on: whose person pauses it says so again.
        let goes_on =
            |outgoing: &Outgoing| outgoing.is_under_way() || outgoing.state == State::PausedThere;
        if outgoing.is_some_and(goes_on) {
            self.say_offered(context, device, id);
        } else {
            self.say_if_missed(context, device, id);
        }
    }

    pub(super) fn say_offered(&self, context: &mut Context, device: DeviceId, id: ItemId) {
        // What the device has not heard of could arrive after this, and end it.
        let is_own = self.offers.get(&id).is_some_and(Offer::is_own);
        if is_own && !context.is_ending(device, id) {
            context.say(device, &ControlFrame::Offered { transfer: id });
        }
    }

    // --- what persons do

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

    fn pause_one(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
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

    fn cancel_one(&mut self, context: &mut Context, id: ItemId, device: DeviceId) {
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

    /// Withdraws a deleted item's file. Nothing is reported.
    pub fn forget(&mut self, context: &mut Context, id: ItemId) {
        self.memory.forget_file(id);
        let devices: Vec<_> =
            self.offers.get(&id).into_iter().flat_map(|offer| offer.to.keys().copied()).collect();
        // What others have of it stays there, because a deletion may be taken back.
        for device in devices {
            if self.is_under_way(id, device) {
                self.stop(context, id, device, State::Cancelled, Some(CancelReason::Gone));
            }
        }
        self.offers.remove(&id);
    }
}
