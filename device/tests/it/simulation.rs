//! A sender, a receiver and the links between them, in simulated time.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::FileSize;
use heliograph_device::receiver::{LinkKey, Receiver};
use heliograph_device::scheduler::{Receivers, Scheduler, Want};
use heliograph_device::send_queue::{SendQueue, Turn};
use heliograph_shared::ids::ItemId;

/// One link. Rates are bytes a millisecond, times milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatedLink {
    pub rate: f64,
    /// From one end to the other.
    pub delay: f64,
    /// The most that a frame is late; each is by a part of it.
    pub jitter: f64,
    /// When everything on the link is lost and nothing more goes.
    pub dies: Option<f64>,
    /// What the link becomes, and when.
    pub becomes: Option<(f64, f64, f64)>,
    /// Answers with chunks that nobody wanted.
    pub lies: bool,
}

/// How a simulation ended. Bytes, and times in milliseconds.
#[derive(Debug)]
pub struct Outcome {
    pub took: f64,
    /// Bytes that went over each link.
    pub carried: Vec<f64>,
    /// Most bytes that were wanted and were not durable.
    pub most: u64,
    /// Bytes that were durable at each whole 100 ms.
    pub progress: Vec<f64>,
}

enum Event {
    Tick,
    Measure,
    Answered { at: usize, sent: Duration },
    Wanted(Want),
    Sent { at: usize, turn: Turn<ItemId> },
    Arrives { at: usize, transfer: ItemId, range: ChunkRange },
}

/// The device looks at its links so often.
const TICK: Duration = Duration::from_millis(250);
const FRAME_CHUNKS: u32 = 4;
/// Silence after which a link is given up.
const DEAD: Duration = Duration::from_secs(8);
const LONGEST: Duration = Duration::from_hours(1);

pub struct Simulation {
    links: Vec<SimulatedLink>,
    keys: Vec<LinkKey>,
    receivers: Receivers,
    scheduler: Scheduler,
    queues: Vec<SendQueue<ItemId>>,
    is_sending: Vec<bool>,
    heard_at: Vec<Duration>,
    events: BTreeMap<(Duration, u64), Event>,
    outcome: Outcome,
    now: Duration,
    order: u64,
    chance: u64,
}

pub fn ms(millis: f64) -> Duration {
    Duration::from_secs_f64(millis / 1_000.0)
}

/// Bytes as a number to reckon with.
pub fn float(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes).unwrap())
}

impl Simulation {
    pub fn new(links: &[SimulatedLink], sizes: &[u64]) -> Self {
        let ids = (0_u8..).map(|number| ItemId::from_random([number; 16]));
        let receiver = |size: &u64| Receiver::new(FileSize::new(*size).unwrap());
        let receivers: Receivers = ids.zip(sizes.iter().map(receiver)).collect();
        let mut scheduler = Scheduler::default();
        for transfer in receivers.keys() {
            scheduler.begin(*transfer);
        }
        let carried = vec![0.0; links.len()];
        Self {
            links: links.to_vec(),
            keys: (0..links.len() as u64).map(LinkKey::Direct).collect(),
            receivers,
            scheduler,
            queues: links.iter().map(|_| SendQueue::default()).collect(),
            is_sending: vec![false; links.len()],
            heard_at: vec![Duration::ZERO; links.len()],
            events: BTreeMap::new(),
            outcome: Outcome { took: 0.0, carried, most: 0, progress: Vec::new() },
            now: Duration::ZERO,
            order: 0,
            chance: 8,
        }
    }

    pub fn run(mut self) -> Outcome {
        self.happens(&Event::Tick);
        self.happens(&Event::Measure);
        while !self.receivers.values().all(Receiver::is_complete) {
            let ((at, _), event) = self.events.pop_first().expect("nothing happens any more");
            assert!(at < LONGEST, "the files did not become complete");
            self.now = at;
            self.happens(&event);
        }
        Outcome { took: self.now.as_secs_f64() * 1_000.0, ..self.outcome }
    }

    fn after(&mut self, time: Duration, event: Event) {
        self.order += 1;
        self.events.insert((self.now + time, self.order), event);
    }

    fn happens(&mut self, event: &Event) {
        match *event {
            Event::Tick => self.tick(),
            Event::Measure => self.measure(),
            Event::Answered { at, sent } => {
                self.scheduler.meter(self.keys[at]).answered(self.now.abs_diff(sent), self.now);
            }
            Event::Wanted(Want { link, transfer, range }) => {
                let at = self.at(link);
                self.queues[at].want(transfer, range);
                self.send(at);
            }
            Event::Sent { at, turn } => self.sent(at, turn),
            Event::Arrives { at, transfer, range } => self.arrives(at, transfer, range),
        }
    }

