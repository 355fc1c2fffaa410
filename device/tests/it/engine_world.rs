//! Devices with engines, disks and links between them, in simulated time: a run is decided by its plan alone.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::engine::Engine;
use heliograph_device::engine::contract::{
    Buffer, Earlier, FileFailure, FileSeal, IncomingFile, Input, JournalEntry, Listed, Output,
    Progress, ReadOf, Refusal,
};
use heliograph_device::file_size::{CHUNK_BYTES, FileSize};
use heliograph_device::frames::Frame;
use heliograph_device::receiver::LinkKey;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::relay::RelayUse;

/// Bytes that may wait on a link of the world.
const HIGH_WATER: u64 = 256 * 1024;

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

/// How a link behaves.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub latency: Duration,
    /// Bytes a millisecond.
    pub rate: u64,
    /// Chunks arrive up to so much later, each by itself, so that their order is lost.
    pub jitter: Duration,
}

pub const NEAR: Way = Way { latency: ms(1), rate: 100_000, jitter: ms(0) };

#[derive(Debug)]
enum Event {
    Arrives { from: usize, to: usize, link: LinkKey, frame: Vec<u8> },
    Left { at: usize, link: LinkKey, bytes: u64, is_said: bool },
    Answer { at: usize, life: u32, input: Input },
    Cut { link: u64 },
    Tick { at: usize, life: u32 },
}

struct Pipe {
    number: u64,
    ends: [usize; 2],
    way: Way,
    /// When each direction is free again, and when what was said last arrives.
    free_at: [Duration; 2],
}

#[derive(Default)]
struct Waiting {
    unsent: u64,
    unsaid: u64,
}

/// What one device has on its disk.
#[derive(Default)]
pub struct Disk {
    pub offered: BTreeMap<ItemId, Vec<u8>>,
    pub parts: BTreeMap<ItemId, Vec<u8>>,
    pub journal: BTreeMap<ItemId, JournalEntry>,
    pub finished: BTreeMap<ItemId, Vec<u8>>,
    /// Bytes that may still be written, and whether opening fails.
    pub room: Option<u64>,
}

pub struct TestDevice {
    pub engine: Engine,
    pub disk: Disk,
    /// The last progress of each file that comes, and of each that goes to a device.
    pub receiving: BTreeMap<ItemId, Progress>,
    pub sending: BTreeMap<(ItemId, DeviceId), Progress>,
    pub missed: Vec<(ItemId, DeviceId)>,
    pub is_here: bool,
    waiting: BTreeMap<LinkKey, Waiting>,
    /// Counts the restarts.
    life: u32,
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
    /// A file of which a request to read is never answered.
    pub never_read: Option<ItemId>,
    /// One relayed frame in so many is dropped; none for 0.
    pub relay_drops: u64,
    /// Bytes of chunks that arrived at each device.
    pub carried: Vec<u64>,
    /// The most bytes that were written and not durable, or that waited on a link, at any time.
    pub most_writing: u64,
    pub most_unsent: u64,
    writing: u64,
    pipes: Vec<Pipe>,
    relay_free_at: Vec<Duration>,
    events: BTreeMap<(Duration, u64), Event>,
    count: u64,
    chance: u64,
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
            never_read: None,
            relay_drops: 0,
            carried: vec![0; devices],
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

    pub fn links(&mut self, ends: [usize; 2], place: u32, way: Way) -> u64 {
        self.count += 1;
        let number = self.count;
        self.pipes.push(Pipe { number, ends, way, free_at: [self.now; 2] });
        for (at, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let max_frame = 256 * 1024;
            self.gives(
                at,
                Input::LinkOpened { device: device(other), link: number, place, max_frame },
            );
            self.tell_room(at, LinkKey::Direct(number));
        }
        number
    }

