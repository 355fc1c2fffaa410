//! Chooses what to want of each device that gives pieces of a file (F20). While only the device that shared the file gives them,
//! they are wanted in their order. As soon as others receive it too, those pieces come first that the fewest of them have, so
//! that the device that shared it gives each piece about once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::LARGEST_BUDGET_BYTES;

use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::claims::Claims;
use crate::file_size::{CHUNK_BYTES, FileSize, PIECE_BYTES, PIECE_CHUNKS, pieces_of};
use crate::receiver::Receiver;
use crate::split_mix::SplitMix64;

/// A piece that another device gives or gets is chosen after all those that nobody does.
const MANY: u32 = 1_000;
/// Pieces of which one is chosen at random before all are looked through again.
const MOST_CHOICES: usize = 256;
/// Most pieces that are wanted of an idle origin at once though others have them or get them.
const MOST_HASTY: u32 = 64;

/// The pieces that the fewest others give or get, or some of them.
#[derive(Debug)]
struct Choices {
    /// In any order. The last one is chosen first.
    pieces: Vec<u32>,
    /// How many others give or get each; `u32::MAX` where there is none.
    count: u32,
}

/// How many pieces the origin may be asked for that others have or get, and how many when it is idle the next time.
#[derive(Clone, Copy, Debug)]
struct Haste {
    pieces: u32,
    next: u32,
}

const NO_HASTE: Haste = Haste { pieces: 0, next: 1 };

/// Who gives which pieces of one file.
#[derive(Debug)]
pub struct Swarm {
    /// The device that shared the file.
    origin: DeviceId,
    /// Bytes at the start of the file that are wanted first, and of the origin alone: they are used unchecked.
    head: u64,
    total: u32,
    /// The pieces that each other device gives.
    others: BTreeMap<DeviceId, ChunkSet>,
    /// How many others give each piece. It has room for all pieces once one of them is given.
    counts: Vec<u16>,
    claims: Claims,
    haste: Haste,
    /// What was found for each device since the last change, because finding it takes long in a large file.
    choices: BTreeMap<DeviceId, Choices>,
    /// The piece that is being wanted of each device.
    at: BTreeMap<DeviceId, u32>,
    /// Pieces that others may have given wrong: from now on the device that shared the file gives them, or its stored copy.
    suspect: ChunkSet,
    random: SplitMix64,
}

/// Whether chunks of a piece were not asked for.
fn is_lacking(receiver: &Receiver, piece: u32) -> bool {
    !receiver.gaps(receiver.size().chunks_of(piece)).is_empty()
}

/// The chunks of whole pieces.
const fn chunks_of(pieces: ChunkRange) -> ChunkRange {
    ChunkRange::between(
        pieces.first.saturating_mul(PIECE_CHUNKS),
        pieces.end().saturating_mul(PIECE_CHUNKS),
    )
}

impl Swarm {
    /// Nobody gives anything yet but the device that shared the file. `seed` is a random number.
    #[must_use]
    pub fn new(size: FileSize, origin: DeviceId, head: u64, seed: u64) -> Self {
        let total = size.piece_count();
        Self {
            origin,
            head,
            total,
            others: BTreeMap::new(),
            counts: Vec::new(),
            claims: Claims::new(total),
            haste: NO_HASTE,
            choices: BTreeMap::new(),
            at: BTreeMap::new(),
            suspect: ChunkSet::default(),
            random: SplitMix64::new(seed),
        }
    }

    /// Another device gives pieces, besides those that it gave before. With none, it receives the file too.
    pub fn gives(&mut self, device: DeviceId, pieces: &[ChunkRange]) {
        self.choices.clear();
        let known = self.others.entry(device).or_default();
        if pieces.is_empty() {
            return;
        }
        self.counts.resize(self.total as usize, 0);
        for range in pieces {
            let range = ChunkRange::between(range.first, range.end().min(self.total));
            for part in known.missing(range) {
                counted(&mut self.counts, part).for_each(|count| *count = count.saturating_add(1));
            }
            known.add(range);
        }
    }

    /// A device gives nothing any more.
    pub fn gone(&mut self, device: DeviceId) {
        for range in self.others.remove(&device).iter().flat_map(ChunkSet::ranges) {
            counted(&mut self.counts, range).for_each(|count| *count = count.saturating_sub(1));
        }
        self.claims.end(device);
        self.at.remove(&device);
        self.choices.clear();
    }

