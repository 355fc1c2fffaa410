//! Checks what this device receives, ends it, and reports how it is doing.

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{Carrying, FileFailure, Output, Place, Progress, ReadId, TransferFailure};
use super::incoming::{Ending, State, Waits};
use super::receiving::Receiving;
use super::remote_device::carrying;
use crate::frames::{CancelReason, ControlFrame};
use crate::piece_checks::{Check, Checked};
use crate::piece_hash::PieceHash;
use crate::receiver::LinkKey;
use crate::unheard_ends;

/// A file of which more pieces came wrong is damaged where it is.
const MOST_WRONG: u32 = 100;

impl Receiving {
    // --- pieces (F19)

    /// A request to read was answered. Returns whether it was one of a received file.
    pub fn was_read(&mut self, context: &mut Context, read: ReadId, bytes: Option<&[u8]>) -> bool {
        let mut files = self.files.values_mut();
        let found = files.find_map(|incoming| {
            incoming.checking.was_read(read, context).map(|piece| (incoming.id, piece))
        });
        let Some((id, piece)) = found else { return false };
        let Some((incoming, receiver)) =
            self.both(id).filter(|(incoming, _)| !incoming.has_ended())
        else {
            return true;
        };
        let whole = incoming.checking.length_of(piece);
        let Some(bytes) = bytes.filter(|bytes| bytes.len() as u64 == whole) else {
            // It is written anew when the file is received again.
            receiver.refused(incoming.file.size.chunks_of(piece));
            let why = "what was written cannot be read".to_owned();
            self.broke(context, id, FileFailure::Failed(why));
            return true;
        };
        let hash = incoming.chunks.hash(bytes);
        if let Some(check) = incoming.checking.pieces.hashed(piece, hash) {
            self.checked(context, id, Checked { piece, check });
        } else {
            self.asks(context, id);
            self.look_at_copy(context, id);
        }
        true
    }

    /// The device that shared a file tells the hashes of its pieces. Those of others are not believed.
    pub fn hashes(
        &mut self,
        context: &mut Context,
        from: DeviceId,
        id: ItemId,
        first: u32,
        hashes: &[PieceHash],
    ) {
        let Some(incoming) = self.files.get_mut(&id) else { return };
        if incoming.source != from || incoming.has_ended() {
            return;
        }
        for checked in incoming.checking.told(first, hashes) {
            self.checked(context, id, checked);
        }
        self.asks(context, id);
    }

    /// Asks for the hashes of pieces that are here and cannot be compared: they were lost, or told to an earlier run.
    fn asks(&mut self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get_mut(&id).filter(|incoming| incoming.is_open()) else {
            return;
        };
        // A source that has the file no more tells nothing of it.
        if incoming.source_out.is_some() || !context.is_here(incoming.source) {
            for checked in incoming.checking.without_source() {
                self.checked(context, id, checked);
            }
            return;
        }
        if let Some(pieces) = incoming.checking.lacking(context.now) {
            context.say(incoming.source, &ControlFrame::Ask { transfer: id, pieces });
        }
    }