    /// A direct link breaks, at both ends at once. What is on its way is lost.
    pub fn cuts(&mut self, number: u64) {
        let Some(at) = self.pipes.iter().position(|pipe| pipe.number == number) else { return };
        let pipe = self.pipes.remove(at);
        for (at, other) in [(pipe.ends[0], pipe.ends[1]), (pipe.ends[1], pipe.ends[0])] {
            self.devices[at].waiting.remove(&LinkKey::Direct(number));
            self.gives(at, Input::LinkClosed { device: device(other), link: number });
        }
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
        let disk = &self.devices[at].disk;
        let earlier = match disk.journal.get(&id) {
            _ if disk.finished.contains_key(&id) => Earlier::Whole,
            Some(entry) => Earlier::Part(entry.clone()),
            None => Earlier::Nothing,
        };
        let size = FileSize::new(size as u64).unwrap();
        let from = device(from);
        let file =
            IncomingFile { id, from, size, head: 0, is_private: false, seal, url: None, earlier };
        self.gives(at, Input::Receive(file));
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

    fn at(&mut self, when: Duration, event: Event) {
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

    fn arrives(&mut self, from: usize, to: usize, link: LinkKey, frame: Vec<u8>) {
        match link {
            LinkKey::Direct(number) if !self.pipes.iter().any(|pipe| pipe.number == number) => {
                return;
            }
            LinkKey::Relay(_) if !self.devices[to].is_here => {
                if self.devices[from].is_here {
                    let why = Refusal::Gone;
                    self.gives(from, Input::Refused { device: device(to), why });
                }
                return;
            }
            _ => {}
        }
        if let Some(Frame::Chunk(chunk)) = Frame::decode(&frame) {
            self.carried[to] += chunk.bytes.len() as u64;
        }
        let link = if let LinkKey::Relay(_) = link { LinkKey::Relay(device(from)) } else { link };
        self.gives(to, Input::Frame { from: device(from), link, frame });
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
            output => self.disk(at, output),
        }
    }

    fn tell_room(&mut self, at: usize, link: LinkKey) {
        let Waiting { unsent, unsaid } = *self.devices[at].waiting.entry(link).or_default();
        let room = HIGH_WATER.saturating_sub(unsent);
        let to = match link {
            LinkKey::Direct(number) => {
                let Some(pipe) = self.pipes.iter().find(|pipe| pipe.number == number) else {
                    return;
                };
                device(pipe.ends[usize::from(pipe.ends[0] == at)])
            }
            LinkKey::Relay(to) => to,
            LinkKey::Stored => return,
        };
        let buffer = Buffer { room, unsent, unsaid };
        self.gives(at, Input::Buffered { device: to, link, buffer });
    }

    fn sends(&mut self, from: usize, to: DeviceId, link: LinkKey, frame: Vec<u8>, is_said: bool) {
        let to = (0..self.devices.len()).find(|at| device(*at) == to).unwrap();
        let bytes = frame.len() as u64;
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let chance = self.chance >> 33;
        let (way, free_at) = match link {
            LinkKey::Direct(number) => {
                let pipe = self.pipes.iter_mut().find(|pipe| pipe.number == number);
                let Some(pipe) = pipe else { return };
                (pipe.way, &mut pipe.free_at[usize::from(pipe.ends[1] == from)])
            }
            LinkKey::Relay(_) => (self.relay, &mut self.relay_free_at[from]),
            LinkKey::Stored => panic!("nothing is sent to a copy"),
        };
        assert!(!matches!(link, LinkKey::Relay(_)) || self.devices[from].is_here);
        // What is said overtakes the chunks that wait.
        let is_first = is_said && matches!(link, LinkKey::Direct(_));
        let takes = Duration::from_micros(bytes * 1_000 / way.rate);
        let left = if is_first { self.now + takes } else { self.now.max(*free_at) + takes };
        if !is_first {
            *free_at = left;
        }
        let late = if is_said || way.jitter.is_zero() {
            Duration::ZERO
        } else {
            Duration::from_millis(chance % (way.jitter.as_millis() as u64 + 1))
        };
        let waiting = self.devices[from].waiting.entry(link).or_default();
        waiting.unsent += bytes;
        waiting.unsaid += if is_said { bytes } else { 0 };
        self.most_unsent = self.most_unsent.max(waiting.unsent);
        self.at(left, Event::Left { at: from, link, bytes, is_said });
        let is_relayed = matches!(link, LinkKey::Relay(_));
        if is_relayed && self.relay_drops > 0 && chance % self.relay_drops == 0 {
            let life = self.devices[from].life;
            let input = Input::Refused { device: device(to), why: Refusal::Full };
            return self.at(left + way.latency * 2, Event::Answer { at: from, life, input });
        }
        self.at(left + way.latency + late, Event::Arrives { from, to, link, frame });
    }

    fn answers(&mut self, at: usize, input: Input) {
        let life = self.devices[at].life;
        self.at(self.now + self.disk, Event::Answer { at, life, input });
    }

    fn disk(&mut self, at: usize, output: Output) {
        let disk = &mut self.devices[at].disk;
        match output {
            Output::Open { id, place } => {
                disk.parts.entry(id).or_default();
                self.answers(at, Input::Opened { id, place, result: Ok(()) });
            }
            Output::Write { id, place, chunks, bytes } => {
                let result = disk.writes(id, chunks, &bytes);
                self.writing += 1;
                self.most_writing = self.most_writing.max(self.writing);
                self.answers(at, Input::Wrote { id, place, chunks, result });
            }
            Output::Read { of: ReadOf::Offered(id), .. } if self.never_read == Some(id) => {}
            Output::Read { read, of, start, bytes } => {
                let (start, end) = (usize::try_from(start).unwrap(), bytes);
                let of = match of {
                    ReadOf::Offered(id) => disk.offered.get(&id),
                    ReadOf::Received(id) => disk.finished.get(&id).or(disk.parts.get(&id)),
                };
                let bytes = of.and_then(|file| file.get(start..start + end)).map(<[u8]>::to_vec);
                self.answers(at, Input::Read { read, bytes });
            }
            Output::Keep { id, chunks, is_paused, .. } => {
                let entry = disk.journal.entry(id).or_default();
                (entry.chunks, entry.is_paused) = (chunks, is_paused);
            }
            Output::KeepHashes { id, hashes, .. } => {
                disk.journal.entry(id).or_default().hashes = hashes;
            }
            Output::KeepPause { id, is_paused } => {
                disk.journal.entry(id).or_default().is_paused = is_paused;
            }
            Output::Finish { id, place } => {
                let whole = disk.parts.remove(&id).unwrap_or_default();
                disk.finished.insert(id, whole);
                disk.journal.remove(&id);
                self.answers(at, Input::Finished { id, place, result: Ok(()) });
            }
            Output::Discard(id) => {
                disk.parts.remove(&id);
                disk.journal.remove(&id);
            }
            Output::Release(_) => {}
            other => panic!("{other:?}"),
        }
    }

    // --- what is seen

    pub fn has(&self, at: usize, id: ItemId, size: usize) -> bool {
        let finished = self.devices[at].disk.finished.get(&id);
        finished.is_some_and(|bytes| *bytes == content(id, size))
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

impl Disk {
    fn writes(&mut self, id: ItemId, chunks: ChunkRange, bytes: &[u8]) -> Result<(), FileFailure> {
        if let Some(room) = &mut self.room {
            *room = room.checked_sub(bytes.len() as u64).ok_or(FileFailure::DiskFull)?;
        }
        let part = self.parts.get_mut(&id).expect("the place is open");
        let start = usize::try_from(u64::from(chunks.first) * CHUNK_BYTES).unwrap();
        part.resize(part.len().max(start + bytes.len()), 0);
        part[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}
