//! Which pieces of a file are right (F19). Told what the device that shared the file says of their hashes, and what the
//! hashes of the received pieces are, it decides which pieces count, and who is to blame for a wrong one.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::DeviceId;

use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::{FileSize, PIECE_CHUNKS, pieces_of};
use crate::piece_hash::PieceHash;

/// Who gave chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GivenBy {
    /// A device.
    Device(DeviceId),
    /// The server's stored copy (F22).
    Copy,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The piece is what the device that shared the file says.
    Right,
    /// The piece cannot be compared, and nobody is to blame for that.
    Unknown,
    /// The piece is something else.
    Wrong {
        /// Who gave chunks of it: nobody when an earlier run of the program had it, or when it is of another file by now.
        givers: BTreeSet<GivenBy>,
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
    /// What it told an earlier run, or before it began anew. It counts while that device is away, until it says otherwise.
    told_before: BTreeMap<u32, PieceHash>,
    /// Whether anything was told that `newly_told` did not return yet.
    is_newly_told: bool,
    /// The hashes of pieces that are here and were not compared.
    computed: BTreeMap<u32, PieceHash>,
    /// Who gave chunks of the pieces that are not right yet.
    givers: BTreeMap<u32, BTreeSet<GivenBy>>,
}

impl PieceChecks {
    /// The checks of a file of which nothing is here.
    #[must_use]
    pub fn new(size: FileSize) -> Self {
        Self {
            total: size.piece_count(),
            right: ChunkSet::default(),
            told: BTreeMap::new(),
            told_before: BTreeMap::new(),
            is_newly_told: false,
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

    /// An earlier run or transfer was told hashes.
    pub fn was_told(&mut self, hashes: impl IntoIterator<Item = (u32, PieceHash)>) {
        self.told_before.extend(hashes);
    }

    /// All that is known of what the device that shared the file told, for a later run or transfer.
    #[must_use]
    pub fn all_told(&self) -> BTreeMap<u32, PieceHash> {
        let mut all = self.told_before.clone();
        all.extend(&self.told);
        all
    }

    /// All that was told; `None` where that is what was returned last.
    pub fn newly_told(&mut self) -> Option<BTreeMap<u32, PieceHash>> {
        std::mem::take(&mut self.is_newly_told).then(|| self.all_told())
    }

    /// Chunks came: some of those that were wanted of who gave them.
    pub fn came(&mut self, chunks: ChunkRange, from: GivenBy) {
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

    /// The device that shared the file told the hashes of pieces, from `first` on. What it told first holds. Where it told an
    /// earlier run another hash, its file is another one by now: one piece is wrong then that nobody gave. Returns the pieces that
    /// had waited for it.
    pub fn told(&mut self, first: u32, hashes: &[PieceHash]) -> Vec<Checked> {
        let said = || (first..self.total).zip(hashes);
        if let Some((piece, _)) = said().find(|(piece, hash)| !self.may_say(*piece, hash)) {
            let check = Check::Wrong { givers: BTreeSet::new() };
            return vec![Checked { piece, check }];
        }
        self.is_newly_told = true;
        let mut checked = Vec::new();
        for (piece, hash) in (first..self.total).zip(hashes) {
            self.told.entry(piece).or_insert(*hash);
            checked.extend(self.compare(piece).map(|check| Checked { piece, check }));
        }
        checked
    }

    fn may_say(&self, piece: u32, hash: &PieceHash) -> bool {
        self.told.contains_key(&piece)
            || self.told_before.get(&piece).is_none_or(|before| before == hash)
    }

    /// The device that shared the file is away. What it told before counts, and so do the pieces that an earlier run has found to be
    /// right. Returns the pieces that had waited for it.
    pub fn without_source(&mut self) -> Vec<Checked> {
        let mut checked = Vec::new();
        for (piece, hash) in self.computed.clone() {
            let is_earlier = !self.givers.contains_key(&piece);
            let before = self.told_before.get(&piece).copied();
            let Some(before) = before.or_else(|| is_earlier.then_some(hash)) else { continue };
            self.told_before.insert(piece, before);
            self.computed.remove(&piece);
            checked.push(Checked { piece, check: self.compared(piece, before, hash) });
        }
        checked
    }

    /// Some givers are believed without hashes, because the device that shared the file is not here to tell them: pieces of
    /// theirs are right. Those with chunks of any other may be right too, but stay unknown. Returns the pieces that had
    /// waited for it.
    pub fn vouched_for(&mut self, trusted: &[GivenBy]) -> Vec<Checked> {
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

    /// The device that shared the file begins anew, perhaps with another file: what it told before counts only while it is away.
    pub fn forget_told(&mut self) {
        self.told_before.append(&mut self.told);
    }

    /// Nothing of the file is here any more, and what was told was about another one.
    pub fn clear(&mut self) {
        self.right = ChunkSet::default();
        self.told.clear();
        self.told_before.clear();
        self.is_newly_told = true;
        self.computed.clear();
        self.givers.clear();
    }

    fn compare(&mut self, piece: u32) -> Option<Check> {
        let told = *self.told.get(&piece)?;
        let computed = self.computed.remove(&piece)?;
        Some(self.compared(piece, told, computed))
    }

    fn compared(&mut self, piece: u32, told: PieceHash, computed: PieceHash) -> Check {
        let givers = self.givers.remove(&piece).unwrap_or_default();
        if told != computed {
            return Check::Wrong { givers };
        }
        self.right.add(ChunkRange::new(piece, 1));
        Check::Right
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
