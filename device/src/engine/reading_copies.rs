//! Reads the server's copies of files (F22): while no device can give a file, and no longer once one can.

use std::time::Duration;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::SMALLEST_BUDGET_BYTES;

use super::context::Context;
use super::contract::{CopyId, Output};
use super::incoming::{Incoming, State};
use super::receiving::Receiving;
use super::stored_copy::{Reading, StoredCopy};
use crate::piece_checks::GivenBy;
use crate::receiver::{LinkKey, Receiver};

/// Bytes of one request: so long that the pauses between them cost little, and so short that little is lost at a change.
const REQUEST_BYTES: u64 = 8 * 1024 * 1024;
/// No device has been able to give anything for so long before the copy is read. A link that is lost is often there again by then. A
/// file of which nothing has come yet does not wait: its person does.
const GRACE: Duration = Duration::from_secs(2);
/// Pause after a request that failed.
const RETRY: Duration = Duration::from_secs(5);
/// Bytes that may wait for the disk before no more is read.
const MOST_WRITING_BYTES: u64 = SMALLEST_BUDGET_BYTES as u64;

impl Incoming {
    /// Whether the rest could come from a copy.
    pub fn has_copy(&self) -> bool {
        self.copy.as_ref().is_some_and(|copy| !copy.is_banned)
    }

    /// Whether the device that shared it is not here, and its copy gives nothing any more.
    pub fn is_forsaken(&self, context: &Context) -> bool {
        let is_banned = self.copy.as_ref().is_some_and(|copy| copy.is_banned);
        is_banned && !context.is_here(self.source)
    }
}

fn is_full(receiver: &Receiver) -> bool {
    receiver.writing() >= MOST_WRITING_BYTES
}

impl Receiving {
    /// The server has a copy of a file that comes here.
    pub fn stored(&mut self, context: &mut Context, id: ItemId, url: String) {
        let Some(incoming) = self.files.get_mut(&id) else { return };
        let is_known = incoming.copy.as_ref().is_some_and(|copy| copy.url == url);
        if is_known || incoming.has_ended() {
            return;
        }
        // Where its source goes and comes back, it is known still.
        incoming.file.url = Some(url.clone());
        self.stop_copy(context, id);
        if let Some(incoming) = self.files.get_mut(&id) {
            incoming.copy = Some(StoredCopy::new(url));
        }
        self.has_way(context, id);
    }

    /// Whether anything comes, or may come, from copies, or waits for one that is no good.
    pub fn has_stored(&self, context: &Context) -> bool {
        let concerns = |one: &Incoming| one.has_copy() || one.is_forsaken(context);
        self.files.values().any(|one| one.is_under_way() && concerns(one))
    }

    /// Called several times a second while a file is under way, and when a piece was hashed.
    pub(super) fn look_at_copy(&mut self, context: &mut Context, id: ItemId) {
        let now = context.now;
        let Some((incoming, receiver)) = self.both(id) else { return };
        if incoming.copy.is_none() {
            return;
        }
        if !incoming.is_open() || incoming.can_be_given(receiver, context) {
            return self.stop_copy(context, id);
        }
        let source = GivenBy::Device(incoming.source);
        let Some(copy) = &mut incoming.copy else { return };
        // What came of the copy meanwhile is no reason to wait for a device once more.
        let is_at_once = copy.has_begun || receiver.received() == 0;
        let grace = if is_at_once { Duration::ZERO } else { GRACE };
        let alone_since = *copy.alone_since.get_or_insert(now);
        if !copy.is_due(now) || now.saturating_sub(alone_since) < grace {
            return;
        }
        for checked in incoming.checking.pieces.vouched_for(&[source, GivenBy::Copy]) {
            self.checked(context, id, checked);
        }
        let Some(incoming) = self.files.get_mut(&id).filter(|one| one.is_open()) else { return };
        let Some(copy) = incoming.copy.as_mut().filter(|copy| copy.is_due(now)) else { return };
        if copy.reading.is_none() {
            self.read_copy(context, id);
        } else if copy.is_silent(now) {
            copy.not_before = now + RETRY;
            self.stop_copy(context, id);
        }
    }

