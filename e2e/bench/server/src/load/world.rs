//! What the devices of a load share: the beams with their checkers, and the counts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use uuid::Uuid;

use super::checker::{Checker, Event};
use super::frames::Frames;
use super::item::{Device, Item, Seen, digest};
use super::plan::{Kind, Plan};
use super::times::Times;
use super::violation::Violation;
use super::wire::Content;

/// Violations that are printed while it runs. All are counted.
const PRINTED: usize = 20;
/// Violations of one beam that are kept.
const REMEMBERED: usize = 100;
/// Handshakes at a time, so that no server is measured by how many it can make at once.
const HANDSHAKES: usize = 64;

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Joining,
    Sharing,
    /// Nothing more is shared, and everything is to arrive.
    Settling,
    Over,
}

/// What all devices know.
pub struct World {
    pub plan: Plan,
    pub addresses: Vec<SocketAddr>,
    pub started: Instant,
    pub phase: watch::Sender<Phase>,
    /// How many devices have a socket and all items.
    pub present: watch::Sender<usize>,
    pub handshakes: Semaphore,
    printed: AtomicUsize,
}

/// Counts of one beam.
#[derive(Debug, Default)]
pub struct Tally {
    pub shared: u64,
    pub answered: u64,
    pub refused: BTreeMap<String, u64>,
    pub deliveries: u64,
    pub frames: u64,
    pub moves: u64,
    /// Why sockets were lost.
    pub losses: BTreeMap<String, u64>,
    /// From a share to its answer, and to each device.
    pub answers: Times,
    pub arrivals: Times,
    pub outages: Vec<Outage>,
}

/// A time in which a device was away.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    pub lost: Instant,
    pub back: Instant,
    /// Whether it had left its socket by itself, and was not let in elsewhere.
    pub has_moved: bool,
}

/// A beam.
pub struct Beam {
    pub number: u32,
    pub id: Uuid,
    pub kind: Kind,
    /// The ids of its devices, the last one that of its auditor.
    pub devices: Vec<Uuid>,
    world: Arc<World>,
    state: Mutex<State>,
}

struct State {
    checker: Checker,
    frames: Frames,
    tally: Tally,
    found: Vec<Violation>,
}

impl World {
    pub fn new(plan: Plan, addresses: Vec<SocketAddr>, started: Instant) -> Arc<Self> {
        Arc::new(Self {
            plan,
            addresses,
            started,
            phase: watch::Sender::new(Phase::Joining),
            present: watch::Sender::new(0),
            handshakes: Semaphore::new(HANDSHAKES),
            printed: AtomicUsize::new(0),
        })
    }

    pub fn is_over(&self) -> bool {
        *self.phase.borrow() == Phase::Over
    }
}

impl Beam {
    pub fn new(world: &Arc<World>, number: u32, id: Uuid, devices: Vec<Uuid>) -> Arc<Self> {
        let kind = world.plan.kind(number);
        let state = State {
            checker: Checker::new(world.plan.memory(kind)),
            frames: Frames::default(),
            tally: Tally::default(),
            found: Vec::new(),
        };
        Arc::new(Self { number, id, kind, devices, world: world.clone(), state: state.into() })
    }

    /// Tells the checker, and prints what it finds.
    pub fn observe(&self, event: Event<'_>) {
        let mut state = self.lock();
        if let Event::Left(device) = event {
            state.frames.left(device);
        }
        let found = state.checker.observe(event);
        self.note(&mut state, found);
    }

    pub fn check_frames(&self, check: impl FnOnce(&mut Frames) -> Option<Violation>) {
        let mut state = self.lock();
        let found = check(&mut state.frames);
        self.note(&mut state, found);
    }

    /// Whether everything has come that is to come to this device.
    pub fn is_settled(&self, device: Device) -> bool {
        self.lock().checker.observe(Event::Settled(device)).is_none()
    }

    /// Everything had the time to come to this device.
    pub fn settles(&self, device: Device) {
        self.observe(Event::Settled(device));
        self.check_frames(|frames| frames.settled(device));
    }

    pub fn count(&self, count: impl FnOnce(&mut Tally)) {
        count(&mut self.lock().tally);
    }

    /// The counts, and what was found.
    pub fn ends(&self) -> (Tally, Vec<Violation>) {
        let mut state = self.lock();
        (std::mem::take(&mut state.tally), std::mem::take(&mut state.found))
    }

    /// An item, as the checker knows it.
    pub fn seen(&self, content: &Content) -> Seen {
        let item = Item::of(content.id, self.number);
        let item = item.filter(|item| {
            self.devices.get(usize::from(item.device)).is_some_and(|id| *id == content.from)
        });
        Seen { item, seq: content.seq, digest: digest(&content.message) }
    }

    /// A device by its id.
    pub fn device(&self, id: Uuid) -> Option<Device> {
        let at = self.devices.iter().position(|own| *own == id)?;
        Device::try_from(at).ok()
    }

    fn note(&self, state: &mut State, found: Option<Violation>) {
        let Some(violation) = found else { return };
        if state.found.len() < REMEMBERED {
            state.found.push(violation);
        }
        if self.world.printed.fetch_add(1, Ordering::Relaxed) < PRINTED {
            let seconds = self.world.started.elapsed().as_secs_f64();
            eprintln!("{seconds:8.3} s  beam {} ({:?}): {violation}", self.number, self.kind);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is safe to use: whoever panicked has told everything or nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
