//! Begins the files whose turn has come, and wants chunks of those who give them.

use std::collections::BTreeMap;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::incoming::{Incoming, State};
use super::receiving::Receiving;
use super::remote_device::RemoteDevice;
use crate::chunk_set::ChunkRange;
use crate::frames::ControlFrame;
use crate::receiver::Receiver;
use crate::scheduler::{Supply, Want};
use crate::unheard_ends::UnheardEnds;

/// What a device gives now.
struct Given<'a> {
    device: DeviceId,
    files: &'a mut BTreeMap<ItemId, Incoming>,
    ends: &'a UnheardEnds,
}

impl Supply for Given<'_> {
    fn is_ready(&self, transfer: ItemId) -> bool {
        // An older transfer of the same item may not have ended at the source; its late frames must not go into this one.
        self.files.get(&transfer).is_some_and(Incoming::is_open) && !self.ends.is_ending(transfer)
    }

    fn unasked(&self, transfer: ItemId, receiver: &Receiver) -> u64 {
        let incoming = self.files.get(&transfer);
        incoming.map_or(0, |incoming| incoming.givers.swarm.unasked(self.device, receiver))
    }

    fn next(&mut self, transfer: ItemId, receiver: &Receiver, limit: u32) -> Option<ChunkRange> {
        self.files.get_mut(&transfer)?.givers.swarm.next(self.device, receiver, limit)
    }
}

impl Receiving {
    /// Wants more of every device that gives a file.
    pub fn refill_all(&mut self, context: &mut Context, id: ItemId) {
        let givers = self.files.get(&id).map(|incoming| incoming.givers.all());
        for device in givers.into_iter().flatten() {
            self.refill(context, device);
        }
    }

    /// Begins the files whose turn has come, and wants as much as the links have room for (F4).
    pub fn refill(&mut self, context: &mut Context, device: DeviceId) {
        let links = context.routes(device);
        if links.is_empty() {
            return;
        }
        let is_source = |id| self.files.get(&id).is_some_and(|one| one.source == device);
        if context.device(device).scheduler.has_turn(&self.receivers, is_source) {
            self.begin_next(context, device);
        }
        let now = context.now;
        loop {
            let Some(RemoteDevice { scheduler, ends, .. }) = context.devices.get_mut(&device)
            else {
                return;
            };
            let idle: Vec<_> = links
                .iter()
                .filter(|link| scheduler.waiting_on(&self.receivers, **link) == 0)
                .copied()
                .collect();
            let given = Given { device, files: &mut self.files, ends };
            let Some(want) = scheduler.want(&mut self.receivers, &links, given, now) else {
                return;
            };
            says(context, device, want, idle.contains(&want.link));
            if let Some(incoming) = self.files.get_mut(&want.transfer) {
                incoming.givers.wanted(device, now);
            }
            self.claim(context, want.transfer);
        }
    }

    /// Begins the files that a device has shared, in their order, as far as their turn has come. What cannot come now, from that
    /// device or from elsewhere, keeps no other file from its turn.
    pub fn begin_next(&mut self, context: &mut Context, source: DeviceId) {
        let is_meant = |incoming: &&Incoming| {
            let is_under_way = incoming.source == source && incoming.is_under_way();
            is_under_way && self.can_come(incoming, context)
        };
        let mut files: Vec<_> = self
            .files
            .values()
            .filter(is_meant)
            .map(|incoming| (incoming.number, incoming.id, incoming.state == State::Queued))
            .collect();
        files.sort_unstable();
        let begun = files.iter().filter(|(.., is_queued)| !is_queued);
        let begun: Vec<_> = begun.map(|(_, id, _)| *id).collect();
        let turns = context.device(source).scheduler.turns_beside(&self.receivers, &begun);
        for (_, id, _) in files.into_iter().filter(|(.., is_queued)| *is_queued).take(turns) {
            self.begin_givers(context, id);
            if let Some(incoming) = self.files.get_mut(&id) {
                incoming.open(context);
            }
            // The last of it may have come while it was paused.
            self.finish_if_complete(context, id);
        }
    }

    fn can_come(&self, incoming: &Incoming, context: &Context) -> bool {
        let receiver = self.receivers.get(&incoming.id);
        let is_given = receiver.is_some_and(|receiver| incoming.can_be_given(receiver, context));
        is_given || incoming.givers.has_others() || incoming.has_copy()
    }
}

/// Says what is wanted. `is_first`: nothing was expected on the link before.
fn says(context: &mut Context, device: DeviceId, want: Want, is_first: bool) {
    let Want { link: key, transfer, range: chunks } = want;
    let now = context.now;
    let to = context.device(device);
    let mut is_pinging = true;
    if let Some(link) = to.link_mut(key) {
        is_pinging = link.is_pinging(now);
        if is_first {
            link.clock.touch(now);
        }
    }
    let is_probed = !is_pinging && to.scheduler.meter(key).probe(now);
    context.say_on(device, key, &ControlFrame::Want { transfer, chunks });
    if is_probed {
        context.ping(device, key);
    }
}
