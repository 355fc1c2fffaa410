//! Takes the chunks that come, and what the I/O answers about them.

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::{FileFailure, Output, Place};
use super::incoming::Incoming;
use super::receiving::Receiving;
use crate::chunk_set::ChunkRange;
use crate::frames::Chunk;
use crate::piece_checks::GivenBy;
use crate::receiver::LinkKey;

impl Receiving {
    // --- what devices send

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
        // It was asked before, and may still receive the file from here: a cancel would end that too.
        if !incoming.givers.has(from) {
            return;
        }
        if incoming.refusal().is_some() {
            if incoming.source == from {
                self.unexpected(context, id);
            }
            return;
        }
        self.take(context, from, link, chunk);
        // The link has room again, also while the disk is still writing.
        self.refill(context, from);
    }

    /// Chunks of a file that does not come here. One that is still searched for may go on, and wants them again then.
    fn refuse(&mut self, context: &mut Context, from: DeviceId, link: LinkKey, id: ItemId) {
        if self.searches.contains_key(&id) {
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
        let Some(incoming) = self.files.get_mut(&id).filter(|one| one.is_open()) else { return };
        let Some(clear) = incoming.chunks.clear_bytes(bytes.len()) else { return };
        incoming.carriers.carried(link);
        let scheduler = &mut context.device(from).scheduler;
        let fresh = scheduler.arrived(&mut self.receivers, id, link, first, clear, now);
        // Signs of life and chunks that nobody wanted do not count: it may send them for ever (F20).
        if !fresh.is_empty() {
            incoming.givers.gave(from, now);
        }
        self.write(context, id, first, &fresh, bytes, GivenBy::Device(from));
    }

    /// Writes some of the chunks that came, from `first` on.
    pub(super) fn write(
        &mut self,
        context: &mut Context,
        id: ItemId,
        first: u32,
        fresh: &[ChunkRange],
        bytes: &[u8],
        giver: GivenBy,
    ) {
        for range in fresh {
            let Some(incoming) = self.files.get_mut(&id).filter(|one| one.is_open()) else {
                return;
            };
            let Some(place) = incoming.place else { return };
            match opened(incoming, first, *range, bytes) {
                Some(bytes) => {
                    incoming.checking.pieces.came(*range, giver);
                    context.does(Output::Write { id, place, chunks: *range, bytes });
                }
                None => self.unopened(context, id, *range, giver),
            }
        }
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
