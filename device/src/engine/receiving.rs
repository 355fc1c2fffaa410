//! Owns every file that this device receives: whose turn it is, and what is wanted on which link.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{Earlier, End, FileFailure, IncomingFile, Place, Progress, TransferFailure};
use super::incoming::{Ending, Incoming, State};
use super::sending_ends::cancelled_there;
use crate::chunk_set::ChunkRange;
use crate::frames::{CancelReason, Chunk};
use crate::piece_checks::GivenBy;
use crate::receiver::{LinkKey, Receiver};
use crate::scheduler::Receivers;
use crate::unheard_ends;

#[derive(Default)]
pub struct Receiving {
    /// An ended transfer stays until its item goes or is received again.
    pub files: BTreeMap<ItemId, Incoming>,
    /// The receiving end of each.
    pub receivers: Receivers,
    /// Files of which the I/O looks for what an earlier run has received.
    searches: BTreeSet<ItemId>,
}

impl Receiving {
    /// A file, and its receiving end.
    pub fn both(&mut self, id: ItemId) -> Option<(&mut Incoming, &mut Receiver)> {
        Some((self.files.get_mut(&id)?, self.receivers.get_mut(&id)?))
    }

    /// The files of which a device is the source.
    pub fn from(&self, source: DeviceId) -> Vec<ItemId> {
        let files = self.files.values().filter(|incoming| incoming.source == source);
        files.map(|incoming| incoming.id).collect()
    }

    // --- what the person does

    pub fn search(&mut self, id: ItemId) {
        self.searches.insert(id);
    }

    /// Receives a file, or goes on with one, unless it is under way.
    pub fn receive(&mut self, context: &mut Context, file: IncomingFile) {
        self.searches.remove(&file.id);
        // Its device may not be here yet.
        context.device(file.from);
        if !self.is_moving(file.id) {
            self.begin(context, file);
        }
    }

    /// Whether it is being received, waits for its turn, or is paused.
    fn is_moving(&self, id: ItemId) -> bool {
        self.files.get(&id).is_some_and(|incoming| !incoming.has_ended())
    }

    fn begin(&mut self, context: &mut Context, file: IncomingFile) {
        let (id, source) = (file.id, file.from);
        let mut incoming = Incoming::new(file, context.number());
        let receiver = Receiver::new(incoming.file.size);
        match &incoming.file.earlier {
            Earlier::Whole => {
                incoming.state = State::Ended { how: Ending::Done, why: CancelReason::Person };
            }
            Earlier::Part(entry) if entry.is_paused => incoming.state = State::Paused(End::Here),
            Earlier::Part(_) | Earlier::Nothing => {}
        }
        let is_done = incoming.is_done();
        self.files.insert(id, incoming);
        self.receivers.insert(id, receiver);
        if is_done {
            // The source may not have heard of it (F7).
            context.end(source, id, unheard_ends::End::Done);
            return context.receiving(id, Progress::Done { twice: 0, via: None });
        }
        self.begun(context, id);
    }

    fn begun(&mut self, context: &mut Context, id: ItemId) {
        self.say_waits(context, id);
        self.refill_source(context, id);
    }

    /// The person pauses the transfer. What is here of it waits, also for a later run.
    pub fn pause(&mut self, context: &mut Context, id: ItemId) {
        if !self.pause_by(context, id, End::Here) {
            return;
        }
        self.keep_pause(context, id, true);
        if let Some(source) = self.files.get(&id).map(|incoming| incoming.source) {
            let end = unheard_ends::End::Cancel(CancelReason::Paused);
            context.end(source, id, end);
        }
    }

    /// Also a later run is to know of it where what was received before is opened only when its turn comes.
    fn keep_pause(&mut self, context: &mut Context, id: ItemId, is_paused: bool) {
        if self.files.get(&id).is_some_and(Incoming::has_unopened_part) {
            context.does(super::contract::Output::KeepPause { id, is_paused });
        }
    }

    /// Returns whether it was not paused or over.
    fn pause_by(&mut self, context: &mut Context, id: ItemId, by: End) -> bool {
        let Some((incoming, receiver)) = self.both(id) else { return false };
        let source = incoming.source;
        if !incoming.pause(by, receiver, context) {
            return false;
        }
        context.device(source).scheduler.end(id);
        self.say_waits(context, id);
        self.refill_source(context, id);
        true
    }

    /// The person goes on with a transfer.
    pub fn resume(&mut self, context: &mut Context, id: ItemId) {
        if self.files.get(&id).and_then(Incoming::paused_by) == Some(End::Here) {
            self.keep_pause(context, id, false);
            self.goes_on(context, id);
        }
    }

