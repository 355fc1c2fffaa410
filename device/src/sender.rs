//! The sending end of one transfer to one device: which chunks have left.

use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::FileSize;

/// The sending end of one transfer to one device.
#[derive(Debug)]
pub struct Sender {
    size: FileSize,
    sent: ChunkSet,
    /// Chunks that the receiver had before.
    before: ChunkSet,
    /// The chunk behind the last one that was wanted.
    wanted_to: u32,
    sent_bytes: u64,
    twice: u64,
}

impl Sender {
    /// The end of a transfer of which nothing has left.
    #[must_use]
    pub fn new(size: FileSize) -> Self {
        Self {
            size,
            sent: ChunkSet::default(),
            before: ChunkSet::default(),
            wanted_to: 0,
            sent_bytes: 0,
            twice: 0,
        }
    }

    /// Bytes of the file that were handed to a link, each counted once, or that the receiver had before.
    #[must_use]
    pub fn sent(&self) -> u64 {
        let before = self.before.ranges().map(|range| self.size.range_bytes(range));
        before.sum::<u64>() + self.sent_bytes
    }

    /// Bytes that were handed to a link again.
    #[must_use]
    pub const fn twice(&self) -> u64 {
        self.twice
    }

    /// Notes that chunks are wanted, and returns those that the file has; `None` when it has none of them. A receiver that
    /// wants them in order has those that it leaves out, as from an earlier run of its program.
    pub fn wanted(&mut self, range: ChunkRange, is_in_order: bool) -> Option<ChunkRange> {
        let range = self.size.within(range)?;
        if is_in_order {
            self.before.add(ChunkRange::between(self.wanted_to, range.first));
        }
        self.wanted_to = self.wanted_to.max(range.end());
        self.before.remove(range);
        Some(range)
    }

    /// Notes that chunks were handed to a link.
    pub fn gave(&mut self, range: ChunkRange) {
        let again = self.sent.within(range).into_iter().map(|part| self.size.range_bytes(part));
        let again: u64 = again.sum();
        self.twice += again;
        self.sent_bytes += self.size.range_bytes(range) - again;
        self.sent.add(range);
    }
}
