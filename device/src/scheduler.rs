//! Decides what to want from one device, and on which of the links to it. It is told what is wanted, what arrived and how
//! long a round trip takes; each link has a window from its own measurements, and the device has one budget (F4).

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits;

use crate::chunk_set::ChunkRange;
use crate::link_meter::{LinkMeter, SMALLEST_WINDOW_BYTES};
use crate::measures::bytes as float;
use crate::receiver::{LinkKey, Receiver};

/// Files wanted from one device at the same time (F4); the others wait their turn.
const MOST_AT_ONCE: usize = 3;
/// Files that are still being read and keep no other from its turn (F4). No more, because each has its place on the disk, and a device
/// may say for ever that it reads.
const MOST_READ: usize = 3;
/// A `want` is at most this part of the window, so that a link never runs dry while the next one is on its way.
const WANT_PART: u64 = 4;
/// A link gets no more of a file's end when the rest takes so many times longer there than on all links together.
const LATE: f64 = 1.5;

const SMALLEST_BUDGET_BYTES: u64 = limits::SMALLEST_BUDGET_BYTES as u64;
const LARGEST_BUDGET_BYTES: u64 = limits::LARGEST_BUDGET_BYTES as u64;

/// The receiving ends of all transfers. A scheduler looks at those that were begun with it.
pub type Receivers = BTreeMap<ItemId, Receiver>;

/// Chunks to want, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// The link to the device.
    pub link: LinkKey,
    /// The transfer to which they belong.
    pub transfer: ItemId,
    /// The chunks.
    pub range: ChunkRange,
}

/// What is wanted from one device.
#[derive(Debug, Default)]
pub struct Scheduler {
    /// In the order in which they began.
    active: Vec<ItemId>,
    meters: BTreeMap<LinkKey, LinkMeter>,
    /// The files of which the last that came was a sign of life, and the link on which it came: their bytes are still being read
    /// (F12).
    signs: BTreeMap<ItemId, LinkKey>,
}

/// What the device can give of the files that are wanted of it. A closure says which of them are ready, and the device gives all
/// of those, in the order of their chunks.
pub trait Supply {
    /// Whether a file's bytes could be written now.
    fn is_ready(&self, transfer: ItemId) -> bool;

    /// Bytes that the device could give and that were not asked for yet.
    fn unasked(&self, transfer: ItemId, receiver: &Receiver) -> u64 {
        let _ = transfer;
        receiver.unasked()
    }

    /// The next chunks to want of it, at most `limit`; `None` when it could give none.
    fn next(&mut self, transfer: ItemId, receiver: &Receiver, limit: u32) -> Option<ChunkRange> {
        let _ = transfer;
        receiver.first_gap(limit)
    }
}

impl<F: Fn(ItemId) -> bool> Supply for F {
    fn is_ready(&self, transfer: ItemId) -> bool {
        self(transfer)
    }
}

/// A link that may be wanted on.
struct Candidate {
    link: LinkKey,
    /// Bytes that are expected on it, but for those that are still being read, and that may be.
    waiting: u64,
    window: u64,
    /// Milliseconds until everything that is expected on it would be here.
    drained: f64,
}

impl Candidate {
    /// Bytes that may be wanted on it besides those that are expected.
    fn room(&self) -> u64 {
        self.window.saturating_sub(self.waiting)
    }

    /// Bytes of the largest `want` on it.
    fn largest_want(&self) -> u64 {
        (self.window / WANT_PART).max(SMALLEST_WINDOW_BYTES / 2)
    }
}

impl Scheduler {
    /// Whether another file may begin. What a device gives that it has not shared takes no turn.
    #[must_use]
    pub fn has_turn(&self, receivers: &Receivers, takes_turn: impl Fn(ItemId) -> bool) -> bool {
        let begun: Vec<_> = self.active.iter().copied().filter(|one| takes_turn(*one)).collect();
        self.turns_beside(receivers, &begun) > 0
    }