    pub(super) fn checked(
        &mut self,
        context: &mut Context,
        id: ItemId,
        Checked { piece, check }: Checked,
    ) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        // It ended while the piece was being hashed.
        if incoming.has_ended() {
            return;
        }
        let chunks = incoming.file.size.chunks_of(piece);
        match check {
            Check::Right => {}
            Check::Unknown => {
                receiver.refused(chunks);
                // From the same device it would be as unknown again.
                incoming.givers.swarm.suspects(piece);
            }
            Check::Wrong { givers } => {
                if givers.is_empty() {
                    incoming.is_another_file(receiver, context);
                } else {
                    receiver.refused(chunks);
                }
                self.wrong(context, id, piece, &givers);
            }
        }
        self.has_room(context, id);
    }

    /// What is wrong came from where only right pieces come from.
    pub(super) fn count_wrong(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        incoming.wrong += 1;
        if incoming.wrong > MOST_WRONG && !incoming.has_ended() {
            let bytes = incoming.received(receiver);
            let progress = Progress::Failed { bytes, why: TransferFailure::Damaged };
            self.end(context, id, progress, Some(CancelReason::Person), Ending::Failed);
        }
    }

    // --- ends

    /// The place opened, bytes became durable, or a piece was checked.
    pub(super) fn has_room(&mut self, context: &mut Context, id: ItemId) {
        self.copy_has_room(context, id);
        self.finish_if_complete(context, id);
        self.refill_all(context, id);
    }

    /// Completes a file whose bytes are all durable and right. The source need not be here any more.
    pub(super) fn finish_if_complete(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let is_complete = incoming.is_open() && incoming.is_complete(receiver);
        if let Some(place) = incoming.place.filter(|_| is_complete) {
            incoming.state = State::Finishing;
            // The disk may take long over many files, and nothing more is told until it is done.
            let (bytes, twice) = (receiver.received(), receiver.twice());
            let via = self.via(context, id);
            let bytes_per_second = 0.0;
            context.receiving(id, Progress::Moving { bytes, bytes_per_second, twice, via });
            self.stop_copy(context, id);
            self.end_givers(context, id);
            context.does(Output::Finish { id, place });
        }
    }

    pub fn finished(
        &mut self,
        context: &mut Context,
        id: ItemId,
        place: Place,
        result: Result<(), FileFailure>,
    ) {
        let via = self.via(context, id);
        let Some((incoming, receiver)) = self.both(id) else { return };
        if incoming.place != Some(place) || incoming.state != State::Finishing {
            return;
        }
        if let Err(why) = result {
            incoming.state = State::Open;
            return self.broke(context, id, why);
        }
        incoming.end(Ending::Done, CancelReason::Person, receiver, context);
        let (source, twice) = (incoming.source, receiver.twice());
        context.end(source, id, unheard_ends::End::Done);
        context.receiving(id, Progress::Done { twice, via: Some(via) });
        self.refill(context, source);
    }

    /// The place of a file failed. What is here stays where the person may go on with it: once they have made room, or a disk of
    /// another machine is back.
    pub(super) fn broke(&mut self, context: &mut Context, id: ItemId, why: FileFailure) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        if incoming.has_ended() {
            return;
        }
        let how = match why {
            FileFailure::DiskFull | FileFailure::Failed(_) => Ending::Interrupted,
            FileFailure::NoRoom | FileFailure::Useless(_) => Ending::Failed,
        };
        let bytes = incoming.received(receiver);
        let progress = Progress::Failed { bytes, why: TransferFailure::Here(why) };
        self.end(context, id, progress, Some(CancelReason::NoRoom), how);
    }

    /// `reason` is what the other device is told; `None` when it already knows.
    pub(super) fn end(
        &mut self,
        context: &mut Context,
        id: ItemId,
        progress: Progress,
        reason: Option<CancelReason>,
        how: Ending,
    ) {
        self.stop(context, id, how, reason);
        context.receiving(id, progress);
        self.refill_all(context, id);
    }

    pub(super) fn stop(
        &mut self,
        context: &mut Context,
        id: ItemId,
        how: Ending,
        reason: Option<CancelReason>,
    ) {
        self.stop_copy(context, id);
        // Before anything expected is forgotten: those that still owe chunks are told.
        self.end_givers(context, id);
        self.passing.remove(id);
        let Some((incoming, receiver)) = self.both(id) else { return };
        let source = incoming.source;
        incoming.end(how, reason.unwrap_or(CancelReason::Person), receiver, context);
        receiver.lost_all();
        if let Some(reason) = reason {
            context.end(source, id, unheard_ends::End::Cancel(reason));
        }
    }

    /// Ends the transfer of a file that nobody has any more. The person at its source may offer it again, and a source that was not
    /// here goes on with it when it comes back. One that is being finished needs nobody.
    pub(super) fn end_if_gone(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let is_over = incoming.source_out.is_some() || incoming.is_forsaken(context);
        let is_left = !incoming.has_ended() && incoming.state != State::Finishing;
        let others_give = incoming.givers.may_others_give(receiver, context);
        if is_left && is_over && !others_give && !incoming.has_copy() {
            let bytes = incoming.received(receiver);
            let why = incoming.source_out.clone().unwrap_or(TransferFailure::Gone);
            let progress = Progress::Failed { bytes, why };
            self.end(context, id, progress, None, Ending::Interrupted);
        }
    }

    /// The source still sends a transfer that has ended or is paused here: tells it so, once.
    pub(super) fn unexpected(&mut self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get(&id) else { return };
        let Some(refusal) = incoming.refusal() else { return };
        let is_done = incoming.is_done();
        let source = incoming.source;
        if context.is_ending(source, id) {
            return context.device(source).ends.contradicts(id);
        }
        let cancel = unheard_ends::End::Cancel(refusal);
        let end = if is_done { unheard_ends::End::Done } else { cancel };
        context.end(source, id, end);
    }

    // --- reports

    /// The links on which a file comes. Before its first chunk it is the way that it will take.
    fn via(&mut self, context: &Context, id: ItemId) -> Carrying {
        let Some((incoming, receiver)) = self.both(id) else { return Carrying::default() };
        let keys = incoming.carriers.look(|link| receiver.waiting_on(link) > 0, context.now);
        // The copy is read only while nothing else carries the file.
        if receiver.waiting_on(LinkKey::Stored) > 0 {
            return Carrying { stored: true, ..Carrying::default() };
        }
        let source = context.devices.get(&incoming.source).filter(|_| keys.is_empty());
        source.map_or_else(|| carrying(keys), |source| source.carrying(keys))
    }

    /// Looks after the files that come, and reports their progress. Called several times a second.
    pub fn tick(&mut self, context: &mut Context) {
        let under_way: Vec<_> =
            self.files.values().filter(|one| one.is_under_way()).map(|one| one.id).collect();
        for id in under_way {
            self.end_if_gone(context, id);
            self.look_at_copy(context, id);
            if self.waits_for_turn(id)
                && let Some(source) = self.files.get(&id).map(|incoming| incoming.source)
            {
                self.begin_next(context, source);
            }
            if self.may_move(context, id) {
                self.tick_givers(context, id);
                self.asks(context, id);
                if let Some((incoming, receiver)) = self.both(id) {
                    incoming.keep_due(receiver, context);
                }
                self.say_moves(context, id);
            }
        }
        self.passing.look(context, &self.files);
    }

    /// Whether anybody is here who gives a file, or may come back.
    fn may_move(&self, context: &Context, id: ItemId) -> bool {
        self.files.get(&id).is_some_and(|incoming| {
            let is_here = incoming.givers.all().iter().any(|device| context.is_here(*device));
            let may = is_here || incoming.has_copy() || incoming.givers.is_any_resting();
            !incoming.has_ended() && may
        })
    }

    /// How a file that moves is doing.
    fn say_moves(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let is_stored = receiver.waiting_on(LinkKey::Stored) > 0;
        let is_carried = is_stored || incoming.can_be_given(receiver, context);
        if !incoming.is_open() || !is_carried || receiver.outstanding() == 0 {
            return self.say_waits(context, id);
        }
        let (bytes, twice) = (receiver.received(), receiver.twice());
        let bytes_per_second = incoming.speed.sample(bytes, context.now);
        incoming.waits = None;
        let via = self.via(context, id);
        context.receiving(id, Progress::Moving { bytes, bytes_per_second, twice, via });
    }

    /// A file waits: for its turn, for its device, or for a person. Each state is reported once.
    pub(super) fn say_waits(&mut self, context: &mut Context, id: ItemId) {
        let now = context.now;
        let Some((incoming, receiver)) = self.both(id) else { return };
        if incoming.state == State::Finishing || incoming.has_ended() {
            return;
        }
        incoming.carriers.rests(now);
        let bytes = incoming.received(receiver);
        if let Some(by) = incoming.paused_by() {
            return context.receiving(id, Progress::Paused { bytes, by });
        }
        let source = context.devices.get(&incoming.source);
        let needs_direct = source.is_some_and(|source| source.needs_direct(context.relay, now));
        // A file that has begun waits for its device also while no link to it is open.
        let has_routes = !context.routes(incoming.source).is_empty();
        let is_source_here = context.is_here(incoming.source) && (bytes == 0 || has_routes);
        let can_go_on = is_source_here || incoming.can_be_given(receiver, context);
        let waits = match (needs_direct, can_go_on) {
            (true, _) => Waits::DirectLink,
            (false, true) => Waits::Turn,
            (false, false) => Waits::Device,
        };
        if incoming.waits.replace(waits) == Some(waits) {
            return;
        }
        context.receiving(
            id,
            match waits {
                Waits::Turn => Progress::Queued { bytes },
                Waits::Device | Waits::DirectLink => Progress::Parked { bytes, needs_direct },
            },
        );
    }

    /// Whether anything is being received from a device, or waits to be.
    pub fn is_moving_from(&self, device: DeviceId) -> bool {
        self.files.values().any(|incoming| {
            let may_give = incoming.givers.has(device) || incoming.givers.is_resting(device);
            incoming.is_under_way() && may_give
        })
    }

    /// Whether a device gives anything, or shared anything, that is remembered.
    pub fn knows(&self, device: DeviceId) -> bool {
        self.files.values().any(|incoming| incoming.givers.has(device))
    }
}
