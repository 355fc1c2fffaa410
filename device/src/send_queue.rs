//! The chunks that another device wants on one link. Transfers take turns, one frame each, so none holds up another (F3).

use std::collections::VecDeque;

use crate::chunk_set::{ChunkRange, ChunkSet};

/// Most separate ranges kept for a transfer; a receiver wants the chunks of a file nearly in their order (F3).
const MOST_RANGES: usize = 256;
/// Most frames that are taken at a time. Some may be read for long, and those of other files are sent meanwhile.
const MOST_TAKEN: usize = 8;

/// The next frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<T> {
    /// The transfer whose turn it is.
    pub transfer: T,
    /// Its chunks.
    pub range: ChunkRange,
}

/// What is wanted on one link. `T` names a transfer.
#[derive(Debug)]
pub struct SendQueue<T> {
    /// In the order of their turns. None of them is empty.
    wanted: VecDeque<(T, ChunkSet)>,
    /// The frames that were taken and have not been sent yet, one of each transfer at most.
    taken: Vec<Turn<T>>,
}

impl<T> Default for SendQueue<T> {
    fn default() -> Self {
        Self { wanted: VecDeque::new(), taken: Vec::new() }
    }
}

impl<T: Copy + PartialEq> SendQueue<T> {
    /// Number of transfers with something to send.
    #[must_use]
    pub fn size(&self) -> usize {
        self.wanted.len()
    }

    /// Whether anything of a transfer remains to be sent.
    #[must_use]
    pub fn has(&self, transfer: T) -> bool {
        self.taken_of(transfer).is_some() || self.wanted.iter().any(|(other, _)| *other == transfer)
    }

    /// The taken frame of a transfer.
    fn taken_of(&self, transfer: T) -> Option<Turn<T>> {
        self.taken.iter().find(|taken| taken.transfer == transfer).copied()
    }

    /// The device wants chunks of a transfer. Those of the taken frame are about to be sent anyway.
    pub fn want(&mut self, transfer: T, range: ChunkRange) {
        let taken = self.taken_of(transfer);
        let place = self.wanted.iter().position(|(other, _)| *other == transfer);
        let place = place.unwrap_or_else(|| {
            self.wanted.push_back((transfer, ChunkSet::default()));
            self.wanted.len() - 1
        });
        let Some((_, chunks)) = self.wanted.get_mut(place) else { return };
        if chunks.ranges().len() < MOST_RANGES {
            chunks.add(range);
            if let Some(taken) = taken {
                chunks.remove(taken.range);
            }
        }
        if chunks.is_empty() {
            self.wanted.remove(place);
        }
    }

    /// Takes one frame of at most `limit` chunks (at least 1) from the transfer whose turn it is, of those with no taken frame;
    /// `None` when there is none, or too many are taken. Call `sent` once it has left, or will not.
    pub fn next(&mut self, limit: u32) -> Option<Turn<T>> {
        if self.taken.len() >= MOST_TAKEN {
            return None;
        }
        let is_free = |(transfer, _): &(T, ChunkSet)| self.taken_of(*transfer).is_none();
        let place = self.wanted.iter().position(is_free)?;
        let (transfer, mut chunks) = self.wanted.remove(place)?;
        let range = chunks.first_range(limit.max(1))?;
        chunks.remove(range);
        if !chunks.is_empty() {
            self.wanted.push_back((transfer, chunks));
        }
        let turn = Turn { transfer, range };
        self.taken.push(turn);
        Some(turn)
    }

    /// A taken frame leaves now, or never. Returns whether it was still to be sent.
    pub fn sent(&mut self, turn: Turn<T>) -> bool {
        let place = self.taken.iter().position(|taken| *taken == turn);
        place.map(|place| self.taken.swap_remove(place)).is_some()
    }

    /// Whether a taken frame is still to be sent.
    #[must_use]
    pub fn is_taken(&self, turn: Turn<T>) -> bool {
        self.taken.contains(&turn)
    }

    /// Drops a transfer that has ended.
    pub fn forget(&mut self, transfer: T) {
        self.wanted.retain(|(other, _)| *other != transfer);
        self.taken.retain(|taken| taken.transfer != transfer);
    }

    /// Drops everything, because the link is gone; the receiver wants it again on another (F6).
    pub fn clear(&mut self) {
        self.wanted.clear();
        self.taken.clear();
    }
}
