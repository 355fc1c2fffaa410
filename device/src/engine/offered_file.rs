//! A file that this device gives to others. It is read piece by piece, and each piece is hashed when it is first read (F19).

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::LARGEST_BUDGET_BYTES;

use super::chunks::Chunks;
use super::contract::{FileSeal, ReadId, ReadOf};
use crate::chunk_set::ChunkRange;
use crate::file_size::{CHUNK_BYTES, FileSize, PIECE_BYTES, pieces_of};
use crate::frames::chunk_frame;
use crate::piece_hash::PieceHash;

/// Bytes of pieces that are kept in memory, of all files together: what the largest budget of a receiver holds (F4), so that
/// neither the links of a bundle nor several receivers make this device read a piece again.
const MOST_KEPT_BYTES: u64 = LARGEST_BUDGET_BYTES as u64;
/// A file of which nothing could be read for so long counts as gone (F12).
const READ_WITHIN: Duration = Duration::from_mins(5);

/// A piece of a file.
type Key = (ItemId, u32);

/// The pieces that were read last. Those that were not used for the longest time are let go first.
#[derive(Default)]
pub struct PieceMemory {
    pieces: BTreeMap<Key, Kept>,
    bytes: u64,
    /// Counts the uses.
    uses: u64,
}

struct Kept {
    bytes: Vec<u8>,
    used: u64,
}

/// What a piece counts for. One of a tiny file costs more than its bytes.
fn cost(bytes: &[u8]) -> u64 {
    (bytes.len() as u64).max(CHUNK_BYTES)
}

impl PieceMemory {
    pub fn get(&mut self, key: Key) -> Option<&[u8]> {
        self.uses += 1;
        let kept = self.pieces.get_mut(&key)?;
        kept.used = self.uses;
        Some(&kept.bytes)
    }

    pub fn keep(&mut self, key: Key, bytes: Vec<u8>) {
        self.forget(key);
        self.uses += 1;
        self.bytes += cost(&bytes);
        self.pieces.insert(key, Kept { bytes, used: self.uses });
        while self.bytes > MOST_KEPT_BYTES {
            let oldest = self.pieces.iter().min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(oldest, _)| *oldest) else { return };
            self.forget(oldest);
        }
    }

    fn forget(&mut self, key: Key) {
        if let Some(kept) = self.pieces.remove(&key) {
            self.bytes -= cost(&kept.bytes);
        }
    }

    /// Lets go of the pieces of a file.
    pub fn forget_file(&mut self, id: ItemId) {
        let keys: Vec<_> =
            self.pieces.range((id, 0)..=(id, u32::MAX)).map(|(key, _)| *key).collect();
        for key in keys {
            self.forget(key);
        }
    }
}

/// A piece that is being read.
struct Reading {
    read: ReadId,
    since: Duration,
}

pub struct OfferedFile {
    pub id: ItemId,
    pub size: FileSize,
    pub of: ReadOf,
    chunks: Chunks,
    /// The hashes of the pieces that were read; none of a file that was received: those who want it know its hashes.
    pub hashes: BTreeMap<u32, PieceHash>,
    reading: BTreeMap<u32, Reading>,
}

/// What a piece turned out to be.
pub enum PieceRead {
    /// It is in the memory now. Where it was hashed for the first time, with its hash.
    Here(Option<PieceHash>),
    /// It cannot be read, or is no longer what it was.
    Unreadable,
}

impl OfferedFile {
    pub fn new(of: ReadOf, size: FileSize, seal: Option<&FileSeal>) -> Self {
        let (ReadOf::Offered(id) | ReadOf::Received(id)) = of;
        let chunks = Chunks::new(size, seal);
        Self { id, size, of, chunks, hashes: BTreeMap::new(), reading: BTreeMap::new() }
    }

    /// The frame of chunks whose pieces are in memory; else the pieces that have to be read, of which there is at least one.
    pub fn frame(&self, range: ChunkRange, memory: &mut PieceMemory) -> Result<Vec<u8>, Vec<u32>> {
        let pieces = pieces_of(range);
        let mut bytes = Vec::new();
        let mut missing = Vec::new();
        for piece in pieces.first..pieces.end() {
            match memory.get((self.id, piece)) {
                Some(whole) => bytes.extend_from_slice(self.part(whole, piece, range)),
                None => missing.push(piece),
            }
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(match self.chunks.seal(range.first, &bytes) {
            None => chunk_frame(self.id, range.first, &[&bytes]),
            Some(sealed) => {
                let parts: Vec<_> = sealed.iter().map(Vec::as_slice).collect();
                chunk_frame(self.id, range.first, &parts)
            }
        })
    }

    /// The bytes of a piece that a range of chunks has.
    fn part<'a>(&self, whole: &'a [u8], piece: u32, range: ChunkRange) -> &'a [u8] {
        let chunks = self.size.chunks_of(piece);
        let offset = |chunk: u32| {
            let before = ChunkRange::between(chunks.first, chunk.clamp(chunks.first, chunks.end()));
            usize::try_from(self.size.range_bytes(before)).unwrap_or(usize::MAX)
        };
        whole.get(offset(range.first)..offset(range.end())).unwrap_or_default()
    }

    pub fn is_reading(&self, piece: u32) -> bool {
        self.reading.contains_key(&piece)
    }

    /// Whether a request is the last one for a piece of this file.
    pub fn is_read_by(&self, read: ReadId) -> bool {
        self.reading.values().any(|reading| reading.read == read)
    }

    /// A piece is being read.
    pub fn reads(&mut self, piece: u32, read: ReadId, now: Duration) {
        self.reading.insert(piece, Reading { read, since: now });
    }

    /// Where a piece begins, and how many bytes it has.
    pub fn place_of(&self, piece: u32) -> (u64, u64) {
        (u64::from(piece) * PIECE_BYTES, self.size.range_bytes(self.size.chunks_of(piece)))
    }

    /// The answer to a request to read came; `None` where it is none of the last requests for a piece.
    pub fn was_read(
        &mut self,
        read: ReadId,
        bytes: Option<Vec<u8>>,
        memory: &mut PieceMemory,
    ) -> Option<(u32, PieceRead)> {
        let mut pieces = self.reading.iter();
        let piece = *pieces.find(|(_, reading)| reading.read == read)?.0;
        self.reading.remove(&piece);
        let (_, length) = self.place_of(piece);
        let bytes = bytes.filter(|bytes| bytes.len() as u64 == length);
        let Some(bytes) = bytes else { return Some((piece, PieceRead::Unreadable)) };
        let fresh = match self.of {
            ReadOf::Received(_) => None,
            ReadOf::Offered(_) => {
                let hash = self.chunks.hash(&bytes);
                match self.hashes.get(&piece) {
                    Some(known) if *known != hash => {
                        return Some((piece, PieceRead::Unreadable));
                    }
                    Some(_) => None,
                    None => {
                        self.hashes.insert(piece, hash);
                        Some(hash)
                    }
                }
            }
        };
        memory.keep((self.id, piece), bytes);
        Some((piece, PieceRead::Here(fresh)))
    }

    /// The pieces that could not be read for too long. Their answers count no more.
    pub fn overdue(&mut self, now: Duration) -> Vec<u32> {
        let late = |reading: &Reading| now.saturating_sub(reading.since) > READ_WITHIN;
        self.reading.extract_if(.., |_, reading| late(reading)).map(|(piece, _)| piece).collect()
    }
}