    fn at(&self, link: LinkKey) -> usize {
        self.keys.iter().position(|key| *key == link).unwrap()
    }

    /// Rate and delay of a link, as it is now.
    fn way(&self, at: usize) -> (f64, Duration) {
        let link = &self.links[at];
        let became = link.becomes.filter(|(when, ..)| self.now >= ms(*when));
        let (rate, delay) =
            became.map_or((link.rate, link.delay), |(_, rate, delay)| (rate, delay));
        (rate, ms(delay))
    }

    fn is_alive(&self, at: usize) -> bool {
        self.links[at].dies.is_none_or(|dies| self.now < ms(dies))
    }

    fn measure(&mut self) {
        let received = self.receivers.values().map(Receiver::received).sum();
        self.outcome.progress.push(float(received));
        self.after(Duration::from_millis(100), Event::Measure);
    }

    fn tick(&mut self) {
        for at in 0..self.links.len() {
            let link = self.keys[at];
            let is_waiting = |this: &Self| this.scheduler.waiting_on(&this.receivers, link) > 0;
            if is_waiting(self) && self.now > self.heard_at[at] + DEAD {
                self.scheduler.lost(&mut self.receivers, link);
                self.heard_at[at] = self.now;
            }
            let is_probed = self.is_alive(at) && is_waiting(self);
            if is_probed && self.scheduler.meter(link).probe(self.now) {
                let (_, delay) = self.way(at);
                self.after(2 * delay, Event::Answered { at, sent: self.now });
            }
        }
        self.refill();
        self.after(TICK, Event::Tick);
    }

    fn refill(&mut self) {
        // Nobody knows yet which of the links are dead.
        while let Some(want) =
            self.scheduler.want(&mut self.receivers, &self.keys, |_| true, self.now)
        {
            self.outcome.most = self.outcome.most.max(self.scheduler.outstanding(&self.receivers));
            let at = self.at(want.link);
            if self.is_alive(at) {
                self.after(self.way(at).1, Event::Wanted(want));
            }
        }
    }

    fn send(&mut self, at: usize) {
        if self.is_sending[at] || !self.is_alive(at) {
            return;
        }
        let Some(turn) = self.queues[at].next(FRAME_CHUNKS) else { return };
        self.is_sending[at] = true;
        let bytes = float(self.receivers[&turn.transfer].size().range_bytes(turn.range));
        let takes = ms(bytes / self.way(at).0);
        self.after(takes, Event::Sent { at, turn });
    }

    fn sent(&mut self, at: usize, turn: Turn<ItemId>) {
        let Turn { transfer, range } = turn;
        self.queues[at].sent(turn);
        self.is_sending[at] = false;
        self.outcome.carried[at] += float(self.receivers[&transfer].size().range_bytes(range));
        self.chance = self.chance * 48_271 % 2_147_483_647;
        let late = ms(self.links[at].jitter * float(self.chance) / 2_147_483_647.0);
        self.after(self.way(at).1 + late, Event::Arrives { at, transfer, range });
        self.send(at);
    }

    fn arrives(&mut self, at: usize, transfer: ItemId, range: ChunkRange) {
        if !self.is_alive(at) {
            return;
        }
        let size = self.receivers[&transfer].size();
        let lie = u64::from(range.first) * 31 % u64::from(size.chunk_count());
        let first = if self.links[at].lies { u32::try_from(lie).unwrap() } else { range.first };
        let bytes = usize::try_from(size.range_bytes(ChunkRange { first, ..range })).unwrap();
        for fresh in self.scheduler.arrived(
            &mut self.receivers,
            transfer,
            self.keys[at],
            first,
            bytes,
            self.now,
        ) {
            self.heard_at[at] = self.now;
            self.receivers.get_mut(&transfer).unwrap().wrote(fresh);
        }
        self.refill();
    }
}

impl Outcome {
    /// The part of what all links carry together that files of some bytes had.
    pub fn share(&self, links: &[SimulatedLink], bytes: u64) -> f64 {
        float(bytes) / self.took / links.iter().map(|link| link.rate).sum::<f64>()
    }

    /// Bytes that went over the links beyond those of the files, as a part of them.
    pub fn repeated(&self, bytes: u64) -> f64 {
        self.carried.iter().sum::<f64>() / float(bytes) - 1.0
    }

    /// Bytes a millisecond between two moments, in tenths of a second.
    pub fn gained(&self, from: usize, to: usize) -> f64 {
        let took = u32::try_from(to - from).unwrap() * 100;
        (self.progress[to] - self.progress[from]) / f64::from(took)
    }
}
