//! The devices that come and go, and the links to them.

use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES;
use heliograph_shared::relay::RelayUse;

use super::Engine;
use super::contract::{Buffer, Listed, Output, Refusal};
use super::link::Link;
use super::remote_device::is_up;
use crate::receiver::LinkKey;

impl Engine {
    pub(super) fn set_devices(&mut self, devices: &[Listed]) {
        for id in self.context.ids() {
            let is_listed = self.context.device(id).is_listed();
            if is_listed && !devices.iter().any(|listed| listed.id == id) {
                self.context.device(id).unlist(&mut self.receiving.receivers);
                self.left(id);
            }
        }
        for Listed { id, is_direct } in devices {
            self.removed.remove(id);
            let now = self.context.now;
            let device = self.context.device(*id);
            if device.is_listed() {
                continue;
            }
            device.list(*is_direct, now);
            self.say_unheard(*id);
            self.receiving.retry(&mut self.context, *id);
            self.receiving.refill(&mut self.context, *id);
        }
    }

    /// Repeats on a new link what the device may not have heard.
    pub(super) fn say_unheard(&mut self, id: DeviceId) {
        let now = self.context.now;
        for end in self.context.device(id).ends.say_on_new_link(now) {
            self.context.say(id, &end);
        }
        self.sending.say_offers(&mut self.context, id);
        self.receiving.met(&mut self.context, id);
    }

    pub(super) fn remove(&mut self, devices: &[DeviceId]) {
        for id in devices {
            self.removed.insert(*id);
            if !self.context.devices.contains_key(id) {
                continue;
            }
            self.sending.removed(&mut self.context, *id);
            self.receiving.removed(&mut self.context, *id);
            let device = self.context.device(*id);
            device.unlist(&mut self.receiving.receivers);
            let links: Vec<_> = device.direct.iter().map(|link| link.key).collect();
            for link in links {
                self.close(*id, link, false);
            }
            self.left(*id);
        }
    }

    pub(super) fn close(&mut self, device: DeviceId, link: LinkKey, is_stalled: bool) {
        if let LinkKey::Direct(link) = link {
            self.context.does(Output::Close { device, link, is_stalled });
        }
    }

    /// A device is no longer listed, or a link to it closed. It is away only when no link is left.
    fn left(&mut self, id: DeviceId) {
        if !self.context.is_here(id) {
            self.receiving.park(&mut self.context, id);
            self.sending.park_all(&mut self.context, id);
            self.drop_unused(id);
        }
    }

    /// Forgets a device that has no link and no transfer.
    pub(super) fn drop_unused(&mut self, id: DeviceId) {
        let is_known = self.receiving.knows(id) || self.sending.knows(id);
        if !is_known && !self.context.is_here(id) {
            self.context.devices.remove(&id);
        }
    }

    pub(super) fn set_relay(&mut self, relay: Option<RelayUse>) {
        let was_up = is_up(self.context.relay);
        self.context.relay = relay;
        for id in self.context.ids() {
            if is_up(relay) {
                self.say_unheard(id);
                // Its program may have begun anew meanwhile, and then knows of no pause.
                if !was_up {
                    self.receiving.retry(&mut self.context, id);
                }
            } else {
                self.lost_relay(id);
            }
            self.receiving.refill(&mut self.context, id);
        }
    }

    /// The server refused one of our frames. It does not say which, so what was lost is asked for again (R2, R3).
    pub(super) fn refused(&mut self, id: DeviceId, why: Refusal) {
        let now = self.context.now;
        let Some(device) = self.context.devices.get_mut(&id) else { return };
        if why == Refusal::Forbidden && device.direct.is_empty() {
            return self.sending.forbidden(&mut self.context, id);
        }
        device.pause_relay(now);
        if why == Refusal::Gone {
            self.lost_relay(id);
        }
    }

    fn lost_relay(&mut self, id: DeviceId) {
        let device = self.context.device(id);
        device.lost_relay(&mut self.receiving.receivers);
        if device.direct.is_empty() {
            self.sending.lost_link(&mut self.context, id);
        }
    }

    pub(super) fn opened(&mut self, id: DeviceId, link: u64, place: u32, max_frame: usize) {
        let key = LinkKey::Direct(link);
        if self.removed.contains(&id) {
            return self.close(id, key, false);
        }
        let device = self.context.device(id);
        device.opened(Link::new(key, place, max_frame.min(MAX_RELAYED_FRAME_BYTES)));
        let is_first = device.direct.len() == 1;
        self.say_unheard(id);
        // Its program may have begun anew while this device could not see it leave.
        if is_first {
            self.receiving.retry(&mut self.context, id);
        }
        // What was wanted through the server still arrives there; what is wanted next goes over the direct link.
        self.receiving.refill(&mut self.context, id);
    }

    pub(super) fn closed(&mut self, id: DeviceId, link: u64) {
        let Some(device) = self.context.devices.get_mut(&id) else { return };
        device.closed(link, &mut self.receiving.receivers);
        let has_direct = !device.direct.is_empty();
        self.say_unheard(id);
        self.receiving.refill(&mut self.context, id);
        // On another link the device wants at once what it does not get here.
        if !has_direct {
            self.sending.lost_link(&mut self.context, id);
        }
        self.left(id);
    }

    pub(super) fn buffered(&mut self, id: DeviceId, key: LinkKey, buffer: Buffer) {
        let Some(device) = self.context.devices.get_mut(&id) else { return };
        if let Some(link) = device.link_mut(key) {
            link.buffer = buffer;
            self.sending.pump(&mut self.context, id, key);
        }
    }

    pub(super) fn measured(&mut self, id: DeviceId, key: LinkKey, token: [u8; 16]) {
        let now = self.context.now;
        let device = self.context.device(id);
        let pong = device.link_mut(key).and_then(|link| link.pong(token, now));
        if let Some(round_trip) = pong {
            device.scheduler.meter(key).answered(round_trip, now);
            self.receiving.refill(&mut self.context, id);
        }
    }
}