    /// How many files may begin besides some that have begun.
    #[must_use]
    pub fn turns_beside(&self, receivers: &Receivers, begun: &[ItemId]) -> usize {
        let read = begun.iter().filter(|transfer| self.is_read(receivers, **transfer)).count();
        (MOST_AT_ONCE + read.min(MOST_READ)).saturating_sub(begun.len())
    }

    /// A file is wanted of the device from now on.
    pub fn begin(&mut self, transfer: ItemId) {
        if !self.active.contains(&transfer) {
            self.active.push(transfer);
        }
    }

    /// A file is wanted of the device no more.
    pub fn end(&mut self, transfer: ItemId) {
        self.active.retain(|other| *other != transfer);
        self.signs.remove(&transfer);
    }

    /// Whether what is expected of a file is still being read at the other end, which may take long.
    fn is_read(&self, receivers: &Receivers, transfer: ItemId) -> bool {
        let sign = self.signs.get(&transfer).zip(receivers.get(&transfer));
        sign.is_some_and(|(link, receiver)| receiver.waiting_on(*link) > 0)
    }

    /// What is known of a link. It is forgotten with the link.
    pub fn meter(&mut self, link: LinkKey) -> &mut LinkMeter {
        // The server drops what is more (R2).
        let is_ordered = matches!(link, LinkKey::Relay(_));
        let ordered = is_ordered.then_some(limits::RELAY_WINDOW_BYTES as u64);
        self.meters.entry(link).or_insert_with(|| LinkMeter::new(ordered))
    }

    /// Bytes wanted of this device, or here and not yet durable, over all files.
    #[must_use]
    pub fn outstanding(&self, receivers: &Receivers) -> u64 {
        self.writing(receivers) + self.expected_on(receivers, |_| true)
    }

    /// Bytes that are not here yet, of all files that have begun.
    #[must_use]
    pub fn left(&self, receivers: &Receivers) -> u64 {
        self.sum(receivers, |receiver| receiver.size().bytes() - receiver.received())
    }

    /// Bytes a millisecond over some links together.
    #[must_use]
    pub fn rate(&self, links: &[LinkKey], now: Duration) -> f64 {
        self.known(links).filter_map(|meter| meter.rate(now)).sum()
    }

    /// Shortest round trip of some links; `None` until one is measured.
    #[must_use]
    pub fn round_trip(&self, links: &[LinkKey]) -> Option<Duration> {
        self.known(links).filter_map(LinkMeter::round_trip).min()
    }

    /// How long a packet waits on the path of some links, behind others of them or of anybody else.
    #[must_use]
    pub fn queuing(&self, links: &[LinkKey]) -> Duration {
        let base = self.known(links).filter_map(LinkMeter::base).min();
        base.map_or(Duration::ZERO, |base| {
            self.round_trip(links).unwrap_or_default().saturating_sub(base)
        })
    }

    fn known(&self, links: &[LinkKey]) -> impl Iterator<Item = &LinkMeter> {
        links.iter().filter_map(|link| self.meters.get(link))
    }

    /// Bytes that are expected on a link.
    #[must_use]
    pub fn waiting_on(&self, receivers: &Receivers, link: LinkKey) -> u64 {
        self.sum(receivers, |receiver| receiver.waiting_on(link))
    }

    /// Notes that so many bytes of a transfer arrived on a link, from the chunk `first` on, and returns the chunks to write, as
    /// [`Receiver::arrived`] does.
    pub fn arrived(
        &mut self,
        receivers: &mut Receivers,
        transfer: ItemId,
        link: LinkKey,
        first: u32,
        bytes: usize,
        now: Duration,
    ) -> Vec<ChunkRange> {
        let Some(receiver) = receivers.get_mut(&transfer) else { return Vec::new() };
        if bytes > 0 {
            self.signs.remove(&transfer);
        } else if self.active.contains(&transfer) {
            self.signs.insert(transfer, link);
        }
        let before = receiver.waiting_on(link);
        let fresh = receiver.arrived(first, bytes, self.meters.keys().copied());
        let expected = before - receiver.waiting_on(link);
        if expected > 0 {
            self.meter(link).arrived(expected, now);
        }
        fresh
    }

