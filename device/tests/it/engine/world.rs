//! Devices with engines, disks and links between them, in simulated time: a run is decided by its plan alone.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_device::engine::Engine;
use heliograph_device::engine::contract::{
    Earlier, FileSeal, IncomingFile, Input, Listed, Output, Progress, ReadOf,
};
use heliograph_device::file_size::FileSize;
use heliograph_device::receiver::LinkKey;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::relay::RelayUse;

use super::copies::Copies;
use super::disk::Disk;
use super::network::{Changes, Pipe, Waiting, Way};

pub const fn device(number: usize) -> DeviceId {
    DeviceId::from_bytes([number.to_le_bytes()[0] + 1; 16])
}

pub fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Bytes of which no two chunks are equal.
pub fn content(id: ItemId, size: usize) -> Vec<u8> {
    let seed = id.uuid().as_bytes()[0];
    let word =
        |at: usize| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(u32::from(seed));
    (0..size.div_ceil(8)).flat_map(|at| word(at + 1).to_le_bytes()).take(size).collect()
}

#[derive(Debug)]
pub enum Event {
    Arrives { from: usize, to: usize, link: LinkKey, frame: Vec<u8> },
    Left { at: usize, link: LinkKey, bytes: u64, is_said: bool },
    Answer { at: usize, life: u32, input: Input },
    Cut { link: u64 },
    Tick { at: usize, life: u32 },
}

pub struct TestDevice {
    pub engine: Engine,
    pub disk: Disk,
    /// The last progress of each file that comes, and of each that goes to a device.
    pub receiving: BTreeMap<ItemId, Progress>,
    pub sending: BTreeMap<(ItemId, DeviceId), Progress>,
    pub missed: Vec<(ItemId, DeviceId)>,
    pub is_here: bool,
    pub waiting: BTreeMap<LinkKey, Waiting>,
    /// Counts the restarts.
    pub life: u32,
    ticks_at: Option<Duration>,
}

pub struct World {
    pub now: Duration,
    pub devices: Vec<TestDevice>,
    pub relay: Way,
    pub relay_use: RelayUse,
    is_direct: bool,
    /// How long the disks take.
    pub disk: Duration,
    /// Files of which a request to read is never answered.
    pub never_read: Vec<ItemId>,
    /// One relayed frame in so many is dropped; none for 0.
    pub relay_drops: u64,
    /// What becomes of frames; `None` where nothing does.
    pub changes: Option<Changes>,
    pub copies: Copies,
    /// Bytes of chunks that arrived at each device, and that came from each.
    pub carried: Vec<u64>,
    pub given: Vec<u64>,
    /// The most bytes that were written and not durable, or that waited on a link, at any time.
    pub most_writing: u64,
    pub most_unsent: u64,
    pub writing: u64,
    pub pipes: Vec<Pipe>,
    pub relay_free_at: Vec<Duration>,
    pub events: BTreeMap<(Duration, u64), Event>,
    pub count: u64,
    pub chance: u64,
}

pub fn seal(id: ItemId) -> FileSeal {
    FileSeal { key: Secret::new([id.uuid().as_bytes()[0]; 32]), salt: [7; 24] }
}

impl World {
    /// Devices that reach each other through the server alone.
    pub fn new(devices: usize) -> Self {
        Self::with(devices, false)
    }

    /// Devices that may have direct links.
    pub fn direct(devices: usize) -> Self {
        Self::with(devices, true)
    }

    fn with(devices: usize, is_direct: bool) -> Self {
        let mut world = Self {
            now: ms(1_000),
            devices: (0..devices).map(|_| TestDevice::new()).collect(),
            relay: Way { latency: ms(10), rate: 10_000, jitter: ms(0) },
            relay_use: RelayUse::Fallback,
            is_direct,
            disk: ms(1),
            never_read: Vec::new(),
            relay_drops: 0,
            changes: None,
            copies: Copies::default(),
            carried: vec![0; devices],
            given: vec![0; devices],
            most_writing: 0,
            most_unsent: 0,
            writing: 0,
            pipes: Vec::new(),
            relay_free_at: vec![ms(0); devices],
            events: BTreeMap::new(),
            count: 0,
            chance: 1,
        };
        for at in 0..devices {
            world.joins(at);
        }
        world
    }

