//! Keeps a bundle of direct links to each device that can have one: how many, who initiates, which attempt counts, when to retry
//! (L1, L3, L6). Each connection of a bundle fails and is rebuilt alone. Nothing is connected here: what is to be done comes out
//! as [`Command`]s, and the caller tells what came of it.

mod attempt;
mod building;
mod ending;
mod pauses;
mod ways;

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use serde::Deserialize;
use serde_json::{Value, json};

pub use self::attempt::Command;
use self::attempt::{Attempt, Envelope, Sizes, Slot, Wish};
use self::pauses::Pauses;
use self::ways::Ways;
use super::direct_link::LinkKind;
use super::link_contract::PeerPath;
use crate::bundle::MOST_CONNECTIONS;

/// Most connections of a bundle over TURN. Each takes several places there.
const MOST_OVER_TURN: u32 = 4;
/// Signals that wait for an attempt to begin, at most.
const MOST_EARLY: usize = 64;

/// The direct links of one device.
pub struct PeerLinks {
    me: Option<DeviceId>,
    ice_servers: Vec<IceServer>,
    /// Devices with WebRTC in the order in which they joined, this one included.
    devices: Vec<DeviceId>,
    attempts: BTreeMap<Slot, Attempt>,
    pauses: Pauses,
    ways: Ways,
    sizes: BTreeMap<DeviceId, Sizes>,
    /// Most connections that this device lets a bundle have.
    most: u32,
    links: u64,
    make_session: Box<dyn FnMut() -> String + Send>,
    commands: Vec<Command>,
}

impl fmt::Debug for PeerLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerLinks").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}

impl PeerLinks {
    /// No links. `make_session` returns a name that was never used.
    pub fn new(make_session: impl FnMut() -> String + Send + 'static) -> Self {
        Self {
            me: None,
            ice_servers: Vec::new(),
            devices: Vec::new(),
            attempts: BTreeMap::new(),
            pauses: Pauses::default(),
            ways: Ways::default(),
            sizes: BTreeMap::new(),
            most: MOST_CONNECTIONS,
            links: 0,
            make_session: Box::new(make_session),
            commands: Vec::new(),
        }
    }

    /// Takes what is to be done, in its order.
    pub fn commands(&mut self) -> Vec<Command> {
        mem::take(&mut self.commands)
    }

    /// When [`PeerLinks::tick`] is to be called, if nothing happens before.
    #[must_use]
    pub fn next_tick(&self) -> Option<Duration> {
        let failing = self.attempts.values().filter(|attempt| attempt.path.is_none());
        failing.map(|attempt| attempt.fails_at).chain(self.pauses.next()).min()
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        let is_late = |attempt: &Attempt| attempt.path.is_none() && attempt.fails_at <= now;
        while let Some((slot, attempt)) = self.attempts.iter().find(|(_, one)| is_late(one)) {
            let (slot, link) = (*slot, attempt.link);
            self.ended(slot, link, now);
        }
        while let Some(slot) = self.pauses.rested(now) {
            if self.attempts.get(&slot).is_some_and(|attempt| !attempt.has_begun) {
                self.take_up(slot, now);
            }
            self.fill(slot.device, now);
        }
        while let Some(slot) = self.pauses.retried(now) {
            if self.begins(slot.device) && slot.place < self.size_of(slot.device) {
                self.build(slot, now);
            }
        }
    }

    /// The socket is new. Signals sent over the old one may be lost, so attempts that are not connected are given up (L3).
    pub fn welcome(&mut self, me: DeviceId, ice_servers: Vec<IceServer>) {
        self.outlive();
        self.me = Some(me);
        self.pauses.forget_failures();
        self.ways.forget();
        let attempted: Vec<Slot> = self.attempts.keys().copied().collect();
        for slot in self.pauses.retrying().into_iter().chain(attempted) {
            self.give_up(slot);
        }
        self.renew(ice_servers);
    }

    /// The credentials of TURN have changed (S37).
    pub fn renew(&mut self, ice_servers: Vec<IceServer>) {
        self.ice_servers = ice_servers;
        for (slot, attempt) in &self.attempts {
            if attempt.has_begun {
                let ice_servers = self.servers_for(*slot);
                self.commands.push(Command::Renew { link: attempt.link, ice_servers });
            }
        }
    }