    /// Makes everything expected on a link that is gone or silent wanted again (F6).
    pub fn lost(&mut self, receivers: &mut Receivers, link: LinkKey) {
        for transfer in &self.active {
            if let Some(receiver) = receivers.get_mut(transfer) {
                receiver.lost(link);
            }
        }
        self.meters.remove(&link);
    }

    /// Most bytes that may be wanted and not durable, over all links (F4): what their windows hold, or the least while much of
    /// it waits for the disk.
    #[must_use]
    pub fn budget(&self, receivers: &Receivers, links: &[LinkKey], now: Duration) -> u64 {
        if self.writing(receivers) > SMALLEST_BUDGET_BYTES / 2 {
            return SMALLEST_BUDGET_BYTES;
        }
        let windows: u64 = self.known(links).map(|meter| meter.window(now)).sum();
        windows.clamp(SMALLEST_BUDGET_BYTES, LARGEST_BUDGET_BYTES)
    }

    /// The next chunks to want, or `None` when all are asked for or there is no room. The link on which they would be here
    /// first is taken, and of the files the one with the fewest bytes under way: so files share the links evenly, and a single
    /// file gets them all. One whose bytes are still being read takes no room from the others meanwhile, and is not wanted any
    /// further. `links` are those that may be used, without those that are failing.
    pub fn want(
        &mut self,
        receivers: &mut Receivers,
        links: &[LinkKey],
        mut supply: impl Supply,
        now: Duration,
    ) -> Option<Want> {
        let mut ready = self.active.clone();
        ready.retain(|file| supply.is_ready(*file) && !self.is_read(receivers, *file));
        ready.retain(|file| receivers.contains_key(file));
        ready.sort_by_key(|file| receivers.get(file).map(Receiver::outstanding));
        let mut candidates: Vec<_> =
            links.iter().map(|link| self.candidate(receivers, *link, now)).collect();
        candidates.sort_by(|a, b| a.drained.total_cmp(&b.drained));
        let left = self.room(receivers, links, &candidates, now);
        let round = Round { meters: &self.meters, candidates: &candidates, ready: &ready, now };
        let want =
            candidates.iter().filter(|candidate| candidate.room() > 0).find_map(|candidate| {
                let more = round.more(receivers, &mut supply, candidate, left);
                more.or_else(|| round.again(receivers, &supply, candidate))
            })?;
        self.meter(want.link).wanted(now);
        Some(want)
    }

    /// Bytes that may be wanted of the device now. What is still expected on a link that is no longer used takes no room from the
    /// others.
    fn room(
        &self,
        receivers: &Receivers,
        links: &[LinkKey],
        candidates: &[Candidate],
        now: Duration,
    ) -> u64 {
        let writing = self.writing(receivers);
        let moving = writing + candidates.iter().map(|candidate| candidate.waiting).sum::<u64>();
        let all = writing + self.expected_on(receivers, |link| links.contains(&link));
        let budget = self.budget(receivers, links, now).saturating_sub(moving);
        budget.min(LARGEST_BUDGET_BYTES.saturating_sub(all))
    }

    fn candidate(&mut self, receivers: &Receivers, link: LinkKey, now: Duration) -> Candidate {
        let moving = self.active.iter().filter(|transfer| !self.is_read(receivers, **transfer));
        let moving = moving.filter_map(|transfer| receivers.get(transfer));
        let waiting = moving.map(|receiver| receiver.waiting_on(link)).sum();
        let meter = self.meter(link);
        if waiting == 0 {
            meter.idle(now);
        }
        let drained = if waiting == 0 { 0.0 } else { meter.duration(waiting, 0, now) };
        Candidate { link, waiting, window: meter.window(now), drained }
    }

    /// Bytes that wait for the disk.
    fn writing(&self, receivers: &Receivers) -> u64 {
        self.sum(receivers, Receiver::writing)
    }

