//! The chunks that another device wants on one link. Transfers take turns, one frame each, so none holds up another (F3).

use std::collections::VecDeque;

use crate::chunk_set::{ChunkRange, ChunkSet};

/// Most separate ranges kept for a transfer; a receiver wants the chunks of a file nearly in their order (F3).
const MOST_RANGES: usize = 256;

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
    /// The frame that was taken and has not been sent yet.
    taken: Option<Turn<T>>,
}

impl<T> Default for SendQueue<T> {
    fn default() -> Self {
        Self { wanted: VecDeque::new(), taken: None }
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
        self.is_taken(transfer) || self.wanted.iter().any(|(other, _)| *other == transfer)
    }

    fn is_taken(&self, transfer: T) -> bool {
        self.taken.as_ref().is_some_and(|taken| taken.transfer == transfer)
    }

    /// The device wants chunks of a transfer. Those of the taken frame are about to be sent anyway.
    pub fn want(&mut self, transfer: T, range: ChunkRange) {
        let place = self.wanted.iter().position(|(other, _)| *other == transfer);
        let place = place.unwrap_or_else(|| {
            self.wanted.push_back((transfer, ChunkSet::default()));
            self.wanted.len() - 1
        });
        let Some((_, chunks)) = self.wanted.get_mut(place) else { return };
        if chunks.ranges().len() < MOST_RANGES {
            chunks.add(range);
            if let Some(taken) = self.taken.filter(|taken| taken.transfer == transfer) {
                chunks.remove(taken.range);
            }
        }
        if chunks.is_empty() {
            self.wanted.remove(place);
        }
    }

    /// Takes one frame of at most `limit` chunks (at least 1) from the transfer whose turn it is; `None` when nothing is
    /// wanted. Call `sent` once it has left, or will not.
    pub fn next(&mut self, limit: u32) -> Option<Turn<T>> {
        let (transfer, mut chunks) = self.wanted.pop_front()?;
        let range = chunks.first_range(limit.max(1))?;
        chunks.remove(range);
        if !chunks.is_empty() {
            self.wanted.push_back((transfer, chunks));
        }
        self.taken = Some(Turn { transfer, range });
        self.taken
    }

    /// The taken frame has left.
    pub fn sent(&mut self) {
        self.taken = None;
    }

    /// Drops a transfer that has ended.
    pub fn forget(&mut self, transfer: T) {
        self.wanted.retain(|(other, _)| *other != transfer);
        if self.is_taken(transfer) {
            self.taken = None;
        }
    }

    /// Drops everything, because the link is gone; the receiver wants it again on another (F6).
    pub fn clear(&mut self) {
        self.wanted.clear();
        self.taken = None;
    }
}
