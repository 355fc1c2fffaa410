//! The receiving end of one transfer: told what arrived and what was written, it decides what to want next. It depends
//! neither on the order of chunks on a link nor on the number of links.

use std::collections::BTreeMap;

use heliograph_shared::ids::DeviceId;

use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{CHUNK_BYTES, FileSize};

/// A link on which chunks come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKey {
    /// A connection to a device. One that is rebuilt has another number.
    Direct(u64),
    /// The server's relay to a device. It keeps the order of everything, as TCP does.
    Relay(DeviceId),
    /// The server's stored copy of the file (F22).
    Stored,
}

/// Chunks in one `want`: enough for few messages, and small compared with the window.
const WANT_CHUNKS: u32 = 16;
/// One part in so many of a file may be asked for twice (F4): what links have lost, and what is wanted on a second one
/// meanwhile.
const TWICE_PART: u64 = 50;

/// The receiving end of one transfer.
#[derive(Debug)]
pub struct Receiver {
    size: FileSize,
    /// Chunks wanted, arrived or durable: all that need not be asked for.
    asked: ChunkSet,
    /// Some of those that were asked for.
    arrived: ChunkSet,
    /// Some of those that arrived.
    durable: ChunkSet,
    /// Chunks wanted on a link and not yet arrived.
    on_link: BTreeMap<LinkKey, ChunkSet>,
    /// How many chunks were asked for on a second link, or have to be because they were lost on the first.
    asked_twice: u64,
    /// Bytes that arrived again.
    twice: u64,
}

impl Receiver {
    /// The end of a transfer of which nothing is here.
    #[must_use]
    pub fn new(size: FileSize) -> Self {
        Self {
            size,
            asked: ChunkSet::default(),
            arrived: ChunkSet::default(),
            durable: ChunkSet::default(),
            on_link: BTreeMap::new(),
            asked_twice: 0,
            twice: 0,
        }
    }

    /// The size of the file.
    #[must_use]
    pub const fn size(&self) -> FileSize {
        self.size
    }