    // --- what happens to devices

    /// The socket of a device is back: it hears who is here.
    pub fn joins(&mut self, at: usize) {
        self.devices[at].is_here = true;
        self.gives(at, Input::Relay(Some(self.relay_use)));
        self.lists();
        for other in 0..self.devices.len() {
            self.tell_room(at, LinkKey::Relay(device(other)));
            self.tell_room(other, LinkKey::Relay(device(at)));
        }
    }

    /// The socket of a device breaks.
    pub fn leaves(&mut self, at: usize) {
        self.devices[at].is_here = false;
        self.gives(at, Input::Relay(None));
        self.lists();
    }

    fn lists(&mut self) {
        let here: Vec<_> = (0..self.devices.len()).filter(|at| self.devices[*at].is_here).collect();
        for at in here.clone() {
            let others = here.iter().filter(|other| **other != at);
            let listed =
                others.map(|other| Listed { id: device(*other), is_direct: self.is_direct });
            self.gives(at, Input::Devices(listed.collect()));
        }
    }

    /// The program of a device ends and begins anew. What is on its disk stays.
    pub fn restarts(&mut self, at: usize) {
        for number in self.pipes_at(at) {
            self.cuts(number);
        }
        self.leaves(at);
        let old = std::mem::replace(&mut self.devices[at], TestDevice::new());
        // What its person was told, they still know.
        (self.devices[at].disk, self.devices[at].sending) = (old.disk, old.sending);
        self.devices[at].life = old.life + 1;
        self.joins(at);
    }

    fn pipes_at(&self, at: usize) -> Vec<u64> {
        let pipes = self.pipes.iter().filter(|pipe| pipe.ends.contains(&at));
        pipes.map(|pipe| pipe.number).collect()
    }

    // --- what persons do

    pub fn offers(&mut self, at: usize, id: ItemId, size: usize, seal: Option<FileSeal>) {
        self.devices[at].disk.offered.insert(id, content(id, size));
        self.offers_again(at, id, seal);
    }

    pub fn offers_again(&mut self, at: usize, id: ItemId, seal: Option<FileSeal>) {
        let size = FileSize::new(self.devices[at].disk.offered[&id].len() as u64).unwrap();
        self.gives(at, Input::Offer { id, size, seal });
    }

    /// A device asks for a file, with what its disk has of it.
    pub fn asks(
        &mut self,
        at: usize,
        id: ItemId,
        from: usize,
        size: usize,
        seal: Option<FileSeal>,
    ) {
        let file = self.incoming(at, id, from, size, seal);
        self.gives(at, Input::Receive(file));
    }

    pub fn incoming(
        &self,
        at: usize,
        id: ItemId,
        from: usize,
        size: usize,
        seal: Option<FileSeal>,
    ) -> IncomingFile {
        let disk = &self.devices[at].disk;
        let earlier = match disk.journal.get(&id) {
            _ if disk.finished.contains_key(&id) => Earlier::Whole,
            Some(entry) => Earlier::Part(entry.clone()),
            None => Earlier::Nothing,
        };
        let size = FileSize::new(size as u64).unwrap();
        let from = device(from);
        IncomingFile { id, from, size, head: 0, is_private: false, seal, url: None, earlier }
    }

    // --- time

    pub fn gives(&mut self, at: usize, input: Input) {
        let outputs = self.devices[at].engine.handle(input, self.now);
        for output in outputs {
            self.does(at, output);
        }
        let next = self.devices[at].engine.next_tick();
        if next != self.devices[at].ticks_at {
            self.devices[at].ticks_at = next;
            let life = self.devices[at].life;
            if let Some(next) = next {
                self.at(next.max(self.now), Event::Tick { at, life });
            }
        }
    }

    pub fn at(&mut self, when: Duration, event: Event) {
        self.count += 1;
        self.events.insert((when, self.count), event);
    }