    /// Bytes that are expected on some links together.
    fn expected_on(&self, receivers: &Receivers, is_counted: impl Fn(LinkKey) -> bool) -> u64 {
        let links = self.meters.keys().copied().filter(|link| is_counted(*link));
        links.map(|link| self.waiting_on(receivers, link)).sum()
    }

    fn sum(&self, receivers: &Receivers, of: impl Fn(&Receiver) -> u64) -> u64 {
        self.active.iter().filter_map(|transfer| receivers.get(transfer)).map(of).sum()
    }
}

/// What is looked at for one `want`.
struct Round<'a> {
    meters: &'a BTreeMap<LinkKey, LinkMeter>,
    /// The one that is free first comes first.
    candidates: &'a [Candidate],
    /// The files that may be wanted, the one with the fewest bytes under way first.
    ready: &'a [ItemId],
    now: Duration,
}

impl Round<'_> {
    /// Wants chunks that were not asked for yet, unless they would be here sooner on another link.
    fn more(
        &self,
        receivers: &mut Receivers,
        supply: &mut impl Supply,
        on: &Candidate,
        left: u64,
    ) -> Option<Want> {
        let unasked = self.unasked(receivers, supply);
        if unasked == 0 || self.is_late(on, unasked) {
            return None;
        }
        let room = left.min(on.room());
        self.ready.iter().find_map(|transfer| {
            let receiver = receivers.get_mut(transfer)?;
            let range = receiver.want_of(on.link, on.largest_want(), room, |receiver, limit| {
                supply.next(*transfer, receiver, limit)
            })?;
            Some(Want { link: on.link, transfer: *transfer, range })
        })
    }

    /// Whether a link would hold up the end: all links together would have the rest here long before it.
    fn is_late(&self, on: &Candidate, unasked: u64) -> bool {
        if unasked > LARGEST_BUDGET_BYTES {
            return false;
        }
        let piece = unasked.min(on.largest_want());
        let takes = |other: &Candidate| self.duration(other.link, other.waiting, piece);
        let soonest = self.candidates.iter().map(takes).fold(f64::INFINITY, f64::min);
        if takes(on) <= soonest {
            return false;
        }
        let meters = self.candidates.iter().filter_map(|other| self.meters.get(&other.link));
        let rate: f64 = meters.filter_map(|meter| meter.rate(self.now)).sum();
        let rest = unasked + self.candidates.iter().map(|other| other.waiting).sum::<u64>();
        takes(on) > LATE * soonest.max(float(rest) / rate.max(f64::MIN_POSITIVE))
    }

    /// Everything is asked for: an idle link takes over the last of what is expected on the slowest.
    fn again(
        &self,
        receivers: &mut Receivers,
        supply: &impl Supply,
        on: &Candidate,
    ) -> Option<Want> {
        if on.waiting > 0 || self.unasked(receivers, supply) > 0 {
            return None;
        }
        let is_other = |other: &&Candidate| other.link != on.link && other.waiting > 0;
        let slowest = self.candidates.iter().rfind(is_other)?;
        if 2.0 * self.duration(on.link, 0, on.largest_want()) > slowest.drained {
            return None;
        }
        self.ready.iter().find_map(|transfer| {
            let receiver = receivers.get_mut(transfer)?;
            let range = receiver.want_twice(slowest.link, on.link, on.largest_want())?;
            Some(Want { link: on.link, transfer: *transfer, range })
        })
    }

    fn unasked(&self, receivers: &Receivers, supply: &impl Supply) -> u64 {
        let of = |transfer: &ItemId| Some(supply.unasked(*transfer, receivers.get(transfer)?));
        self.ready.iter().filter_map(of).sum()
    }

    fn duration(&self, link: LinkKey, waiting: u64, bytes: u64) -> f64 {
        self.meters
            .get(&link)
            .map_or(f64::INFINITY, |meter| meter.duration(waiting, bytes, self.now))
    }
}
