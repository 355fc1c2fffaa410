//! What all parts of the engine share: the other devices, the time, and what is to be done.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::relay::RelayUse;

use super::contract::{Output, Progress, ReadId, ReadOf};
use super::remote_device::RemoteDevice;
use crate::frames::ControlFrame;
use crate::receiver::LinkKey;
use crate::split_mix::SplitMix64;
use crate::unheard_ends::End;

#[derive(Debug)]
pub struct Context {
    pub devices: BTreeMap<DeviceId, RemoteDevice>,
    /// Where files go through the server; `None` while it cannot be reached.
    pub relay: Option<RelayUse>,
    pub now: Duration,
    out: VecDeque<Output>,
    /// Names of requests, of places and of pings. They need only differ.
    numbers: u64,
    pub random: SplitMix64,
}

impl Context {
    pub fn new(seed: u64) -> Self {
        Self {
            devices: BTreeMap::new(),
            relay: None,
            now: Duration::ZERO,
            out: VecDeque::new(),
            numbers: 0,
            random: SplitMix64::new(seed),
        }
    }

    pub fn does(&mut self, output: Output) {
        self.out.push_back(output);
    }

    pub fn next_output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// A number that was not returned before.
    pub const fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// A device, which may not have been heard of before.
    pub fn device(&mut self, id: DeviceId) -> &mut RemoteDevice {
        self.devices.entry(id).or_insert_with(|| RemoteDevice::new(id))
    }

    pub fn ids(&self) -> Vec<DeviceId> {
        self.devices.keys().copied().collect()
    }

    pub fn is_here(&self, id: DeviceId) -> bool {
        self.devices.get(&id).is_some_and(RemoteDevice::is_here)
    }

    /// The devices that the server lists. A link to one that has ended may outlive that.
    pub fn listed(&self) -> impl Iterator<Item = DeviceId> {
        self.devices.values().filter(|device| device.is_listed()).map(|device| device.id)
    }

    /// Whether a device has not answered yet that a transfer has ended.
    pub fn is_ending(&self, id: DeviceId, transfer: ItemId) -> bool {
        self.devices.get(&id).is_some_and(|device| device.ends.is_ending(transfer))
    }

    /// The links to a device on which to want now.
    pub fn routes(&self, id: DeviceId) -> Vec<LinkKey> {
        self.devices.get(&id).map(|device| device.routes(self.relay, self.now)).unwrap_or_default()
    }

    /// The links to a device, in use or not.
    pub fn link_keys(&self, id: DeviceId) -> Vec<LinkKey> {
        let device = self.devices.get(&id);
        device.into_iter().flat_map(RemoteDevice::links).map(|link| link.key).collect()
    }

    /// Says something on one link. What cannot go there is lost.
    pub fn say_on(&mut self, id: DeviceId, link: LinkKey, frame: &ControlFrame) {
        let Some(device) = self.devices.get_mut(&id) else { return };
        if !device.can_carry(link, self.relay) {
            return;
        }
        let Some(on) = device.link_mut(link) else { return };
        if let ControlFrame::Offered { transfer } = frame {
            on.offered.insert(*transfer);
        }
        let frame = frame.encode();
        on.buffer.unsent += frame.len() as u64;
        on.buffer.unsaid += frame.len() as u64;
        self.does(Output::Say { device: id, link, frame });
    }

    /// Says something on the best link. Returns whether there is one: otherwise it is lost.
    pub fn say(&mut self, id: DeviceId, frame: &ControlFrame) -> bool {
        let best = self.devices.get(&id).and_then(|device| device.best(self.relay));
        if let Some(link) = best {
            self.say_on(id, link, frame);
        }
        best.is_some()
    }

    /// Bytes that wait on the link of `say`; `None` where there is no link.
    pub fn unsaid(&self, id: DeviceId) -> Option<u64> {
        let device = self.devices.get(&id)?;
        let best = device.best(self.relay)?;
        device.links().find(|link| link.key == best).map(|link| link.buffer.unsaid)
    }

    /// Asks for the round trip of a link (F15).
    pub fn ping(&mut self, id: DeviceId, link: LinkKey) {
        let mut token = [0; 16];
        token[8..].copy_from_slice(&self.number().to_be_bytes());
        let now = self.now;
        if let Some(link) = self.devices.get_mut(&id).and_then(|device| device.link_mut(link)) {
            link.pings(token, now);
        }
        self.say_on(id, link, &ControlFrame::Ping { token });
    }

    /// Ends a transfer with a device: says so, and again until that is answered (F7).
    pub fn end(&mut self, id: DeviceId, transfer: ItemId, end: End) {
        let now = self.now;
        let frame = self.device(id).ends.ends(transfer, end, now);
        self.say(id, &frame);
    }

    /// Asks for bytes of a file.
    pub fn read(&mut self, of: ReadOf, start: u64, bytes: u64) -> ReadId {
        let read = ReadId(self.number());
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.does(Output::Read { read, of, start, bytes });
        read
    }

    /// Reports a file that comes here.
    pub fn receiving(&mut self, id: ItemId, progress: Progress) {
        self.does(Output::Receiving { id, progress });
    }
}