    /// Another device gets pieces from the origin. These are all of them: what it claimed before is void.
    pub fn claims(
        &mut self,
        device: DeviceId,
        claimed: &[ChunkRange],
        receiver: &Receiver,
        now: Duration,
    ) {
        if self.others.contains_key(&device) {
            self.claims.said(device, claimed, now);
            self.claims.look(|piece| is_lacking(receiver, piece), now);
            self.choices.clear();
        }
    }

    /// Called several times a second. `is_idle` says whether the origin has been idle for a while: then a piece is wanted of it,
    /// though others have or get all that is left, and each further time twice as many, because those others are slow.
    pub fn look(&mut self, is_idle: bool, receiver: &Receiver, now: Duration) {
        self.claims.look(|piece| is_lacking(receiver, piece), now);
        self.choices.clear();
        if is_idle && self.haste.pieces == 0 {
            let Haste { next, .. } = self.haste;
            self.haste = Haste { pieces: next, next: MOST_HASTY.min(2 * next) };
        }
    }

    /// A piece came wrong and nobody knows from whom, or nobody knows whether it is right.
    pub fn suspects(&mut self, piece: u32) {
        self.suspect.add(ChunkRange::new(piece, 1));
        self.choices.clear();
    }

    /// Bytes that a device could give and that were not asked for yet; where it is much, at least the largest budget (F4).
    #[must_use]
    pub fn unasked(&self, device: DeviceId, receiver: &Receiver) -> u64 {
        if device == self.origin {
            return receiver.unasked();
        }
        let mut bytes = 0;
        for pieces in self.given(device) {
            let gaps = receiver.gaps(chunks_of(pieces));
            bytes += gaps.iter().map(|gap| u64::from(gap.count) * CHUNK_BYTES).sum::<u64>();
            if bytes > LARGEST_BUDGET_BYTES as u64 {
                return bytes;
            }
        }
        bytes
    }

    /// The next chunks to want of a device, at most `limit`; `None` when it could give none.
    pub fn next(
        &mut self,
        device: DeviceId,
        receiver: &Receiver,
        limit: u32,
    ) -> Option<ChunkRange> {
        if device == self.origin && self.others.is_empty() {
            return receiver.first_gap(limit);
        }
        let piece = match self.continues(device, receiver) {
            Some(piece) => piece,
            None => self.choose(device, receiver)?,
        };
        self.at.insert(device, piece);
        let gap = *receiver.gaps(receiver.size().chunks_of(piece)).first()?;
        Some(ChunkRange { count: gap.count.min(limit), ..gap })
    }

    /// The piece that is being wanted of a device, if chunks of it were not asked for yet.
    fn continues(&self, device: DeviceId, receiver: &Receiver) -> Option<u32> {
        let piece = *self.at.get(&device)?;
        (is_lacking(receiver, piece) && self.is_given(device, piece)).then_some(piece)
    }

    fn is_given(&self, device: DeviceId, piece: u32) -> bool {
        let one = ChunkRange::new(piece, 1);
        let gives = || self.others.get(&device).is_some_and(|given| given.contains(one));
        let is_behind_head = u64::from(piece) * PIECE_BYTES >= self.head;
        device == self.origin || (is_behind_head && gives() && !self.suspect.contains(one))
    }

    /// The pieces that a device gives.
    fn given(&self, device: DeviceId) -> Vec<ChunkRange> {
        if device == self.origin {
            return vec![ChunkRange::new(0, self.total)];
        }
        let head = u32::try_from(self.head.div_ceil(PIECE_BYTES)).unwrap_or(u32::MAX);
        let given = self.others.get(&device).into_iter().flat_map(ChunkSet::ranges);
        let given = given.flat_map(|range| self.suspect.missing(range));
        let given = given.map(|range| ChunkRange::between(range.first.max(head), range.end()));
        given.filter(|range| !range.is_empty()).collect()
    }

