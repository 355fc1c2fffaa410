//! Owns every file that this device offers, and its transfer to each device.

use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{FileSeal, IncomingFile, Output, Progress, ReadId, ReadOf, TransferFailure};
use super::missed_files::MissedFiles;
use super::offered_file::{OfferedFile, PieceMemory, PieceRead};
use super::offers::{Offer, Offers};
use super::outgoing::{Outgoing, State};
use super::piece_hashes;
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

    /// Passes on a file that another device has shared (F20).
    pub fn pass(&mut self, context: &mut Context, file: &IncomingFile) {
        if !self.offers.get(&file.id).is_some_and(Offer::is_own) {
            self.unpass(context, file.id);
            let of = ReadOf::Received(file.id);
            let file = OfferedFile::new(of, file.size, file.seal.as_ref());
            self.offers.insert(file.id, Offer::new(file));
        }
    }

    /// Passes a file on no more.
    pub fn unpass(&mut self, context: &mut Context, id: ItemId) {
        if self.offers.get(&id).is_some_and(|offer| !offer.is_own()) {
            self.forget(context, id);
        }
    }

    // --- what a device asks for

    /// A device wants chunks. They are to be sent on the link on which the frame came (F3). `given`: those of them that can be
    /// passed on, where this device has received the file.
    pub fn wanted(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        link: LinkKey,
        (id, chunks): (ItemId, ChunkRange),
        given: &[ChunkRange],
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
        let (is_refused, is_own) = (offer.refused.remove(&device), offer.is_own());
        self.begin(context, id, device);
        if is_refused {
            return self.cancel_one(context, id, device);
        }
        let is_alone = self.is_alone(context, id, device);
        let Some(outgoing) = self.outgoing(id, device) else { return };
        if outgoing.state == State::Paused {
            return context.end(device, id, End::Cancel(CancelReason::Paused));
        }
        let is_begun = outgoing.sender.sent() > 0;
        let range = outgoing.sender.wanted(chunks, is_alone);
        let ranges = if is_own { range.as_slice() } else { given };
        if ranges.is_empty() {
            // What is passed on may have been found to be wrong since it was named.
            if !is_own {
                let gone = ControlFrame::Cancel { transfer: id, reason: CancelReason::Gone };
                context.say_on(device, link, &gone);
            }
            return;
        }
        outgoing.state = State::Moving;
        outgoing.busy_at = context.now;
        let had = outgoing.sender.sent();
        // Told before any of it moves, so that what the device had before does not count for the speed.
        if !is_begun && had > 0 {
            self.say(context, id, device, Progress::Parked { bytes: had, needs_direct: false });
        }
        if let Some(link) = context.device(device).link_mut(link) {
            for range in ranges {
                link.queue.want(id, *range);
            }
        }
        self.pump(context, device, link);
    }

    /// Whether no other device that is here is known to receive a file: several of them want its pieces in any order (F20). A program
    /// that was restarted may be another device, beside which its earlier run counts no more.
    fn is_alone(&self, context: &Context, id: ItemId, device: DeviceId) -> bool {
        let Some(offer) = self.offers.get(&id) else { return true };
        let receives = |other| offer.to.contains_key(&other) || self.missed.has(other, id);
        !context.listed().any(|other| other != device && receives(other))
    }

    /// The answer to a device that wants a file which is not here.
    fn gone(&mut self, context: &mut Context, device: DeviceId, id: ItemId) -> ControlFrame {
        self.misses(context, device, id);
        context.does(Output::Missed { id, device });
        ControlFrame::Cancel { transfer: id, reason: CancelReason::Gone }
    }

    pub(super) fn misses(&mut self, context: &mut Context, device: DeviceId, id: ItemId) {
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
                self.send_read(context, id);
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
            let waits = context.waits_for(device, id, piece) || asking.contains_key(&device);
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