    /// Lets time pass until something is so. Returns whether it is.
    pub fn passes(&mut self, most: Duration, until: impl Fn(&Self) -> bool) -> bool {
        let end = self.now + most;
        while !until(self) {
            let Some(((when, _), event)) = self.events.pop_first() else { break };
            if when > end {
                self.at(when, event);
                self.now = end;
                return until(self);
            }
            self.now = when;
            self.happens(event);
        }
        until(self)
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Tick { at, life } => {
                let test = &self.devices[at];
                if test.life == life && test.ticks_at.is_some_and(|when| when <= self.now) {
                    self.devices[at].ticks_at = None;
                    self.gives(at, Input::Tick);
                }
            }
            Event::Answer { at, life, input } => {
                if let Input::Wrote { .. } = input {
                    self.writing -= 1;
                }
                if self.devices[at].life == life {
                    self.gives(at, input);
                }
            }
            Event::Left { at, link, bytes, is_said } => {
                if let Some(waiting) = self.devices[at].waiting.get_mut(&link) {
                    waiting.unsent = waiting.unsent.saturating_sub(bytes);
                    waiting.unsaid = waiting.unsaid.saturating_sub(if is_said { bytes } else { 0 });
                    self.tell_room(at, link);
                }
            }
            Event::Arrives { from, to, link, frame } => self.arrives(from, to, link, frame),
            Event::Cut { link } => self.cuts(link),
        }
    }

    // --- what engines ask for

    fn does(&mut self, at: usize, output: Output) {
        match output {
            Output::Send { device, link, frame } => self.sends(at, device, link, frame, false),
            Output::Say { device, link, frame } => self.sends(at, device, link, frame, true),
            Output::Close { link, .. } => self.at(self.now, Event::Cut { link }),
            Output::Receiving { id, progress } => {
                self.devices[at].receiving.insert(id, progress);
            }
            Output::Sending { id, device, progress } => {
                self.devices[at].sending.insert((id, device), progress);
            }
            Output::Missed { id, device } => self.devices[at].missed.push((id, device)),
            Output::Bundle { .. } => {}
            Output::ReadCopy { .. } | Output::CopyRoom(_) | Output::StopCopy(_) => {
                self.copy(at, output);
            }
            output => self.disk(at, output),
        }
    }

    /// A disk does what it is asked for, and answers after a while.
    fn disk(&mut self, at: usize, output: Output) {
        if matches!(output, Output::Read { of: ReadOf::Offered(id), .. } if self.never_read.contains(&id))
        {
            return;
        }
        if matches!(output, Output::Write { .. }) {
            self.writing += 1;
            self.most_writing = self.most_writing.max(self.writing);
        }
        if let Some(input) = self.devices[at].disk.does(output) {
            let life = self.devices[at].life;
            self.at(self.now + self.disk, Event::Answer { at, life, input });
        }
    }

    // --- what is seen

    pub fn has(&self, at: usize, id: ItemId, size: usize) -> bool {
        let disk = &self.devices[at].disk;
        let finished = disk.finished.get(&id).is_some_and(|bytes| bytes.len() == size);
        finished && disk.right.contains(&id)
    }

    pub fn is_done(&self, at: usize, id: ItemId, to: usize) -> bool {
        let progress = self.devices[at].sending.get(&(id, device(to)));
        matches!(progress, Some(Progress::Done { .. }))
    }

    pub fn receives(&self, at: usize, id: ItemId) -> Option<&Progress> {
        self.devices[at].receiving.get(&id)
    }

    /// Whether no engine waits for anything.
    pub fn is_quiet(&self) -> bool {
        self.devices.iter().all(|test| test.engine.next_tick().is_none())
    }
}

impl TestDevice {
    fn new() -> Self {
        Self {
            engine: Engine::new(7),
            disk: Disk::default(),
            receiving: BTreeMap::new(),
            sending: BTreeMap::new(),
            missed: Vec::new(),
            is_here: false,
            waiting: BTreeMap::new(),
            life: 0,
            ticks_at: None,
        }
    }
}
