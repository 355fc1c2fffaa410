//! Owns every file that this device receives: whose turn it is, and what is wanted on which link.

use std::collections::BTreeMap;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{Earlier, End, IncomingFile, Output, Progress, TransferFailure};
use super::incoming::{Ending, Incoming, State};
use super::passing_on::{PassingOn, is_passed_on};
use super::sending_ends::cancelled_there;
use crate::chunk_set::ChunkRange;
use crate::frames::CancelReason;
use crate::receiver::{LinkKey, Receiver};
use crate::scheduler::Receivers;
use crate::unheard_ends;

/// What is known of a file that is searched for.
pub(super) struct Search {
    source: DeviceId,
    /// Whether its person has paused meanwhile what is to follow; `None` while they have neither done that nor gone on with it.
    is_paused: Option<bool>,
}

#[derive(Default)]
pub struct Receiving {
    /// An ended transfer stays until its item goes or is received again.
    pub files: BTreeMap<ItemId, Incoming>,
    /// The receiving end of each.
    pub receivers: Receivers,
    /// Files of which the I/O looks for what an earlier run has received.
    pub(super) searches: BTreeMap<ItemId, Search>,
    /// Which of them others get from here.
    pub passing: PassingOn,
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

    pub fn search(&mut self, id: ItemId, source: DeviceId) {
        self.searches.insert(id, Search { source, is_paused: None });
    }

    /// Receives a file, or goes on with one, unless it is under way.
    pub fn receive(&mut self, context: &mut Context, mut file: IncomingFile) {
        let id = file.id;
        let is_paused = self.searches.remove(&id).and_then(|search| search.is_paused);
        // Its device may not be here yet.
        context.device(file.from);
        if self.is_moving(id) {
            return;
        }
        if let (Earlier::Part(entry), Some(is_paused)) = (&mut file.earlier, is_paused) {
            entry.is_paused = is_paused;
        }
        let is_paused = is_paused == Some(true);
        self.begin(context, file, is_paused);
        if is_paused {
            self.keep_pause(context, id, true);
        }
    }

    /// Whether it is being received, waits for its turn, or is paused.
    fn is_moving(&self, id: ItemId) -> bool {
        self.files.get(&id).is_some_and(|incoming| !incoming.has_ended())
    }

    fn begin(&mut self, context: &mut Context, file: IncomingFile, is_paused: bool) {
        let (id, source) = (file.id, file.from);
        let mut incoming = Incoming::new(file, context.number(), context.random.below(u64::MAX));
        let receiver = Receiver::new(incoming.file.size);
        match &incoming.file.earlier {
            Earlier::Whole => {
                let pieces = ChunkRange::new(0, incoming.file.size.piece_count());
                incoming.checking.pieces.resumes([pieces]);
                incoming.state = State::Ended { how: Ending::Done, why: CancelReason::Person };
            }
            Earlier::Part(entry) if entry.is_paused => incoming.state = State::Paused(End::Here),
            Earlier::Nothing if is_paused => incoming.state = State::Paused(End::Here),
            Earlier::Part(_) | Earlier::Nothing => {}
        }
        let is_done = incoming.is_done();
        let may_pass = is_passed_on(&incoming.file);
        self.files.insert(id, incoming);
        self.receivers.insert(id, receiver);
        if is_done {
            if may_pass {
                self.passing.add(id);
            }
            // The source may not have heard of it (F7).
            context.end(source, id, unheard_ends::End::Done);
            return context.receiving(id, Progress::Done { twice: 0, via: None });
        }
        self.begun(context, id);
    }

    fn begun(&mut self, context: &mut Context, id: ItemId) {
        self.announce(context, id);
        self.say_waits(context, id);
        self.refill_all(context, id);
        if self.waits_for_turn(id) {
            self.has_way(context, id);
        }
    }

