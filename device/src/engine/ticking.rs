//! What time changes: links that are dead, ends to say again, and progress to report.

use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use super::Engine;
use super::contract::Output;
use super::remote_device::RemoteDevice;
use crate::receiver::LinkKey;

/// How often the engine looks after everything that moves.
const INTERVAL: Duration = Duration::from_millis(250);
/// A tick that comes so late means that the device slept. The silence until then says nothing about the links.
const SLEPT: Duration = Duration::from_secs(2);

impl Engine {
    /// When to give the next `Tick`; `None` while nothing moves or is waited for.
    #[must_use]
    pub fn next_tick(&self) -> Option<Duration> {
        self.ticked_at.map(|at| at + INTERVAL)
    }

    /// Begins to tick when something moves. The tick that finds nothing ends it.
    pub(super) fn keep_ticking(&mut self) {
        if self.ticked_at.is_none() && self.is_busy() {
            self.ticked_at = Some(self.context.now);
        }
    }

    /// Whether a device that is here has not answered yet to the end of a transfer that it was told (F7). One that hears of it no more
    /// sends or asks once more.
    #[must_use]
    pub fn has_unheard_ends(&self) -> bool {
        self.context.devices.values().any(|device| device.is_here() && device.ends.are_left())
    }

    fn is_busy(&self) -> bool {
        let is_any = self.context.devices.values().any(|device| {
            let is_moving =
                self.receiving.is_moving_from(device.id) || self.sending.is_moving_to(device.id);
            let waits = device.is_relay_paused() || device.ends.are_left();
            device.is_here() && (is_moving || waits || device.bundle_size() > 1)
        });
        is_any || self.receiving.has_stored(&self.context)
    }

    pub(super) fn tick(&mut self) {
        let now = self.context.now;
        let has_slept = self.ticked_at.is_some_and(|at| now.saturating_sub(at) > SLEPT);
        self.ticked_at = Some(now);
        if has_slept {
            let devices = self.context.devices.values_mut();
            for link in devices.flat_map(RemoteDevice::links_mut) {
                link.clock.touch(now);
            }
            self.receiving.woke(now);
        }
        for id in self.context.ids() {
            if self.context.device(id).resumes_relay(now) {
                self.sending.say_dropped(&mut self.context, id);
                self.say_unheard(id);
                self.pump_relay(id);
            }
            for end in self.context.device(id).ends.say_again(now) {
                self.context.say(id, &end);
            }
            self.find_stalls(id);
            self.probe(id);
            self.fit_links(id);
            self.receiving.refill(&mut self.context, id);
            if self.context.is_here(id) {
                self.sending.tick(&mut self.context, id);
            }
        }
        self.receiving.tick(&mut self.context);
        self.sending.end_overdue(&mut self.context);
        self.ticked_at = self.is_busy().then_some(now);
    }

    fn pump_relay(&mut self, id: DeviceId) {
        let relay = LinkKey::Relay(id);
        self.sending.pump(&mut self.context, id, relay);
    }

    fn fit_links(&mut self, id: DeviceId) {
        let (relay, now, most) = (self.context.relay, self.context.now, self.most);
        let device = self.context.device(id);
        let before = device.bundle_size();
        let size = device.fit_links(&self.receiving.receivers, relay, most, now);
        if size != before {
            self.context.does(Output::Bundle { device: id, size });
        }
    }

    /// Measures the round trip of the links on which something is expected (F15).
    fn probe(&mut self, id: DeviceId) {
        let now = self.context.now;
        for key in self.context.routes(id) {
            let device = self.context.device(id);
            let is_waiting = device.scheduler.waiting_on(&self.receiving.receivers, key) > 0;
            let is_pinging = device.link_mut(key).is_none_or(|link| link.is_pinging(now));
            if is_waiting && !is_pinging && device.scheduler.meter(key).probe(now) {
                self.context.ping(id, key);
            }
        }
    }

    /// Finds dead links. Only what this device wants there is lost; the other device decides about its own `want`.
    fn find_stalls(&mut self, id: DeviceId) {
        let now = self.context.now;
        let receivers = &mut self.receiving.receivers;
        let device = self.context.device(id);
        let waits = |key: LinkKey| device.scheduler.waiting_on(receivers, key) > 0;
        let waiting: Vec<_> = device.links().filter(|link| waits(link.key)).collect();
        // A link is given more time for the others that take their share of its way, but none for others that are as silent.
        let is_carried = waiting
            .iter()
            .any(|link| matches!(link.key, LinkKey::Direct(_)) && !link.clock.is_silent(now));
        let sharing = if is_carried { u32::try_from(waiting.len()).unwrap_or(u32::MAX) } else { 1 };
        let is_dead = |link: &&&super::link::Link| link.clock.is_stalled(now, sharing);
        let dead: Vec<_> = waiting.iter().filter(is_dead).map(|link| link.key).collect();
        for key in dead {
            if let LinkKey::Direct(link) = key {
                self.context.does(Output::Close { device: id, link, is_stalled: true });
            } else {
                self.context.device(id).scheduler.lost(receivers, key);
            }
        }
    }
}
