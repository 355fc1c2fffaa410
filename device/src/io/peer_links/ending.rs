//! How the connections of a bundle end, and what follows (L3, L4, L7).

use std::time::Duration;

use super::PeerLinks;
use super::attempt::{Attempt, Command, Slot};
use crate::io::direct_link::LinkKind;

impl PeerLinks {
    pub(super) fn ended(&mut self, slot: Slot, link: u64, now: Duration) {
        let Some(attempt) = self.attempts.get(&slot).filter(|attempt| attempt.link == link) else {
            return;
        };
        let (kind, is_of_now, device) = (attempt.kind, !attempt.is_older, slot.device);
        if is_of_now {
            self.ways.ended(slot, kind);
        }
        self.take_down(slot);
        if !self.begins(device) || slot.place >= self.size_of(device) {
            return;
        }
        if kind == LinkKind::Quic && slot.place == 0 {
            // The other way has not failed, nor this one where another network is behind a gap.
            self.build(slot, now);
        } else {
            self.pauses.retry(slot, now);
        }
    }

    /// Ends what is in a place, and tells by what the device is still connected.
    fn take_down(&mut self, slot: Slot) {
        let device = slot.device;
        let was_connected = self.attempts.get(&slot).is_some_and(|a| a.path.is_some());
        self.drop_attempt(slot);
        let others = self.slots_of(device);
        if others.iter().any(|other| self.attempts.get(other).is_some_and(|a| a.path.is_some())) {
            self.tell_path(device);
        } else if slot.place == 0 || was_connected {
            self.commands.push(Command::Path { device, path: None });
        }
    }

    /// The socket is new. Of what is connected, the initiator ends what is broken, so that it is made anew; the rest, when it ends
    /// because the network has changed, says nothing about its kind.
    pub(super) fn outlive(&mut self) {
        let is_broken = |(slot, attempt): &(&Slot, &Attempt)| {
            attempt.path.is_some() && attempt.is_broken && self.begins(slot.device)
        };
        let broken: Vec<Slot> =
            self.attempts.iter().filter(is_broken).map(|(slot, _)| *slot).collect();
        for slot in broken {
            self.take_down(slot);
        }
        for attempt in self.attempts.values_mut() {
            attempt.is_older = true;
        }
    }

    /// Ends a broken link to a device that is not here: nobody would answer the restart, which fails only after a while (L4).
    pub(super) fn end_if_gone(&mut self, slot: Slot, link: u64, now: Duration) {
        let is_broken = self.attempts.get(&slot).is_some_and(|attempt| attempt.is_broken);
        if is_broken && !self.devices.contains(&slot.device) {
            self.ended(slot, link, now);
        }
    }

    /// Ends an attempt that has not connected.
    pub(super) fn give_up(&mut self, slot: Slot) {
        if self.attempts.get(&slot).is_none_or(|attempt| attempt.path.is_none()) {
            self.drop_attempt(slot);
        }
    }

    pub(super) fn drop_attempt(&mut self, slot: Slot) {
        if let Some(attempt) = self.attempts.remove(&slot)
            && attempt.has_begun
        {
            self.commands.push(Command::Close { device: slot.device, link: attempt.link });
        }
        self.pauses.cancel_retry(slot);
    }
}