    /// Sets which devices can be connected to by QUIC (L7). Comes before [`PeerLinks::set_devices`].
    pub fn set_quic(&mut self, devices: Vec<DeviceId>) {
        self.ways.set(devices);
    }

    /// Sets the devices with WebRTC that are in the beam, this one included, in the order of `authed_users`. A link that works to
    /// one that is no longer listed is kept.
    pub fn set_devices(&mut self, devices: Vec<DeviceId>, now: Duration) {
        self.devices = devices;
        let attempted: Vec<(Slot, u64)> =
            self.attempts.iter().map(|(slot, attempt)| (*slot, attempt.link)).collect();
        for (slot, link) in attempted {
            if !self.devices.contains(&slot.device) {
                self.give_up(slot);
            }
            self.end_if_gone(slot, link, now);
        }
        let known: Vec<DeviceId> = self.sizes.keys().copied().collect();
        for device in known {
            let sizes = self.sizes.entry(device).or_default();
            if !self.devices.contains(&device) {
                sizes.theirs = 1;
                continue;
            }
            // Which of the two initiates may have changed.
            let mine = sizes.mine;
            if mine > 1 && !self.begins(device) {
                self.wish(device, mine);
            }
        }
        for device in self.devices.clone() {
            self.fill(device, now);
        }
    }

    /// Sets how many connections this device wants with another. The initiator makes as many as either wants (L6).
    pub fn set_size(&mut self, device: DeviceId, size: u32, now: Duration) {
        let sizes = self.sizes.entry(device).or_default();
        if mem::replace(&mut sizes.mine, size) == size {
            return;
        }
        if self.begins(device) {
            self.fit(device, now);
        } else if self.devices.contains(&device) {
            self.wish(device, size);
        }
    }

    /// Sets how many connections a bundle may have, whichever device wants more.
    pub fn set_most(&mut self, most: u32, now: Duration) {
        self.most = most;
        for device in self.devices.clone() {
            if self.begins(device) {
                self.fit(device, now);
                continue;
            }
            // The initiator finds that they do not open again, and does with fewer.
            for slot in self.slots_of(device) {
                if slot.place >= most {
                    self.drop_attempt(slot);
                }
            }
        }
    }

    /// Takes the `message` of a signal (S12). An offer with a new session replaces the link; other signals of another session are
    /// late.
    pub fn signalled(&mut self, from: DeviceId, message: Value, now: Duration) {
        if let Ok(Wish { size }) = Wish::deserialize(&message) {
            if (1..=MOST_CONNECTIONS).contains(&size) && self.devices.contains(&from) {
                self.sizes.entry(from).or_default().theirs = size;
                if self.begins(from) {
                    self.fit(from, now);
                }
            }
            return;
        }
        let Ok(Envelope { session, index, signal }) = serde_json::from_value(message) else {
            return;
        };
        if index >= MOST_CONNECTIONS {
            return;
        }
        let slot = Slot { device: from, place: index };
        if self.attempts.get(&slot).is_some_and(|attempt| attempt.session == session) {
            return self.feed(slot, signal);
        }
        let is_offer = signal.get("type").and_then(Value::as_str) == Some("offer");
        if !is_offer || self.begins(from) || !self.may_add(slot) {
            return;
        }
        let Some(kind) = self.ways.offered(from, &signal) else { return };
        self.drop_attempt(slot);
        self.add(slot, session, kind, now);
        // At once, or when the interval since the last one is over. Of several, the newest counts.
        if !self.pauses.is_resting(slot) {
            self.take_up(slot, now);
        }
        self.feed(slot, signal);
    }

    /// A connection has a signal for its other end.
    pub fn has_signal(&mut self, link: u64, signal: &Value) {
        let Some((slot, attempt)) = self.attempt(link) else { return };
        let message = json!({ "session": attempt.session, "index": slot.place, "signal": signal });
        self.commands.push(Command::Signal { to: slot.device, message });
    }

    /// A connection has opened, or its packets take another way.
    pub fn took_path(&mut self, link: u64, path: PeerPath) {
        let Some((slot, _)) = self.attempt(link) else { return };
        if let Some(attempt) = self.attempts.get_mut(&slot)
            && attempt.path.replace(path).is_none()
        {
            self.pauses.worked(slot);
        }
        self.tell_path(slot.device);
    }

