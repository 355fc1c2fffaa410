//! Which pieces of a file are right (F19). Told what the device that shared the file says of their hashes, and what the
//! hashes of the received pieces are, it decides which pieces count, and who is to blame for a wrong one.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::DeviceId;

use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{FileSize, PIECE_CHUNKS, pieces_of};
use crate::piece_hash::PieceHash;

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The piece is what the device that shared the file says.
    Right,
    /// The piece cannot be compared, and nobody is to blame for that.
    Unknown,
    /// The piece is something else.
    Wrong {
        /// The devices that gave chunks of it; none when an earlier run of the program had it.
        givers: BTreeSet<DeviceId>,
    },
}

/// A piece that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its number.
    pub piece: u32,
    /// The outcome.
    pub check: Check,
}

/// The checks of one file.
#[derive(Debug)]
pub struct PieceChecks {
    total: u32,
    right: ChunkSet,
    /// What the device that shared the file says.
    told: BTreeMap<u32, PieceHash>,
    /// The hashes of pieces that are here and were not compared.
    computed: BTreeMap<u32, PieceHash>,
    /// Who gave chunks of the pieces that are not right yet.
    givers: BTreeMap<u32, BTreeSet<DeviceId>>,
}

impl PieceChecks {
    /// The checks of a file of which nothing is here.
    #[must_use]
    pub fn new(size: FileSize) -> Self {
        Self {
            total: size.piece_count(),
            right: ChunkSet::default(),
            told: BTreeMap::new(),
            computed: BTreeMap::new(),
            givers: BTreeMap::new(),
        }
    }

    /// Whether every piece is right.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.right.size() == self.total
    }

    /// The pieces that are right.
    #[must_use]
    pub const fn right(&self) -> &ChunkSet {
        &self.right
    }

    /// Pieces of which chunks were received, and that are not known to be right, ascending.
    pub fn doubtful(&self) -> impl Iterator<Item = u32> {
        self.givers.keys().copied()
    }

    /// The first pieces that cannot be compared because their hashes were not told; `None` when there are none.
    #[must_use]
    pub fn lacking(&self) -> Option<ChunkRange> {
        let mut pieces = self.computed.keys().copied();
        let first = pieces.next()?;
        let more = (1..).zip(pieces).take_while(|(at, piece)| *piece == first + at);
        Some(ChunkRange::new(first, more.last().map_or(1, |(at, _)| at + 1)))
    }

    /// Pieces that an earlier run of the program has found to be right.
    pub fn resumes(&mut self, pieces: impl IntoIterator<Item = ChunkRange>) {
        pieces.into_iter().for_each(|range| self.right.add(range));
    }

    /// Chunks came from a device: some of those that were wanted of it.
    pub fn came(&mut self, chunks: ChunkRange, from: DeviceId) {
        let pieces = pieces_of(chunks);
        for piece in pieces.first..pieces.end().min(self.total) {
            self.givers.entry(piece).or_default().insert(from);
        }
    }

    /// The hash of a piece that is here was computed. Returns `None` while nothing is known to compare it with.
    pub fn hashed(&mut self, piece: u32, hash: PieceHash) -> Option<Check> {
        self.right.remove(ChunkRange::new(piece, 1));
        self.computed.insert(piece, hash);
        self.compare(piece)
    }

    /// The device that shared the file told the hashes of pieces, from `first` on. What it told first holds. Returns the
    /// pieces that had waited for it.
    pub fn told(&mut self, first: u32, hashes: &[PieceHash]) -> Vec<Checked> {
        let mut checked = Vec::new();
        for (piece, hash) in (first..self.total).zip(hashes) {
            self.told.entry(piece).or_insert(*hash);
            checked.extend(self.compare(piece).map(|check| Checked { piece, check }));
        }
        checked
    }

    /// Some givers are believed without hashes, because the device that shared the file is not here to tell them: pieces of
    /// theirs are right. Those with chunks of any other may be right too, but stay unknown. Returns the pieces that had
    /// waited for it.
    pub fn vouched_for(&mut self, trusted: &[DeviceId]) -> Vec<Checked> {
        let waiting: Vec<_> = self.computed.iter().map(|(piece, hash)| (*piece, *hash)).collect();
        let checked = waiting.into_iter().map(|(piece, hash)| {
            let mut givers = self.givers.get(&piece).into_iter().flatten();
            if givers.all(|giver| trusted.contains(giver)) {
                self.told.insert(piece, hash);
            }
            let check = self.compare(piece).unwrap_or_else(|| {
                self.computed.remove(&piece);
                self.givers.remove(&piece);
                Check::Unknown
            });
            Checked { piece, check }
        });
        checked.collect()
    }

    /// The device that shared the file begins anew, perhaps with another file: what it told before is void.
    pub fn forget_told(&mut self) {
        self.told.clear();
    }

    /// Nothing of the file is here any more, and what was told was about another one.
    pub fn clear(&mut self) {
        self.right = ChunkSet::default();
        self.told.clear();
        self.computed.clear();
        self.givers.clear();
    }

    fn compare(&mut self, piece: u32) -> Option<Check> {
        let told = self.told.get(&piece)?;
        let is_right = self.computed.remove(&piece)? == *told;
        let givers = self.givers.remove(&piece).unwrap_or_default();
        if !is_right {
            return Some(Check::Wrong { givers });
        }
        self.right.add(ChunkRange::new(piece, 1));
        Some(Check::Right)
    }
}

/// The chunks of some ranges without those of pieces.
#[must_use]
pub fn without(
    ranges: impl IntoIterator<Item = ChunkRange>,
    pieces: impl IntoIterator<Item = u32>,
) -> ChunkSet {
    let mut set: ChunkSet = ranges.into_iter().collect();
    for piece in pieces {
        set.remove(ChunkRange::new(piece.saturating_mul(PIECE_CHUNKS), PIECE_CHUNKS));
    }
    set
}