    /// The person pauses the transfer. What is here of it waits, also for a later run.
    pub fn pause(&mut self, context: &mut Context, id: ItemId) {
        if let Some(search) = self.searches.get_mut(&id) {
            search.is_paused = Some(true);
            context.receiving(id, Progress::Paused { bytes: 0, by: End::Here });
        }
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
            context.does(Output::KeepPause { id, is_paused });
        }
    }

    /// Returns whether it was not paused or over.
    fn pause_by(&mut self, context: &mut Context, id: ItemId, by: End) -> bool {
        if !self.files.get(&id).is_some_and(|incoming| incoming.can_pause(by)) {
            return false;
        }
        self.stop_copy(context, id);
        // Before anything expected is forgotten: those that still owe chunks are told.
        self.end_givers(context, id);
        if let Some((incoming, receiver)) = self.both(id) {
            incoming.pause(by, receiver, context);
        }
        self.say_waits(context, id);
        self.refill_all(context, id);
        true
    }

    /// The person goes on with a transfer.
    pub fn resume(&mut self, context: &mut Context, id: ItemId) {
        if let Some(search) = self.searches.get_mut(&id) {
            search.is_paused = Some(false);
            context.receiving(id, Progress::Queued { bytes: 0 });
        }
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

    /// The person cancelled the transfer, or gives up one that failed or is still searched for, of which a part may wait.
    pub fn cancel(&mut self, context: &mut Context, id: ItemId) {
        let search = self.searches.remove(&id);
        if self.is_moving(id) {
            let progress = Progress::Cancelled { by: End::Here };
            return self.end(context, id, progress, Some(CancelReason::Person), Ending::Cancelled);
        }
        if search.is_none() && self.files.get(&id).is_none_or(Incoming::is_done) {
            return;
        }
        self.passing.remove(id);
        self.remove(id);
        context.does(Output::Discard(id));
        let Some(Search { source, .. }) = search else {
            return context.receiving(id, Progress::Offered);
        };
        context.receiving(id, Progress::Cancelled { by: End::Here });
        context.end(source, id, unheard_ends::End::Cancel(CancelReason::Person));
    }

    /// Removes a deleted item's transfer and bytes, or leaves what is here where its beam was left. Nothing is reported.
    pub fn drop(&mut self, context: &mut Context, id: ItemId, how: Ending) {
        self.searches.remove(&id);
        if self.is_moving(id) {
            self.stop(context, id, how, Some(CancelReason::Person));
        } else if how == Ending::Cancelled {
            // An earlier run may have received bytes of it.
            context.does(Output::Discard(id));
        }
        self.passing.remove(id);
        let givers = self.files.get(&id).map(|incoming| incoming.givers.all());
        self.remove(id);
        for device in givers.into_iter().flatten() {
            self.refill(context, device);
        }
    }

    fn remove(&mut self, id: ItemId) {
        self.files.remove(&id);
        self.receivers.remove(&id);
    }

    // --- what devices say

    /// The server dropped chunks of a file: wants again what has not arrived on this link (F11).
    pub fn dropped(&mut self, context: &mut Context, from: DeviceId, link: LinkKey, id: ItemId) {
        if let Some((incoming, receiver)) = self.both(id)
            && incoming.givers.has(from)
        {
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
        if incoming.has_ended() {
            return;
        }
        if incoming.source != from {
            // For any other reason it receives the file no more from here.
            if reason == CancelReason::Gone {
                self.lacks(context, from, id);
            }
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
        if incoming.waits_for_source() && !self.searches.contains_key(&id) {
            let file = incoming.file.clone();
            self.begin(context, file, false);
        } else if incoming.paused_by() == Some(End::There) {
            self.goes_on(context, id);
        }
    }

    /// A device left: its transfers wait for it, unless others give them. Those too that its person has paused: it says so again if it is asked when it comes
    /// back (F18).
    pub fn park(&mut self, context: &mut Context, source: DeviceId) {
        self.giver_left(context, source);
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
        self.giver_left(context, source);
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
}
