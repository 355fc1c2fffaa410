//! Moves files between this device and the others (`PROTOCOL.md`, section F): which files are offered and received, on which
//! links, and whose turn it is. It is told what happened, and says what to do ([`contract`]). It knows the devices and their links;
//! `receiving` and `sending` own the transfers.

mod arriving;
mod checking;
mod chunks;
mod context;
pub mod contract;
mod givers;
mod incoming;
pub mod incoming_file;
mod keeping;
mod link;
mod links;
mod missed_files;
mod offered_file;
mod offers;
mod outgoing;
mod passing_on;
mod piece_hashes;
pub mod progress;
mod pump;
mod reading_copies;
mod receiving;
mod receiving_ends;
mod remote_device;
mod sending;
mod sending_choices;
mod sending_ends;
mod stored_copy;
mod swarming;
mod ticking;
mod wanting;

use std::collections::BTreeSet;
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};

use crate::bundle::MOST_CONNECTIONS;
use crate::frames::{ControlFrame, Frame};
use crate::receiver::LinkKey;
use context::Context;
use contract::{Input, Output, ReadId};
use incoming::Ending;
use passing_on::Change;
use receiving::Receiving;
use sending::Sending;

/// Moves the files of one device.
pub struct Engine {
    context: Context,
    receiving: Receiving,
    sending: Sending,
    /// Devices that were removed from the beam. A link to one may still carry its frames.
    removed: BTreeSet<DeviceId>,
    /// The most connections that a bundle may have.
    most: u32,
    /// When it last looked after everything; `None` while nothing moves.
    ticked_at: Option<Duration>,
}