    /// Asks for the next part of a copy, unless all of the file is asked for.
    fn read_copy(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let Some(copy) = incoming.copy.as_mut() else { return };
        let Some(chunks) = receiver.want_run(LinkKey::Stored, REQUEST_BYTES) else { return };
        let number = CopyId(context.number());
        let start = incoming.chunks.start_in_copy(chunks.first);
        let bytes = incoming.chunks.bytes_of(chunks);
        copy.heard_at = context.now;
        copy.has_begun = true;
        copy.reading = Some(Reading {
            copy: number,
            chunks,
            bytes,
            taken: 0,
            rest: Vec::new(),
            waits_for_disk: false,
        });
        context.does(Output::ReadCopy { copy: number, url: copy.url.clone(), start, bytes });
    }

    fn read_by(&self, copy: CopyId) -> Option<ItemId> {
        let is_read =
            |one: &&Incoming| one.copy.as_ref().is_some_and(|known| known.is_read_by(copy));
        self.files.values().find(is_read).map(|incoming| incoming.id)
    }

    /// Bytes of a copy came.
    pub fn copy_bytes(&mut self, context: &mut Context, copy: CopyId, bytes: &[u8]) {
        let Some(id) = self.read_by(copy) else { return };
        let Some((incoming, receiver)) = self.both(id) else { return };
        let Some(stored) = incoming.copy.as_mut() else { return };
        stored.heard_at = context.now;
        let Some((first, whole)) = stored.takes(bytes, incoming.chunks.chunk_bytes()) else {
            context.does(Output::StopCopy(copy));
            return self.copy_failed(context, copy, false);
        };
        let is_all_here = stored.is_all_here();
        if is_all_here {
            stored.reading = None;
        }
        if let Some(clear) = incoming.chunks.clear_bytes(whole.len()).filter(|clear| *clear > 0) {
            incoming.carriers.carried(LinkKey::Stored);
            let fresh = receiver.arrived(first, clear, [LinkKey::Stored]);
            self.write(context, id, first, &fresh, &whole, GivenBy::Copy);
        }
        self.copy_goes_on(context, id, is_all_here);
    }

    /// Asks for more of a copy that is still read.
    fn copy_goes_on(&mut self, context: &mut Context, id: ItemId, is_all_here: bool) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let is_open = incoming.is_open();
        let Some(copy) = incoming.copy.as_mut().filter(|copy| is_open && !copy.is_banned) else {
            return;
        };
        if is_all_here {
            self.read_copy(context, id);
        } else if let Some(reading) = &mut copy.reading {
            reading.waits_for_disk = is_full(receiver);
            if !reading.waits_for_disk {
                context.does(Output::CopyRoom(reading.copy));
            }
        }
    }

    /// The disk has taken bytes of a file.
    pub(super) fn copy_has_room(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let Some(copy) = &mut incoming.copy else { return };
        copy.heard_at = context.now;
        let Some(reading) = &mut copy.reading else { return };
        if reading.waits_for_disk && !is_full(receiver) {
            reading.waits_for_disk = false;
            context.does(Output::CopyRoom(reading.copy));
        }
    }

    /// A copy could not be read.
    pub fn copy_failed(&mut self, context: &mut Context, copy: CopyId, is_gone: bool) {
        let Some(id) = self.read_by(copy) else { return };
        let Some((incoming, receiver)) = self.both(id) else { return };
        receiver.lost(LinkKey::Stored);
        if let Some(stored) = &mut incoming.copy {
            stored.reading = None;
            stored.is_banned |= is_gone;
            stored.not_before = context.now + RETRY;
        }
        self.end_if_gone(context, id);
    }

    /// What a copy gave is wrong: it is not read again.
    pub(super) fn ban_copy(&mut self, context: &mut Context, id: ItemId) {
        if let Some(copy) = self.files.get_mut(&id).and_then(|incoming| incoming.copy.as_mut()) {
            copy.is_banned = true;
        }
        self.stop_copy(context, id);
    }

    /// Ends what is being read. What has not arrived is wanted elsewhere.
    pub(super) fn stop_copy(&mut self, context: &mut Context, id: ItemId) {
        let Some((incoming, receiver)) = self.both(id) else { return };
        let Some(copy) = &mut incoming.copy else { return };
        copy.alone_since = None;
        copy.has_begun = false;
        if let Some(reading) = copy.reading.take() {
            context.does(Output::StopCopy(reading.copy));
            receiver.lost(LinkKey::Stored);
        }
    }

    /// Whether a file waits for a turn that its source, which may not be here, does not give it.
    pub(super) fn waits_for_turn(&self, id: ItemId) -> bool {
        self.files.get(&id).is_some_and(|incoming| {
            let has_way = incoming.has_copy() || incoming.givers.has_others();
            incoming.state == State::Queued && has_way
        })
    }
}
