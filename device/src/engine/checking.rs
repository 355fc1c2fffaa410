//! Hashes the pieces of a file that is received as they become whole, and compares them (F19).

use std::collections::VecDeque;
use std::time::Duration;

use heliograph_shared::ids::ItemId;

use super::context::Context;
use super::contract::{ReadId, ReadOf};
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{FileSize, PIECE_BYTES, pieces_of};
use crate::piece_checks::{Checked, PieceChecks};
use crate::piece_hash::PieceHash;

/// So many pieces of what is here are compared again when their file may be another one meanwhile.
const MOST_COMPARED: u64 = 32;
/// Pause between two requests for hashes of which the first is not answered: it may be that pieces are read from a disk.
const ASK: Duration = Duration::from_secs(1);
/// Pieces that are read at a time to be hashed.
const MOST_READING: usize = 4;

/// The piece whose hash, with others, was last asked for and did not come yet, and when that was.
#[derive(Debug)]
struct Asked {
    piece: u32,
    at: Duration,
}

#[derive(Debug)]
pub struct Checking {
    id: ItemId,
    size: FileSize,
    pub pieces: PieceChecks,
    /// Whole pieces that are to be hashed, and those that are being read for that.
    waiting: VecDeque<u32>,
    reading: Vec<(ReadId, u32)>,
    asked: Option<Asked>,
    /// Whether pieces counted while the device that shared the file was away, so that it may have another one by now.
    pub is_unconfirmed: bool,
}

impl Checking {
    pub fn new(id: ItemId, size: FileSize) -> Self {
        Self {
            id,
            size,
            pieces: PieceChecks::new(size),
            waiting: VecDeque::new(),
            reading: Vec::new(),
            asked: None,
            is_unconfirmed: false,
        }
    }

    /// An earlier run or transfer has received chunks. Some pieces of them are hashed again: if this is no longer the file of which
    /// they are parts, its device tells other hashes.
    pub fn resumes(&mut self, durable: &ChunkSet, context: &mut Context) {
        self.pieces.resumes(self.size.whole_pieces(durable.ranges()));
        self.compare_again(context);
    }

    /// The device that shared the file has it again, after its program was restarted: it has to be the same file. `can_read` says
    /// whether what is here can be read.
    pub fn source_came(&mut self, can_read: bool, context: &mut Context) {
        self.is_unconfirmed = false;
        self.pieces.forget_told();
        if can_read {
            self.compare_again(context);
        }
    }

    /// The first and the last of the pieces that are here, and others of them that are chosen at random.
    fn compare_again(&mut self, context: &mut Context) {
        let right = self.pieces.right();
        let count = u64::from(right.size());
        let chosen: ChunkSet = if count <= MOST_COMPARED {
            right.clone()
        } else {
            let others: Vec<_> = (2..MOST_COMPARED).map(|_| context.random.below(count)).collect();
            let chosen = [0, count - 1].into_iter().chain(others);
            chosen.filter_map(|at| nth(right, at)).map(|piece| ChunkRange::new(piece, 1)).collect()
        };
        for range in chosen.ranges() {
            self.waiting.extend(range.first..range.end());
        }
        self.read_next(context);
    }

    /// Chunks are durable.
    pub fn wrote(&mut self, chunks: ChunkRange, durable: &ChunkSet, context: &mut Context) {
        let pieces = pieces_of(chunks);
        let is_whole = |piece: &u32| durable.contains(self.size.chunks_of(*piece));
        self.waiting.extend((pieces.first..pieces.end()).filter(is_whole));
        self.read_next(context);
    }

    fn read_next(&mut self, context: &mut Context) {
        while self.reading.len() < MOST_READING {
            let Some(piece) = self.waiting.pop_front() else { return };
            let start = u64::from(piece) * PIECE_BYTES;
            let bytes = self.size.range_bytes(self.size.chunks_of(piece));
            let read = context.read(ReadOf::Received(self.id), start, bytes);
            self.reading.push((read, piece));
        }
    }

    /// Takes the answer to a request to read. Returns its piece; `None` when it is none of this file.
    pub fn was_read(&mut self, read: ReadId, context: &mut Context) -> Option<u32> {
        let at = self.reading.iter().position(|(reading, _)| *reading == read)?;
        let (_, piece) = self.reading.swap_remove(at);
        self.read_next(context);
        Some(piece)
    }

    /// The length of a piece in bytes.
    pub fn length_of(&self, piece: u32) -> u64 {
        self.size.range_bytes(self.size.chunks_of(piece))
    }

    /// Pieces whose hashes to ask for, once in a while.
    pub fn lacking(&mut self, now: Duration) -> Option<ChunkRange> {
        if self.asked.as_ref().is_some_and(|asked| now.saturating_sub(asked.at) < ASK) {
            return None;
        }
        let lacking = self.pieces.lacking();
        self.asked = lacking.map(|lacking| Asked { piece: lacking.first, at: now });
        lacking
    }

    /// The device that shared the file told hashes of pieces.
    pub fn told(&mut self, first: u32, hashes: &[PieceHash]) -> Vec<Checked> {
        let count = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        let told = first..ChunkRange::new(first, count).end();
        self.asked.take_if(|asked| told.contains(&asked.piece));
        self.pieces.told(first, hashes)
    }

    /// The device that shared the file is away: what it told before counts.
    pub fn without_source(&mut self) -> Vec<Checked> {
        let checked = self.pieces.without_source();
        self.is_unconfirmed |= !checked.is_empty();
        checked
    }

    /// Nothing of the file is here any more.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.reading.clear();
        self.pieces.clear();
    }
}

/// The number in a place of a set.
fn nth(set: &ChunkSet, at: u64) -> Option<u32> {
    let mut left = at;
    for range in set.ranges() {
        if left < u64::from(range.count) {
            return Some(range.first.saturating_add(u32::try_from(left).ok()?));
        }
        left -= u64::from(range.count);
    }
    None
}
