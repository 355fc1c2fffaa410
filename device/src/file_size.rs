//! How a file is divided: into chunks (F2), which are wanted and sent, and into pieces (F19), which are hashed and which a
//! device with parts of a file offers to others (F20).

use heliograph_shared::limits;

use crate::chunk_set::ChunkRange;

/// Bytes of a chunk that is not the last (F2).
pub const CHUNK_BYTES: u64 = limits::CHUNK_BYTES as u64;
/// Chunks in a piece that is not the last (F19).
pub const PIECE_CHUNKS: u32 = 64;
/// Bytes of a piece that is not the last.
pub const PIECE_BYTES: u64 = PIECE_CHUNKS as u64 * CHUNK_BYTES;

/// The size of a file in bytes, so small that a frame can name each of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileSize(u64);

impl FileSize {
    /// The largest file, in bytes: one chunk less than 64 TiB.
    pub const MAX: Self = Self(u32::MAX as u64 * CHUNK_BYTES);

    /// A size in bytes; `None` beyond [`FileSize::MAX`].
    #[must_use]
    pub fn new(bytes: u64) -> Option<Self> {
        (bytes <= Self::MAX.0).then_some(Self(bytes))
    }

    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// How many chunks the file has; 0 for an empty file.
    #[must_use]
    pub fn chunk_count(self) -> u32 {
        count_of(self.0, CHUNK_BYTES)
    }

    /// The chunks of the file.
    #[must_use]
    pub fn chunks(self) -> ChunkRange {
        ChunkRange::new(0, self.chunk_count())
    }

    /// The part of a range that the file has; `None` when it has none of it.
    #[must_use]
    pub fn within(self, range: ChunkRange) -> Option<ChunkRange> {
        let part = ChunkRange::between(range.first, range.end().min(self.chunk_count()));
        (!part.is_empty()).then_some(part)
    }

    /// How many bytes a range of chunks has in the file; the last chunk may be short. Chunks that the file does not have
    /// have none.
    #[must_use]
    pub fn range_bytes(self, range: ChunkRange) -> u64 {
        let start = |chunk: u32| self.0.min(u64::from(chunk) * CHUNK_BYTES);
        start(range.end()) - start(range.first)
    }

    /// How many pieces the file has; 0 for an empty file.
    #[must_use]
    pub fn piece_count(self) -> u32 {
        count_of(self.0, PIECE_BYTES)
    }

    /// The chunks of a piece; the last piece may have fewer, and one that the file does not have has none.
    #[must_use]
    pub fn chunks_of(self, piece: u32) -> ChunkRange {
        let start = |piece: u32| piece.saturating_mul(PIECE_CHUNKS).min(self.chunk_count());
        ChunkRange::between(start(piece), start(piece.saturating_add(1)))
    }

    /// The pieces of which every chunk is in one of some ranges that do not touch each other.
    #[must_use]
    pub fn whole_pieces(self, ranges: impl IntoIterator<Item = ChunkRange>) -> Vec<ChunkRange> {
        let whole = ranges.into_iter().map(|range| {
            let is_to_end = range.end() >= self.chunk_count();
            let to = if is_to_end { self.piece_count() } else { range.end() / PIECE_CHUNKS };
            ChunkRange::between(range.first.div_ceil(PIECE_CHUNKS), to)
        });
        whole.filter(|range| !range.is_empty()).collect()
    }
}

/// The pieces that some chunks lie in.
#[must_use]
pub fn pieces_of(range: ChunkRange) -> ChunkRange {
    if range.is_empty() {
        return ChunkRange::new(range.first / PIECE_CHUNKS, 0);
    }
    ChunkRange::between(range.first / PIECE_CHUNKS, range.end().div_ceil(PIECE_CHUNKS))
}

/// How many parts of so many bytes there are in a size, which is at most [`FileSize::MAX`].
fn count_of(size: u64, part: u64) -> u32 {
    u32::try_from(size.div_ceil(part)).unwrap_or(u32::MAX)
}