    /// Nothing comes over a connection any more, or again. One by QUIC has then ended: nothing restarts it (L7).
    pub fn is_broken(&mut self, link: u64, is_broken: bool, now: Duration) {
        let Some((slot, attempt)) = self.attempt(link) else { return };
        if is_broken && attempt.kind == LinkKind::Quic {
            return self.ended(slot, link, now);
        }
        if let Some(attempt) = self.attempts.get_mut(&slot) {
            attempt.is_broken = is_broken;
        }
        self.end_if_gone(slot, link, now);
    }

    /// A connection has ended, or was found dead.
    pub fn closed(&mut self, link: u64, now: Duration) {
        if let Some((slot, _)) = self.attempt(link) {
            self.ended(slot, link, now);
        }
    }

    /// The server could not forward a signal (`device_gone`), so the attempts that depend on it have failed (L3).
    pub fn unreachable(&mut self, device: DeviceId, now: Duration) {
        for slot in self.slots_of(device) {
            match self.attempts.get(&slot) {
                Some(attempt) if attempt.path.is_none() => self.ended(slot, attempt.link, now),
                _ => {}
            }
        }
    }

    /// Ends the links to devices that may no longer be in the beam (S25).
    pub fn remove(&mut self, devices: &[DeviceId]) {
        self.devices.retain(|device| !devices.contains(device));
        for device in devices {
            self.sizes.remove(device);
            for slot in self.slots_of(*device).into_iter().chain(self.pauses.retrying()) {
                if slot.device == *device {
                    self.drop_attempt(slot);
                }
            }
        }
    }

    /// Ends all links.
    pub fn close(&mut self) {
        for slot in self.attempts.keys().copied().collect::<Vec<_>>() {
            self.drop_attempt(slot);
        }
        self.pauses = Pauses::default();
        self.sizes.clear();
        self.devices.clear();
    }

    /// Whether this device initiates: the one later in the list does (L1).
    fn begins(&self, device: DeviceId) -> bool {
        let at = |id: DeviceId| self.devices.iter().position(|known| *known == id);
        match (self.me.and_then(at), at(device)) {
            (Some(mine), Some(theirs)) => mine > theirs,
            _ => false,
        }
    }

    fn size_of(&self, device: DeviceId) -> u32 {
        let Sizes { mine, theirs } = self.sizes.get(&device).copied().unwrap_or_default();
        let is_over_turn = self.first_path(device) == Some(PeerPath::Turn);
        let most = if is_over_turn { MOST_OVER_TURN } else { MOST_CONNECTIONS };
        mine.max(theirs).min(most).min(self.most)
    }

    fn first_path(&self, device: DeviceId) -> Option<PeerPath> {
        self.attempts.get(&Slot { device, place: 0 })?.path
    }

    fn attempt(&self, link: u64) -> Option<(Slot, &Attempt)> {
        let found = self.attempts.iter().find(|(_, attempt)| attempt.link == link);
        found.map(|(slot, attempt)| (*slot, attempt))
    }

    fn slots_of(&self, device: DeviceId) -> Vec<Slot> {
        self.attempts.keys().filter(|slot| slot.device == device).copied().collect()
    }

    fn wish(&mut self, to: DeviceId, size: u32) {
        self.commands.push(Command::Signal { to, message: json!({ "size": size }) });
    }

    fn tell_path(&mut self, device: DeviceId) {
        let of_device = self.attempts.iter().filter(|(slot, _)| slot.device == device);
        let paths: Vec<PeerPath> = of_device.filter_map(|(_, attempt)| attempt.path).collect();
        let direct = paths.iter().find(|path| **path == PeerPath::Direct);
        if let Some(path) = direct.or(paths.first()).copied() {
            self.commands.push(Command::Path { device, path: Some(path) });
        }
    }

    fn feed(&mut self, slot: Slot, signal: Value) {
        let Some(attempt) = self.attempts.get_mut(&slot) else { return };
        if attempt.has_begun {
            self.commands.push(Command::Feed { link: attempt.link, signal });
        } else if attempt.early.len() < MOST_EARLY {
            attempt.early.push(signal);
        }
    }
}
