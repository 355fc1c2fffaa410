//! The chunks of one file as they travel: in clear, or sealed (E7). They are sealed as they leave in frames and opened as they
//! arrive; all else in the engine deals with the bytes of the file as they are.

use heliograph_shared::e2ee::file_chunks::{
    FileCipher, SEALED_CHUNK_BYTES, chunk_start, piece_key,
};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::limits::CHUNK_BYTES;

use super::contract::FileSeal;
use crate::chunk_set::ChunkRange;
use crate::file_size::FileSize;
use crate::piece_hash::PieceHash;

/// What seals one file.
struct Seal {
    cipher: FileCipher,
    piece_key: Secret<32>,
}

pub struct Chunks {
    size: FileSize,
    seal: Option<Seal>,
}

impl Chunks {
    pub fn new(size: FileSize, seal: Option<&FileSeal>) -> Self {
        let seal = seal.map(|FileSeal { key, salt }| Seal {
            cipher: FileCipher::sealing(key, *salt),
            piece_key: piece_key(key),
        });
        Self { size, seal }
    }

    /// Bytes of a full chunk on its way.
    pub const fn chunk_bytes(&self) -> usize {
        if self.seal.is_some() { SEALED_CHUNK_BYTES } else { CHUNK_BYTES }
    }

    const fn tag_bytes(&self) -> usize {
        self.chunk_bytes() - CHUNK_BYTES
    }

    /// How many bytes of the file so many bytes of chunks are; `None` where they are none.
    pub fn clear_bytes(&self, bytes: usize) -> Option<usize> {
        bytes.checked_sub(bytes.div_ceil(self.chunk_bytes()) * self.tag_bytes())
    }

    /// How many bytes chunks of the file have on their way.
    pub fn bytes_of(&self, range: ChunkRange) -> u64 {
        self.size.range_bytes(range) + u64::from(range.count) * self.tag_bytes() as u64
    }

    /// Where a chunk begins in a stored copy.
    pub fn start_in_copy(&self, chunk: u32) -> u64 {
        if self.seal.is_some() { chunk_start(chunk) } else { u64::from(chunk) * CHUNK_BYTES as u64 }
    }

    /// Seals chunks that follow each other, each by itself; `None` where they go in clear.
    pub fn seal(&self, first: u32, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        let seal = self.seal.as_ref()?;
        let chunks = (first..).zip(bytes.chunks(CHUNK_BYTES));
        // None of them is longer than a chunk.
        Some(chunks.flat_map(|(at, chunk)| seal.cipher.seal(at, chunk)).collect())
    }

    /// Opens chunks that follow each other; `None` when one of them is not of this file and place.
    pub fn open(&self, first: u32, bytes: &[u8]) -> Option<Vec<u8>> {
        let Some(seal) = &self.seal else { return Some(bytes.to_vec()) };
        let mut opened = Vec::with_capacity(bytes.len());
        for (at, chunk) in (first..).zip(bytes.chunks(SEALED_CHUNK_BYTES)) {
            // The chunk that is not full; it is empty, and goes over no link, where all others are full.
            let is_last = u64::from(at) == self.size.bytes() / CHUNK_BYTES as u64;
            opened.extend(seal.cipher.open(at, chunk, is_last).ok()?);
        }
        Some(opened)
    }

    pub fn hash(&self, piece: &[u8]) -> PieceHash {
        match &self.seal {
            None => PieceHash::of(piece),
            Some(seal) => PieceHash::keyed(piece, seal.piece_key.expose()),
        }
    }
}