    fn goes_on(&mut self, context: &mut Context, id: ItemId) {
        if let Some((incoming, receiver)) = self.both(id) {
            incoming.resume(receiver, context);
            self.begun(context, id);
        }
    }

    /// The person cancelled the transfer, or gives up one that failed, of which a part may wait.
    pub fn cancel(&mut self, context: &mut Context, id: ItemId) {
        self.searches.remove(&id);
        if self.is_moving(id) {
            let progress = Progress::Cancelled { by: End::Here };
            return self.end(context, id, progress, Some(CancelReason::Person), Ending::Cancelled);
        }
        if self.files.get(&id).is_none_or(Incoming::is_done) {
            return;
        }
        self.remove(id);
        context.does(super::contract::Output::Discard(id));
        context.receiving(id, Progress::Offered);
    }

    /// Removes a deleted item's transfer and bytes, or leaves what is here where its beam was left. Nothing is reported.
    pub fn drop(&mut self, context: &mut Context, id: ItemId, how: Ending) {
        self.searches.remove(&id);
        if self.is_moving(id) {
            self.stop(context, id, how, Some(CancelReason::Person));
        } else if how == Ending::Cancelled {
            // An earlier run may have received bytes of it.
            context.does(super::contract::Output::Discard(id));
        }
        let source = self.files.get(&id).map(|incoming| incoming.source);
        self.remove(id);
        if let Some(source) = source {
            self.refill(context, source);
        }
    }

    fn remove(&mut self, id: ItemId) {
        self.files.remove(&id);
        self.receivers.remove(&id);
    }

    // --- what devices say and send

    pub fn chunk(
        &mut self,
        context: &mut Context,
        from: DeviceId,
        link: LinkKey,
        chunk: Chunk<'_>,
    ) {
        let (id, now) = (chunk.transfer, context.now);
        // What is late for an ended transfer also shows that the link carries (L2).
        if let Some(link) = context.device(from).link_mut(link) {
            link.clock.touch(now);
        }
        let Some(incoming) = self.files.get_mut(&id) else {
            return self.refuse(context, from, link, id);
        };
        if incoming.source != from {
            return;
        }
        if incoming.refusal().is_some() {
            return self.unexpected(context, id);
        }
        self.take(context, from, link, chunk);
        // The link has room again, also while the disk is still writing.
        self.refill(context, from);
    }

    /// Chunks of a file that does not come here. One that is still searched for may go on, and wants them again then.
    fn refuse(&mut self, context: &mut Context, from: DeviceId, link: LinkKey, id: ItemId) {
        if self.searches.contains(&id) {
            return;
        }
        let now = context.now;
        if let Some(answer) = context.device(from).ends.refuses(id, now) {
            context.say_on(from, link, &answer);
        }
    }

    /// Takes chunks that arrived on a link.
    fn take(&mut self, context: &mut Context, from: DeviceId, link: LinkKey, chunk: Chunk<'_>) {
        let Chunk { transfer: id, first, bytes } = chunk;
        let now = context.now;
        let Some(incoming) = self.files.get_mut(&id) else { return };
        let Some(place) = incoming.place.filter(|_| incoming.is_open()) else { return };
        let Some(clear) = incoming.chunks.clear_bytes(bytes.len()) else { return };
        incoming.carriers.carried(link);
        let scheduler = &mut context.device(from).scheduler;
        let fresh = scheduler.arrived(&mut self.receivers, id, link, first, clear, now);
        for range in fresh {
            let Some(incoming) = self.files.get_mut(&id) else { return };
            match opened(incoming, first, range, bytes) {
                Some(bytes) => {
                    incoming.checking.pieces.came(range, GivenBy::Device(from));
                    let write = super::contract::Output::Write { id, place, chunks: range, bytes };
                    context.does(write);
                }
                None => self.unopened(context, id, range),
            }
        }
    }

    /// Chunks do not open (E7). It is certain who gave them.
    fn unopened(&mut self, context: &mut Context, id: ItemId, range: ChunkRange) {
        if let Some(receiver) = self.receivers.get_mut(&id) {
            receiver.dropped(range);
        }
        self.count_wrong(context, id);
    }

    /// The server dropped chunks of a file: wants again what has not arrived on this link (F11).
    pub fn dropped(&mut self, context: &mut Context, from: DeviceId, link: LinkKey, id: ItemId) {
        if let Some(receiver) = self.receivers.get_mut(&id) {
            receiver.lost(link);
            self.refill(context, from);
        }
    }

