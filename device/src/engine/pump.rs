//! Sends the chunks that are wanted on one link, frame by frame as there is room. A frame whose bytes are not in memory is read
//! aside, so that a file which is read slowly, or never, holds up no other; it is sent as soon as it is read.

use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::contract::Output;
use super::link::Reading;
use super::sending::Sending;
use crate::file_size::pieces_of;
use crate::frames::{chunk_frame, chunks_per_frame};
use crate::receiver::LinkKey;
use crate::send_queue::Turn;

/// Pause between the signs of life while a file is read (F12). Some files are fetched by the system before it reads them.
const SIGN_INTERVAL: Duration = Duration::from_secs(2);

impl Sending {
    /// Sends what there is room for.
    pub(super) fn pump(&mut self, context: &mut Context, device: DeviceId, key: LinkKey) {
        while let Some((turn, frame)) = next(self, context, device, key) {
            let Some(link) = context.device(device).link_mut(key) else { return };
            // It was paused or cancelled meanwhile.
            if !link.queue.sent(turn) {
                continue;
            }
            let bytes = frame.len() as u64;
            link.buffer.room = link.buffer.room.saturating_sub(bytes);
            link.buffer.unsent += bytes;
            if let Some(outgoing) = self.outgoing(turn.transfer, device) {
                outgoing.sender.gave(turn.range);
                outgoing.carriers.carried(key);
            }
            context.does(Output::Send { device, link: key, frame });
        }
    }

    /// A piece of a file was read: sends what waited for it.
    pub(super) fn send_read(&mut self, context: &mut Context, id: ItemId) {
        let devices: Vec<_> =
            self.offers.get(&id).into_iter().flat_map(|offer| offer.to.keys().copied()).collect();
        for device in devices {
            let keys: Vec<_> = context.device(device).links().map(|link| link.key).collect();
            for key in keys {
                let Some(link) = context.device(device).link_mut(key) else { continue };
                let is_of = |reading: &mut Reading| reading.turn.transfer == id;
                let waiting: Vec<_> = link.reading.extract_if(.., is_of).collect();
                if waiting.is_empty() {
                    continue;
                }
                for reading in waiting {
                    match frame(self, reading.turn) {
                        None => {}
                        Some(Ok(frame)) => link.read.push_back((reading.turn, frame)),
                        Some(Err(_)) => link.reading.push(reading),
                    }
                }
                request_again(self, context, device, key, id);
                self.pump(context, device, key);
            }
        }
    }
}

impl Context {
    /// Whether a piece is being read for a device.
    pub(super) fn waits_for(&mut self, device: DeviceId, id: ItemId, piece: u32) -> bool {
        let has = |turn: Turn<ItemId>| {
            let pieces = pieces_of(turn.range);
            turn.transfer == id && (pieces.first..pieces.end()).contains(&piece)
        };
        let mut reading = self.device(device).links().flat_map(|link| &link.reading);
        reading.any(|reading| has(reading.turn))
    }
}

/// The next frame that is in memory, while there is room for one.
fn next(
    sending: &mut Sending,
    context: &mut Context,
    device: DeviceId,
    key: LinkKey,
) -> Option<(Turn<ItemId>, Vec<u8>)> {
    loop {
        let (relay, now) = (context.relay, context.now);
        let to = context.device(device);
        if !to.can_carry(key, relay) {
            return None;
        }
        let link = to.link_mut(key).filter(|link| link.buffer.room > 0)?;
        if let Some(read) = link.read.pop_front() {
            return Some(read);
        }
        let turn = link.queue.next(chunks_per_frame(link.max_frame))?;
        match frame(sending, turn) {
            None => drop(link.queue.sent(turn)),
            Some(Ok(frame)) => return Some((turn, frame)),
            Some(Err(missing)) => {
                link.reading.push(Reading { turn, sign_at: now });
                for piece in missing {
                    sending.request(context, turn.transfer, piece);
                }
            }
        }
    }
}

/// `None` for a file that is offered no more.
fn frame(sending: &mut Sending, turn: Turn<ItemId>) -> Option<Result<Vec<u8>, Vec<u32>>> {
    let offer = sending.offers.get(&turn.transfer)?;
    Some(offer.file.frame(turn.range, &mut sending.memory))
}

/// A piece that was in memory may have been let go before the other one of the same frame came.
fn request_again(
    sending: &mut Sending,
    context: &mut Context,
    device: DeviceId,
    key: LinkKey,
    id: ItemId,
) {
    let Some(link) = context.device(device).link_mut(key) else { return };
    let waiting = link.reading.iter().map(|reading| reading.turn);
    let waiting: Vec<_> = waiting.filter(|turn| turn.transfer == id).collect();
    for turn in waiting {
        if let Some(Err(missing)) = frame(sending, turn) {
            for piece in missing {
                sending.request(context, id, piece);
            }
        }
    }
}

/// Says on each link that what is wanted there is still being read. Called several times a second.
pub fn signs(context: &mut Context, device: DeviceId) {
    let (now, relay) = (context.now, context.relay);
    let Some(to) = context.devices.get_mut(&device) else { return };
    let can_relay = to.can_relay(relay);
    let mut signs = Vec::new();
    for link in to.links_mut().filter(|link| can_relay || !matches!(link.key, LinkKey::Relay(_))) {
        for Reading { turn, sign_at } in &mut link.reading {
            if now.saturating_sub(*sign_at) >= SIGN_INTERVAL {
                *sign_at = now;
                signs.push((link.key, chunk_frame(turn.transfer, turn.range.first, &[])));
            }
        }
    }
    for (link, frame) in signs {
        context.does(Output::Send { device, link, frame });
    }
}
