//! The devices that give one file: the one that shared it, and others that receive it or have it (F20).

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use super::context::Context;
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{FileSize, pieces_of};
use crate::receiver::Receiver;
use crate::swarm::Swarm;

/// What comes from the source is told again after so long.
const CLAIM_AGAIN: Duration = Duration::from_secs(2);
/// A device that gave nothing, or did not have what it had named, is asked again after so long.
const REST: Duration = Duration::from_secs(15);
/// A source of which nothing was wanted for so long is idle.
const IDLE: Duration = Duration::from_secs(2);

/// How long a device is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ban {
    Until(Duration),
    /// It gave what is wrong.
    ForEver,
}

/// What others know of what comes from the source, and since when.
#[derive(Debug, Default)]
struct Claimed {
    pieces: Vec<ChunkRange>,
    at: Option<Duration>,
}

#[derive(Debug)]
pub struct Givers {
    source: DeviceId,
    pub swarm: Swarm,
    /// All but the source, and when chunks of the file last came from each, or were first expected of it.
    others: BTreeMap<DeviceId, Option<Duration>>,
    banned: BTreeMap<DeviceId, Ban>,
    claimed: Claimed,
    /// When something was last expected of the source.
    busy_at: Duration,
    /// When others had something last that was lacking here.
    gave_at: Option<Duration>,
}

impl Givers {
    /// `head`: bytes at the start of the file that are wanted of the source alone.
    pub fn new(size: FileSize, source: DeviceId, head: u64, seed: u64) -> Self {
        Self {
            source,
            swarm: Swarm::new(size, source, head, seed),
            others: BTreeMap::new(),
            banned: BTreeMap::new(),
            claimed: Claimed::default(),
            busy_at: Duration::ZERO,
            gave_at: None,
        }
    }

    pub fn has(&self, device: DeviceId) -> bool {
        device == self.source || self.others.contains_key(&device)
    }

    pub fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// All but the device that shared the file.
    pub fn others(&self) -> Vec<DeviceId> {
        self.others.keys().copied().collect()
    }

    /// All, the device that shared the file first.
    pub fn all(&self) -> Vec<DeviceId> {
        std::iter::once(self.source).chain(self.others.keys().copied()).collect()
    }

    /// Another device gives pieces, or will. Returns `false` for one that was banned, and for the device that shared the file.
    pub fn add(&mut self, device: DeviceId, pieces: &[ChunkRange]) -> bool {
        if device == self.source || self.banned.contains_key(&device) {
            return false;
        }
        self.swarm.gives(device, pieces);
        self.others.entry(device).or_default();
        true
    }

    /// Another device gives nothing any more. Returns whether it was one.
    pub fn remove(&mut self, device: DeviceId) -> bool {
        let is_one = self.others.remove(&device).is_some();
        if is_one {
            self.swarm.gone(device);
        }
        is_one
    }

    /// A device gave what is wrong: it is not asked again.
    pub fn ban(&mut self, device: DeviceId) {
        self.banned.insert(device, Ban::ForEver);
    }

    /// A device is not asked for a while.
    pub fn rest(&mut self, device: DeviceId, now: Duration) {
        self.banned.insert(device, Ban::Until(now + REST));
    }

    /// The devices that may be asked again from now on.
    pub fn rested(&mut self, now: Duration) -> Vec<DeviceId> {
        let is_over = |_: &DeviceId, ban: &mut Ban| matches!(ban, Ban::Until(at) if *at <= now);
        self.banned.extract_if(.., is_over).map(|(device, _)| device).collect()
    }

    /// Whether a device will be asked again that is not asked now.
    pub fn is_resting(&self, device: DeviceId) -> bool {
        matches!(self.banned.get(&device), Some(Ban::Until(_)))
    }

    pub fn is_any_resting(&self) -> bool {
        self.banned.values().any(|ban| *ban != Ban::ForEver)
    }

    /// Something is wanted of a device.
    pub fn wanted(&mut self, device: DeviceId, now: Duration) {
        if let Some(heard_at) = self.others.get_mut(&device) {
            heard_at.get_or_insert(now);
        }
    }

    /// Chunks that were wanted came from a device.
    pub fn gave(&mut self, device: DeviceId, now: Duration) {
        if let Some(heard_at) = self.others.get_mut(&device) {
            *heard_at = Some(now);
        }
    }

    /// This device slept: what did not come meanwhile says nothing about those who give it.
    pub fn woke(&mut self, now: Duration) {
        for heard_at in self.others.values_mut() {
            *heard_at = Some(now);
        }
    }

    /// The others of which something is expected, and nothing of the file has come for so long.
    pub fn silent(
        &mut self,
        receiver: &Receiver,
        most: Duration,
        context: &Context,
    ) -> Vec<DeviceId> {
        let mut silent = Vec::new();
        for (device, heard_at) in &mut self.others {
            if waiting(receiver, *device, context) == 0 {
                *heard_at = None;
            }
            if heard_at.is_some_and(|at| context.now.saturating_sub(at) > most) {
                silent.push(*device);
            }
        }
        silent
    }

    /// Whether others have anything that is lacking here, or are giving it, or were a moment ago and may come back: a device whose
    /// connection is interrupted leaves and returns.
    pub fn may_others_give(&mut self, receiver: &Receiver, context: &Context) -> bool {
        let can = |device: &DeviceId| {
            waiting(receiver, *device, context) > 0 || self.swarm.unasked(*device, receiver) > 0
        };
        if self.others.keys().any(can) {
            self.gave_at = Some(context.now);
        }
        let is_fresh = |at: Duration| context.now.saturating_sub(at) < REST;
        self.is_any_resting() || self.gave_at.is_some_and(is_fresh)
    }

    /// Whether any device can give the file now, or does. `has_source`: whether the one that shared it has it still.
    pub fn can_give(&self, has_source: bool, receiver: &Receiver, context: &Context) -> bool {
        let has_routes = |device: DeviceId| !context.routes(device).is_empty();
        let others = self.others.keys();
        let mut giving = others.filter(|device| waiting(receiver, **device, context) > 0);
        has_source && has_routes(self.source) || giving.any(|device| has_routes(*device))
    }

    /// Called several times a second while the file moves.
    pub fn tick(&mut self, receiver: &Receiver, context: &Context) {
        if waiting(receiver, self.source, context) > 0 {
            self.busy_at = context.now;
        }
        let is_idle = context.now.saturating_sub(self.busy_at) > IDLE;
        self.swarm.look(is_idle, receiver, context.now);
    }

    /// The pieces that come from the source, to tell those who receive them too; `None` while they know.
    pub fn claims(&mut self, receiver: &Receiver, context: &Context) -> Option<Vec<ChunkRange>> {
        if self.others.is_empty() {
            return None;
        }
        let links = context.link_keys(self.source);
        let expected = links.into_iter().flat_map(|link| receiver.expected_on(link));
        let pieces: ChunkSet = expected.map(pieces_of).collect();
        let pieces: Vec<_> = pieces.ranges().collect();
        let is_late = |at: Duration| context.now.saturating_sub(at) >= CLAIM_AGAIN;
        if pieces == self.claimed.pieces && !self.claimed.at.is_none_or(is_late) {
            return None;
        }
        self.claimed = Claimed { pieces: pieces.clone(), at: Some(context.now) };
        Some(pieces)
    }
}

/// Bytes of a file that are expected of a device.
pub fn waiting(receiver: &Receiver, device: DeviceId, context: &Context) -> u64 {
    context.link_keys(device).into_iter().map(|link| receiver.waiting_on(link)).sum()
}