    /// The other device cancelled the transfer.
    pub fn cancelled_by_them(
        &mut self,
        context: &mut Context,
        from: DeviceId,
        id: ItemId,
        reason: CancelReason,
    ) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        if incoming.source != from || incoming.has_ended() {
            return;
        }
        let progress = cancelled_there(reason, incoming.received(receiver));
        match reason {
            CancelReason::Paused => drop(self.pause_by(context, id, End::There)),
            CancelReason::Gone => self.source_went(context, id, TransferFailure::Gone),
            CancelReason::Person => self.end(context, id, progress, None, Ending::Cancelled),
            CancelReason::NoRoom => self.end(context, id, progress, None, Ending::Failed),
        }
    }

    /// The source has a file again, or goes on with it. So does this device, unless its person has paused it or given it up, or it has
    /// ended here for a reason of its own, of which the source is told again (F7, F17, F18).
    pub fn offered(&mut self, context: &mut Context, from: DeviceId, id: ItemId) {
        let Some(incoming) = self.files.get_mut(&id).filter(|incoming| incoming.source == from)
        else {
            return;
        };
        incoming.source_came(context);
        if incoming.refusal().is_some() && !incoming.waits_for_source() {
            self.unexpected(context, id);
        } else {
            self.retry_one(context, id);
        }
        self.refill(context, from);
    }

    /// Asks a source that came back for the files that it did not have before, or had paused.
    pub fn retry(&mut self, context: &mut Context, source: DeviceId) {
        for id in self.from(source) {
            self.retry_one(context, id);
        }
    }

    fn retry_one(&mut self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get_mut(&id) else { return };
        incoming.source_came(context);
        if incoming.waits_for_source() && !self.searches.contains(&id) {
            let file = incoming.file.clone();
            self.begin(context, file);
        } else if incoming.paused_by() == Some(End::There) {
            self.goes_on(context, id);
        }
    }

    /// A device left: its transfers wait for it. Those too that its person has paused: it says so again if it is asked when it comes
    /// back (F18).
    pub fn park(&mut self, context: &mut Context, source: DeviceId) {
        for id in self.from(source) {
            let incoming = self.files.get(&id);
            if incoming.and_then(Incoming::paused_by) == Some(End::There) {
                self.goes_on(context, id);
            }
            if self.files.get(&id).is_some_and(Incoming::is_under_way) {
                self.say_waits(context, id);
            }
        }
    }

    /// A device may no longer be in the beam.
    pub fn removed(&mut self, context: &mut Context, source: DeviceId) {
        for id in self.from(source) {
            if self.is_moving(id) {
                self.source_went(context, id, TransferFailure::SourceRemoved);
            }
        }
    }

    fn source_went(&mut self, context: &mut Context, id: ItemId, why: TransferFailure) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        incoming.source_out = Some(why);
        let device = context.device(incoming.source);
        device.links().for_each(|link| receiver.lost(link.key));
        device.scheduler.end(id);
        self.end_if_gone(context, id);
    }

    // --- what the I/O answers

    /// The answer for another place is that of an earlier transfer.
    fn is_of(&self, id: ItemId, place: Place) -> bool {
        self.files.get(&id).is_some_and(|incoming| incoming.place == Some(place))
    }

    pub fn opened(
        &mut self,
        context: &mut Context,
        id: ItemId,
        place: Place,
        result: Result<(), FileFailure>,
    ) {
        if !self.is_of(id, place) {
            return;
        }
        match result {
            Err(why) => self.broke(context, id, why),
            Ok(()) => {
                if let Some((incoming, receiver)) = self.both(id) {
                    incoming.opened(receiver, context);
                    self.has_room(context, id);
                }
            }
        }
    }

    pub fn wrote(
        &mut self,
        context: &mut Context,
        id: ItemId,
        place: Place,
        chunks: ChunkRange,
        result: Result<(), FileFailure>,
    ) {
        if !self.is_of(id, place) {
            return;
        }
        if let Err(why) = result {
            return self.broke(context, id, why);
        }
        let Some((incoming, receiver)) = self.both(id) else { return };
        receiver.wrote(chunks);
        incoming.keeping.wrote(incoming.file.size.range_bytes(chunks));
        incoming.checking.wrote(chunks, receiver.durable(), context);
        self.has_room(context, id);
    }

    pub fn not_kept(&mut self, context: &mut Context, id: ItemId, place: Place, why: FileFailure) {
        if self.is_of(id, place) {
            self.broke(context, id, why);
        }
    }
}

/// The bytes of some of the chunks that came, in clear; `None` where they do not open.
fn opened(incoming: &Incoming, first: u32, range: ChunkRange, bytes: &[u8]) -> Option<Vec<u8>> {
    let start = usize::try_from(range.first - first).ok()? * incoming.chunks.chunk_bytes();
    let length = usize::try_from(incoming.chunks.bytes_of(range)).ok()?;
    incoming.chunks.open(range.first, bytes.get(start..start.checked_add(length)?)?)
}