    /// Whether every chunk is durable.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.durable.size() == self.size.chunk_count()
    }

    /// Bytes that are durable. Until the last chunk is here, whole chunks are counted.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.size.bytes().min(bytes_of(self.durable.size()))
    }

    /// The chunks that are durable.
    #[must_use]
    pub const fn durable(&self) -> &ChunkSet {
        &self.durable
    }

    /// Bytes that arrived again after they had arrived.
    #[must_use]
    pub const fn twice(&self) -> u64 {
        self.twice
    }

    /// Bytes wanted and not yet durable.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        bytes_of(self.asked.size() - self.durable.size())
    }

    /// Bytes that arrived and are not yet durable.
    #[must_use]
    pub fn writing(&self) -> u64 {
        bytes_of(self.arrived.size() - self.durable.size())
    }

    /// Bytes that were not asked for yet.
    #[must_use]
    pub fn unasked(&self) -> u64 {
        bytes_of(self.size.chunk_count() - self.asked.size())
    }

    /// The chunks that are expected on a link.
    pub fn expected_on(&self, link: LinkKey) -> impl Iterator<Item = ChunkRange> {
        self.on_link.get(&link).into_iter().flat_map(ChunkSet::ranges)
    }

    /// Bytes that are expected on a link.
    #[must_use]
    pub fn waiting_on(&self, link: LinkKey) -> u64 {
        self.on_link.get(&link).map_or(0, |expected| bytes_of(expected.size()))
    }

    /// The first chunks that were not asked for, at most `limit`; `None` when all were.
    #[must_use]
    pub fn first_gap(&self, limit: u32) -> Option<ChunkRange> {
        self.asked.first_gap(self.size.chunk_count(), limit)
    }

    /// The chunks of a range that were not asked for.
    #[must_use]
    pub fn gaps(&self, range: ChunkRange) -> Vec<ChunkRange> {
        self.size.within(range).map_or_else(Vec::new, |range| self.asked.missing(range))
    }

    /// The next chunks to want on a link: `None` when all are asked for, or when there is room for less than a full `want`
    /// and than the rest of the file, never a single chunk that happens to fit. `most` is the bytes of the largest `want`
    /// on this link, `room` the bytes that may be wanted at all.
    pub fn want(&mut self, link: LinkKey, most: u64, room: u64) -> Option<ChunkRange> {
        self.want_of(link, most, room, Self::first_gap)
    }

    /// As [`Receiver::want`], of chunks that `choose` names: at most so many, none that were asked for.
    pub fn want_of(
        &mut self,
        link: LinkKey,
        most: u64,
        room: u64,
        choose: impl FnOnce(&Self, u32) -> Option<ChunkRange>,
    ) -> Option<ChunkRange> {
        let next = choose(self, chunks_in(most).min(WANT_CHUNKS))?;
        (bytes_of(next.count) <= room).then(|| self.expects(link, next))
    }

    /// The next chunks to want on a link in one piece, of at most so many bytes; `None` when all are asked for.
    pub fn want_run(&mut self, link: LinkKey, most: u64) -> Option<ChunkRange> {
        let next = self.first_gap(chunks_in(most))?;
        Some(self.expects(link, next))
    }

    fn expects(&mut self, link: LinkKey, chunks: ChunkRange) -> ChunkRange {
        self.asked.add(chunks);
        self.on_link.entry(link).or_default().add(chunks);
        chunks
    }

    /// Chunks that are expected on the slow link, to want them on the fast one too: the last ones, which would arrive there
    /// last. `None` when none is left, or when too much was asked for twice already (F4).
    pub fn want_twice(&mut self, slow: LinkKey, fast: LinkKey, most: u64) -> Option<ChunkRange> {
        let allowed = self.size.bytes() / TWICE_PART / CHUNK_BYTES;
        let left = u32::try_from(allowed.saturating_sub(self.asked_twice)).unwrap_or(u32::MAX);
        let expected = self.on_link.get_mut(&slow)?;
        let last = expected.ranges().next_back()?;
        let count = last.count.min(left).min(chunks_in(most));
        if count == 0 {
            return None;
        }
        let range = ChunkRange { first: last.end() - count, count };
        self.asked_twice += u64::from(count);
        expected.remove(range);
        self.on_link.entry(fast).or_default().add(range);
        Some(range)
    }

    /// Notes chunks that arrived, of so many bytes from `first` on, and returns those to write. Dropped are chunks that were
    /// not wanted of the device, that are already here, or whose length does not fit the file (F3, F5). `links` are those to
    /// the device from which they came.
    pub fn arrived(
        &mut self,
        first: u32,
        bytes: usize,
        links: impl IntoIterator<Item = LinkKey>,
    ) -> Vec<ChunkRange> {
        let Some(range) = self.fitting(first, bytes) else { return Vec::new() };
        let again = self.arrived.within(range);
        self.twice += again.into_iter().map(|part| self.size.range_bytes(part)).sum::<u64>();
        let mut fresh = Vec::new();
        for link in links {
            let Some(expected) = self.on_link.get_mut(&link) else { continue };
            for part in expected.within(range) {
                expected.remove(part);
                self.arrived.add(part);
                fresh.push(part);
            }
        }
        fresh
    }

    /// The chunks that so many bytes from `first` on are, if the file has chunks of that length there.
    fn fitting(&self, first: u32, bytes: usize) -> Option<ChunkRange> {
        let bytes = u64::try_from(bytes).ok()?;
        let range = ChunkRange { first, count: u32::try_from(bytes.div_ceil(CHUNK_BYTES)).ok()? };
        (self.size.range_bytes(range) == bytes).then_some(range)
    }

    /// An earlier run of the program has received these chunks. Called before anything is wanted.
    pub fn resumes(&mut self, ranges: impl IntoIterator<Item = ChunkRange>) {
        for range in ranges.into_iter().filter_map(|range| self.size.within(range)) {
            self.asked.add(range);
            self.arrived.add(range);
            self.durable.add(range);
        }
    }

    /// Chunks that were returned to be written are stored durably.
    pub fn wrote(&mut self, range: ChunkRange) {
        for part in self.arrived.within(range) {
            self.durable.add(part);
        }
    }

    /// Chunks that are durable are wrong: they are wanted again (F19).
    pub fn refused(&mut self, range: ChunkRange) {
        for part in self.durable.within(range) {
            self.asked.remove(part);
            self.arrived.remove(part);
            self.durable.remove(part);
        }
    }

    /// Chunks that were returned to be written are not written, because they do not open (E7): they are wanted again.
    pub fn dropped(&mut self, range: ChunkRange) {
        for part in self.durable.missing(range) {
            self.asked.remove(part);
            self.arrived.remove(part);
        }
    }

    /// Makes everything expected on a link that is gone wanted again on the next (F6).
    pub fn lost(&mut self, link: LinkKey) {
        for range in self.on_link.remove(&link).iter().flat_map(ChunkSet::ranges) {
            self.asked.remove(range);
            self.asked_twice += u64::from(range.count);
        }
    }

    /// Makes everything expected wanted again: what still arrives of it is dropped.
    pub fn lost_all(&mut self) {
        while let Some((link, _)) = self.on_link.first_key_value() {
            self.lost(*link);
        }
    }
}

/// Bytes of so many whole chunks.
fn bytes_of(chunks: u32) -> u64 {
    u64::from(chunks) * CHUNK_BYTES
}

/// Chunks of at most so many bytes; at least one.
fn chunks_in(bytes: u64) -> u32 {
    u32::try_from(bytes / CHUNK_BYTES).unwrap_or(u32::MAX).max(1)
}
