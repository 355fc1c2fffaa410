//! A set of chunk numbers, stored as sorted, disjoint ranges: even for a file of terabytes it stays small. Pieces (F19)
//! have sets of the same kind.

use std::ops::Range;

/// The chunks `first`, …, `first + count - 1`, or so many pieces. A frame may name more than there can be: nothing of a
/// range lies behind [`u32::MAX`], which is the number of no chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRange {
    /// The first number.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

impl ChunkRange {
    /// So many chunks from this one on.
    #[must_use]
    pub const fn new(first: u32, count: u32) -> Self {
        Self { first, count }
    }

    /// The numbers behind `start` and before `end`.
    #[must_use]
    pub const fn between(start: u32, end: u32) -> Self {
        Self { first: start, count: end.saturating_sub(start) }
    }

    /// The number behind the last one.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// Whether it has no chunks.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.first >= self.end()
    }
}

impl From<Range<u32>> for ChunkRange {
    fn from(Range { start, end }: Range<u32>) -> Self {
        Self::between(start, end)
    }
}

/// A set of chunk numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkSet {
    /// Ascending. No two of them touch, and none is empty.
    ranges: Vec<Range<u32>>,
    /// How many numbers they have.
    size: u32,
}

impl ChunkSet {
    /// Number of chunks in the set.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Whether the set has no chunk.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The disjoint ranges of the set, ascending.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = ChunkRange> + ExactSizeIterator {
        self.ranges.iter().cloned().map(ChunkRange::from)
    }

    /// The first chunks of the set: one range of at most `limit`. `None` when the set is empty.
    #[must_use]
    pub fn first_range(&self, limit: u32) -> Option<ChunkRange> {
        let first = self.ranges().next()?;
        Some(ChunkRange { count: first.count.min(limit), ..first })
    }

    /// The first gap below `total`: one range of at most `limit` chunks. `None` when there is no gap.
    #[must_use]
    pub fn first_gap(&self, total: u32, limit: u32) -> Option<ChunkRange> {
        let mut ranges = self.ranges();
        let first = ranges.next();
        let (start, next) = match first {
            Some(ChunkRange { first: 0, count }) => (count, ranges.next()),
            _ => (0, first),
        };
        let end = next.map_or(total, |next| next.first.min(total));
        let gap =
            ChunkRange { count: ChunkRange::between(start, end).count.min(limit), first: start };
        (!gap.is_empty()).then_some(gap)
    }

    /// Adds the chunks of a range.
    pub fn add(&mut self, range: ChunkRange) {
        if range.is_empty() {
            return;
        }
        let (start, end) = (range.first, range.end());
        // Ranges that only touch it become one with it.
        let from = self.ranges.partition_point(|known| known.end < start);
        let to = self.ranges.partition_point(|known| known.start <= end);
        let met = self.ranges.get(from..to).unwrap_or_default();
        let whole = Range {
            start: met.first().map_or(start, |first| first.start.min(start)),
            end: met.last().map_or(end, |last| last.end.max(end)),
        };
        self.replace(from..to, &[whole]);
    }

    /// Removes the chunks of a range.
    pub fn remove(&mut self, range: ChunkRange) {
        if range.is_empty() {
            return;
        }
        let met = self.meeting(range);
        let known = self.ranges.get(met.clone()).unwrap_or_default();
        let before = known.first().map(|first| first.start..range.first);
        let after = known.last().map(|last| range.end()..last.end);
        let rest: Vec<_> =
            before.into_iter().chain(after).filter(|rest| rest.start < rest.end).collect();
        self.replace(met, &rest);
    }

    /// The parts of a range that are in the set, ascending.
    #[must_use]
    pub fn within(&self, range: ChunkRange) -> Vec<ChunkRange> {
        let met = self.ranges.get(self.meeting(range)).unwrap_or_default();
        met.iter()
            .map(|known| {
                ChunkRange::between(known.start.max(range.first), known.end.min(range.end()))
            })
            .collect()
    }

    /// The parts of a range that are not in the set, ascending.
    #[must_use]
    pub fn missing(&self, range: ChunkRange) -> Vec<ChunkRange> {
        let mut gaps = Vec::new();
        let mut at = range.first;
        for known in self.within(range) {
            gaps.push(ChunkRange::between(at, known.first));
            at = known.end();
        }
        gaps.push(ChunkRange::between(at, range.end()));
        gaps.retain(|gap| !gap.is_empty());
        gaps
    }

    /// Whether every chunk of a range is in the set.
    #[must_use]
    pub fn contains(&self, range: ChunkRange) -> bool {
        self.missing(range).is_empty()
    }

    /// The places of the ranges that have chunks of a range.
    fn meeting(&self, range: ChunkRange) -> Range<usize> {
        let from = self.ranges.partition_point(|known| known.end <= range.first);
        let to = self.ranges.partition_point(|known| known.start < range.end());
        from..to.max(from)
    }

    fn replace(&mut self, places: Range<usize>, by: &[Range<u32>]) {
        let old = self.ranges.splice(places, by.iter().cloned());
        let removed: u32 = old.map(|old| old.end - old.start).sum();
        let added: u32 = by.iter().map(|new| new.end - new.start).sum();
        self.size = self.size - removed + added;
    }
}

impl FromIterator<ChunkRange> for ChunkSet {
    fn from_iter<I: IntoIterator<Item = ChunkRange>>(ranges: I) -> Self {
        let mut set = Self::default();
        ranges.into_iter().for_each(|range| set.add(range));
        set
    }
}