impl Engine {
    /// An engine that knows of no device and no file. `seed` is a random number.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            context: Context::new(seed),
            receiving: Receiving::default(),
            sending: Sending::default(),
            removed: BTreeSet::new(),
            most: MOST_CONNECTIONS,
            ticked_at: None,
        }
    }

    /// Takes what happened, at a time by a clock that does not go back, and returns what to do, in this order.
    pub fn handle(&mut self, input: Input, now: Duration) -> Vec<Output> {
        self.context.now = now;
        self.obey(input);
        self.pass_on();
        self.keep_ticking();
        std::iter::from_fn(|| self.context.next_output()).collect()
    }

    fn obey(&mut self, input: Input) {
        let Self { context, receiving, sending, .. } = self;
        match input {
            Input::Devices(devices) => self.set_devices(&devices),
            Input::Removed(devices) => self.remove(&devices),
            Input::Relay(relay) => self.set_relay(relay),
            Input::Refused { device, why } => self.refused(device, why),
            Input::LinkOpened { device, link, place, max_frame } => {
                self.opened(device, link, place, max_frame);
            }
            Input::LinkClosed { device, link } => self.closed(device, link),
            Input::Frame { from, link, frame } => self.frame(from, link, &frame),
            Input::Buffered { device, link, buffer } => self.buffered(device, link, buffer),
            Input::MostConnections(most) => self.most = most.clamp(1, MOST_CONNECTIONS),
            Input::PassOn(is_allowed) => receiving.pass_on(context, is_allowed),
            Input::Stored { id, url } => receiving.stored(context, id, url),
            Input::CopyBytes { copy, bytes } => receiving.copy_bytes(context, copy, &bytes),
            Input::CopyFailed { copy, is_gone } => receiving.copy_failed(context, copy, is_gone),
            Input::Offer { id, size, seal } => sending.offer(context, id, size, seal.as_ref()),
            Input::Search { id, from } => receiving.search(id, from),
            Input::Receive(file) => receiving.receive(context, file),
            Input::Cancel { id, device } => {
                if device.is_none() {
                    receiving.cancel(context, id);
                }
                sending.cancel(context, id, device);
            }
            Input::Pause { id, device } => {
                if device.is_none() {
                    receiving.pause(context, id);
                }
                sending.pause(context, id, device);
            }
            Input::Resume { id, device } => {
                if device.is_none() {
                    receiving.resume(context, id);
                }
                sending.resume(context, id, device);
            }
            Input::Forget(id) => self.forget(id, Ending::Cancelled),
            Input::Leave(id) => self.forget(id, Ending::Interrupted),
            Input::Opened { id, place, result } => receiving.opened(context, id, place, result),
            Input::Wrote { id, place, chunks, result } => {
                receiving.wrote(context, id, place, chunks, result);
            }
            Input::NotKept { id, place, why } => receiving.not_kept(context, id, place, why),
            Input::Finished { id, place, result } => receiving.finished(context, id, place, result),
            Input::Read { read, bytes } => self.was_read(read, bytes),
            Input::Tick => self.tick(),
        }
    }

    /// Lets others want what this device may pass on now, and nothing else that it has received.
    fn pass_on(&mut self) {
        for change in self.receiving.passing.changes() {
            match change {
                Change::Passed(id) => {
                    if let Some(incoming) = self.receiving.files.get(&id) {
                        self.sending.pass(&mut self.context, &incoming.file);
                    }
                }
                Change::Withdrawn(id) => self.sending.unpass(&mut self.context, id),
            }
        }
    }

    fn forget(&mut self, id: ItemId, how: Ending) {
        self.receiving.drop(&mut self.context, id, how);
        self.sending.forget(&mut self.context, id);
        for device in self.context.ids() {
            self.drop_unused(device);
        }
    }

    fn was_read(&mut self, read: ReadId, mut bytes: Option<Vec<u8>>) {
        if !self.sending.was_read(&mut self.context, read, &mut bytes) {
            self.receiving.was_read(&mut self.context, read, bytes.as_deref());
        }
    }

    fn frame(&mut self, from: DeviceId, link: LinkKey, bytes: &[u8]) {
        if self.removed.contains(&from) {
            return;
        }
        let Self { context, receiving, .. } = self;
        context.device(from);
        match Frame::decode(bytes) {
            None => {}
            Some(Frame::Chunk(chunk)) => receiving.chunk(context, from, link, chunk),
            Some(Frame::Control(frame)) => self.control(from, link, frame),
        }
    }

    fn control(&mut self, from: DeviceId, link: LinkKey, frame: ControlFrame) {
        let Self { context, receiving, sending, .. } = self;
        match frame {
            ControlFrame::Want { transfer, chunks } => {
                // What was wanted on a link that has closed is wanted again on another.
                if context.device(from).link_mut(link).is_some() {
                    let given = receiving.given(transfer, chunks);
                    sending.wanted(context, from, link, (transfer, chunks), &given);
                }
            }
            ControlFrame::Done { transfer } => {
                sending.done(context, from, transfer);
                context.say_on(from, link, &ControlFrame::Ended { transfer });
            }
            ControlFrame::Cancel { transfer, reason } => {
                receiving.cancelled_by_them(context, from, transfer, reason);
                sending.cancelled_by_them(context, from, transfer, reason);
                context.say_on(from, link, &ControlFrame::Ended { transfer });
            }
            ControlFrame::Ended { transfer } => {
                let now = context.now;
                if let Some(again) = context.device(from).ends.heard(transfer, now) {
                    context.say(from, &again);
                }
                sending.heard_end(context, from, transfer);
                receiving.refill(context, from);
            }
            ControlFrame::Dropped { transfer } => receiving.dropped(context, from, link, transfer),
            ControlFrame::Hashes { transfer, first, hashes } => {
                receiving.hashes(context, from, transfer, first, &hashes);
            }
            ControlFrame::Ask { transfer, pieces } => {
                sending.asked(context, from, transfer, pieces);
            }
            ControlFrame::Have { transfer, pieces } => {
                receiving.have(context, from, transfer, &pieces);
            }
            ControlFrame::Claim { transfer, pieces } => {
                receiving.claimed(context, from, transfer, &pieces);
            }
            ControlFrame::Offered { transfer } => receiving.offered(context, from, transfer),
            ControlFrame::Ping { token } => {
                context.say_on(from, link, &ControlFrame::Pong { token });
            }
            ControlFrame::Pong { token } => self.measured(from, link, token),
        }
    }
}