    /// Chooses one of the pieces that the fewest others give. It is the one behind the last if that is among them, so that the
    /// disk is written in order; else any, so that several devices do not choose the same.
    fn choose(&mut self, device: DeviceId, receiver: &Receiver) -> Option<u32> {
        let taken = self.taken(device);
        let before = self.choices.remove(&device).and_then(|choices| {
            let count = choices.count;
            left(choices, |piece| {
                is_lacking(receiver, piece) && (count >= MANY || !taken.contains(&piece))
            })
        });
        let known = before.unwrap_or_else(|| self.rarest(device, &taken, receiver));
        let (count, last) = (known.count, known.pieces.last().copied());
        self.choices.insert(device, known);
        if self.must_wait(device, count) {
            return None;
        }
        if device == self.origin {
            self.asks_origin(count);
        }
        let behind = self.at.get(&device).map(|at| at.saturating_add(1));
        let is_as_rare = |piece: &u32| {
            let is_one = is_lacking(receiver, *piece) && self.is_given(device, *piece);
            is_one && self.count_of(*piece, &taken) == count
        };
        behind.filter(is_as_rare).or(last)
    }

    /// What others get from the origin, they give soon: it would only be slower for them to ask for it too.
    fn must_wait(&self, device: DeviceId, count: u32) -> bool {
        let is_hasty = self.haste.pieces > 0;
        device == self.origin && count > 0 && !self.claims.held().is_empty() && !is_hasty
    }

    const fn asks_origin(&mut self, count: u32) {
        if count > 0 {
            self.haste.pieces = self.haste.pieces.saturating_sub(1);
        } else {
            self.haste = NO_HASTE;
        }
    }

    /// Finds pieces that the fewest others give or get. The head of the file comes before all others.
    fn rarest(&mut self, device: DeviceId, taken: &BTreeSet<u32>, receiver: &Receiver) -> Choices {
        let mut found = Choices { pieces: Vec::new(), count: u32::MAX };
        let mut seen: usize = 0;
        let mut last = None;
        for gap in
            self.given(device).into_iter().flat_map(|pieces| receiver.gaps(chunks_of(pieces)))
        {
            let pieces = pieces_of(gap);
            for piece in pieces.first..pieces.end() {
                if last.is_some_and(|last| piece <= last) {
                    continue;
                }
                last = Some(piece);
                if u64::from(piece) * PIECE_BYTES < self.head {
                    return Choices { pieces: vec![piece], count: 0 };
                }
                let count = self.count_of(piece, taken);
                if count > found.count {
                    continue;
                }
                if count < found.count {
                    (found, seen) = (Choices { pieces: Vec::new(), count }, 0);
                }
                seen += 1;
                // Each is as likely to be among them as any other, and to stand in any place (Vitter 1985, algorithm R).
                let at = self.random.below(seen as u64);
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                insert(&mut found.pieces, at, piece);
            }
        }
        found
    }

    fn count_of(&self, piece: u32, taken: &BTreeSet<u32>) -> u32 {
        let count = self.counts.get(piece as usize).copied().unwrap_or_default();
        u32::from(count) + if taken.contains(&piece) { MANY } else { 0 }
    }

    /// Pieces that are being wanted of other devices, so that two give chunks of one only at the end. Of the origin, also those
    /// that others get there.
    fn taken(&self, device: DeviceId) -> BTreeSet<u32> {
        let others = self.at.iter().filter(|(other, _)| **other != device);
        let mut taken: BTreeSet<_> = others.map(|(_, piece)| *piece).collect();
        if device == self.origin {
            taken.extend(self.claims.held());
        }
        taken
    }
}

/// The counts of some pieces.
fn counted(counts: &mut [u16], pieces: ChunkRange) -> impl Iterator<Item = &mut u16> {
    counts.get_mut(pieces.first as usize..pieces.end() as usize).into_iter().flatten()
}

/// Lets go of the pieces at the end of the list that cannot be chosen any more; `None` where none is left.
fn left(mut choices: Choices, can_be_chosen: impl Fn(u32) -> bool) -> Option<Choices> {
    while let Some(last) = choices.pieces.last() {
        if can_be_chosen(*last) {
            return Some(choices);
        }
        choices.pieces.pop();
    }
    None
}

/// Puts a piece into a place among the choices. The one that was there goes to the end while there is room.
fn insert(pieces: &mut Vec<u32>, at: usize, piece: u32) {
    let moved = pieces.get(at).copied();
    if pieces.len() < MOST_CHOICES {
        pieces.push(moved.unwrap_or(piece));
    }
    if let Some(place) = pieces.get_mut(at) {
        *place = piece;
    }
}
