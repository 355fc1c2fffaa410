//! What this device tells the others that receive the same file, and what it makes of what they tell (F19, F20): who has which
//! pieces, who gets which from the device that shared it, and who gave what is wrong.

use std::collections::BTreeSet;
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::incoming::{Incoming, State};
use super::passing_on::{announce, is_passed_on};
use super::receiving::Receiving;
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{PIECE_CHUNKS, pieces_of};
use crate::frames::ControlFrame;
use crate::piece_checks::GivenBy;
use crate::stall_clock::STALL;

/// How long a device that is to give the last of a file may be silent.
const LAST: Duration = Duration::from_secs(2);

impl Receiving {
    // --- what this device tells

    /// A file begins to be received: asks who else has it or receives it.
    pub(super) fn announce(&mut self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get(&id).filter(|incoming| is_passed_on(&incoming.file))
        else {
            return;
        };
        self.passing.add(id);
        for device in context.ids() {
            if device != incoming.source && context.is_here(device) {
                announce(context, device, id);
            }
        }
    }

    /// Tells a device, on a new link, of the files that this one receives.
    pub fn met(&self, context: &mut Context, device: DeviceId) {
        let is_told = |incoming: &&Incoming| {
            let is_passed = !incoming.has_ended() && is_passed_on(&incoming.file);
            is_passed && incoming.source != device
        };
        for incoming in self.files.values().filter(is_told) {
            announce(context, device, incoming.id);
        }
    }

    /// Tells the others what comes from the device that shared the file. Called whenever something is wanted.
    pub(super) fn claim(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let Some(pieces) = incoming.givers.claims(receiver, context) else { return };
        for device in incoming.givers.others() {
            context.say(device, &ControlFrame::Claim { transfer: id, pieces: pieces.clone() });
        }
    }

    /// Those of some chunks that can be given to others.
    pub fn given(&self, id: ItemId, chunks: ChunkRange) -> Vec<ChunkRange> {
        let Some(incoming) = self.files.get(&id) else { return Vec::new() };
        let Some(chunks) = incoming.file.size.within(chunks) else { return Vec::new() };
        let right = incoming.pieces().map(|right| right.within(pieces_of(chunks)));
        let start = |piece: u32| piece.saturating_mul(PIECE_CHUNKS);
        let given = right.into_iter().flatten().map(|range| {
            let (from, to) = (start(range.first), start(range.end()));
            ChunkRange::between(from.max(chunks.first), to.min(chunks.end()))
        });
        given.filter(|range| !range.is_empty()).collect()
    }

    /// Whether this device may give what it has received (F21).
    pub fn pass_on(&mut self, context: &mut Context, is_allowed: bool) {
        self.passing.allow(is_allowed);
        self.passing.look(context, &self.files);
    }

    // --- what others tell

    /// Another device gives pieces of a file, or receives it too.
    pub fn have(
        &mut self,
        context: &mut Context,
        device: DeviceId,
        id: ItemId,
        pieces: &[ChunkRange],
    ) {
        let Some(incoming) = self.files.get_mut(&id) else { return };
        self.passing.heard(context, device, incoming, pieces.is_empty());
        let is_moving = !incoming.has_ended() && is_passed_on(&incoming.file);
        if !is_moving || !incoming.givers.add(device, pieces) {
            return;
        }
        if matches!(incoming.state, State::Opening | State::Open) {
            context.device(device).scheduler.begin(id);
        }
        self.has_way(context, id);
    }

    /// A file whose turn may have come can come in another way now.
    pub(super) fn has_way(&mut self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get(&id) else { return };
        if incoming.state == State::Queued {
            self.begin_next(context, incoming.source);
        }
        self.refill_all(context, id);
    }

    /// Another device gets pieces from the one that shared the file.
    pub fn claimed(
        &mut self,
        context: &Context,
        device: DeviceId,
        id: ItemId,
        pieces: &[ChunkRange],
    ) {
        if let Some((incoming, receiver)) = self.both(id) {
            incoming.givers.swarm.claims(device, pieces, receiver, context.now);
        }
    }

    /// A device does not have what is wanted of it. It may have other pieces, so it is asked again after a while.
    pub(super) fn lacks(&mut self, context: &mut Context, device: DeviceId, id: ItemId) {
        if self.rest(context, device, id) {
            self.refill_all(context, id);
        }
    }

    /// A device gives nothing any more of the files that others have shared.
    pub(super) fn giver_left(&mut self, context: &mut Context, device: DeviceId) {
        self.passing.left(device);
        let ids: Vec<_> = self.files.keys().copied().collect();
        for id in ids {
            if self.drop_giver(context, device, id) {
                self.refill_all(context, id);
            }
        }
    }

    // --- what is wrong

    /// A piece is wrong, so it is wanted again. A device that gave all of it gives nothing of the file any more; one of several
    /// that gave it cannot be told from the others.
    pub(super) fn wrong(
        &mut self,
        context: &mut Context,
        id: ItemId,
        piece: u32,
        givers: &BTreeSet<GivenBy>,
    ) {
        let Some(incoming) = self.files.get(&id) else { return };
        // Where another device gave a part as well, nobody knows which of the two is wrong.
        if givers.iter().all(|giver| incoming.is_trusted(*giver)) {
            if givers.contains(&GivenBy::Copy) {
                self.ban_copy(context, id);
            }
            self.count_wrong(context, id);
        }
        let only = givers.first().filter(|_| givers.len() == 1);
        if !only.is_some_and(|giver| self.ban(context, id, *giver))
            && let Some(incoming) = self.files.get_mut(&id)
        {
            incoming.givers.swarm.suspects(piece);
        }
    }

    /// Chunks do not open (E7). Unlike with a piece, it is certain who gave them: that device gives nothing of the file any more.
    pub(super) fn unopened(
        &mut self,
        context: &mut Context,
        id: ItemId,
        range: ChunkRange,
        giver: GivenBy,
    ) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        receiver.dropped(range);
        let is_trusted = incoming.is_trusted(giver);
        if giver == GivenBy::Copy {
            self.ban_copy(context, id);
        }
        if is_trusted {
            self.count_wrong(context, id);
        }
        self.ban(context, id, giver);
        self.refill_all(context, id);
    }

    /// Another device gave what is wrong: it is not asked again. Returns whether it was one.
    fn ban(&mut self, context: &mut Context, id: ItemId, giver: GivenBy) -> bool {
        let GivenBy::Device(device) = giver else { return false };
        let is_one = self.drop_giver(context, device, id);
        if let Some(incoming) = self.files.get_mut(&id).filter(|_| is_one) {
            incoming.givers.ban(device);
        }
        is_one
    }

    /// Another device gives nothing, or not what it has named: it is not asked for a while. Returns whether it was one.
    fn rest(&mut self, context: &mut Context, device: DeviceId, id: ItemId) -> bool {
        let is_one = self.drop_giver(context, device, id);
        if let Some(incoming) = self.files.get_mut(&id).filter(|_| is_one) {
            incoming.givers.rest(device, context.now);
        }
        is_one
    }

    /// Another device gives nothing of a file any more. What was expected of it is wanted elsewhere. Returns whether it was one.
    fn drop_giver(&mut self, context: &mut Context, device: DeviceId, id: ItemId) -> bool {
        let Some((incoming, receiver)) = self.both(id) else { return false };
        if !incoming.givers.remove(device) {
            return false;
        }
        context.link_keys(device).into_iter().for_each(|link| receiver.lost(link));
        context.device(device).scheduler.end(id);
        true
    }

    // --- what goes on

    /// Lets a file be wanted of all who give it.
    pub(super) fn begin_givers(&self, context: &mut Context, id: ItemId) {
        let Some(incoming) = self.files.get(&id) else { return };
        for device in incoming.givers.all() {
            if device != incoming.source || incoming.source_out.is_none() {
                context.device(device).scheduler.begin(id);
            }
        }
    }

    /// Lets nothing more be wanted of a file. Others than its source are told if they owe chunks.
    pub(super) fn end_givers(&self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.files.get(&id).zip(self.receivers.get(&id)) else {
            return;
        };
        for device in incoming.givers.all() {
            let is_owing = super::givers::waiting(receiver, device, context) > 0;
            if device != incoming.source && is_owing {
                let reason = crate::frames::CancelReason::Person;
                context.say(device, &ControlFrame::Cancel { transfer: id, reason });
            }
            context.device(device).scheduler.end(id);
        }
    }

    /// Looks after those who give a file. Called several times a second while it moves.
    pub(super) fn tick_givers(&mut self, context: &mut Context, id: ItemId) {
        self.drop_silent(context, id);
        let Some((incoming, receiver)) = self.both(id) else { return };
        // Those that were left alone for a while are asked again.
        for device in incoming.givers.rested(context.now) {
            if context.is_here(device) {
                announce(context, device, id);
            }
        }
        incoming.givers.tick(receiver, context);
        self.claim(context, id);
    }

    /// Wants elsewhere what another device was to give and does not. At the end of a file nobody waits long for one that is slow.
    fn drop_silent(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let most = if receiver.unasked() == 0 { LAST } else { STALL };
        for device in incoming.givers.silent(receiver, most, context) {
            self.lacks(context, device, id);
        }
    }

    /// This device slept.
    pub fn woke(&mut self, now: Duration) {
        self.files.values_mut().for_each(|incoming| incoming.givers.woke(now));
    }
}

impl Incoming {
    /// The pieces that are here and right; `None` while they cannot be read.
    pub fn pieces(&self) -> Option<&ChunkSet> {
        (self.is_place_open || self.is_done()).then(|| self.checking.pieces.right())
    }

    /// Whether what this gives is right where the device that shared the file says nothing else: that one, and the copy that it
    /// stored.
    pub fn is_trusted(&self, giver: GivenBy) -> bool {
        giver == GivenBy::Copy || giver == GivenBy::Device(self.source)
    }
}
