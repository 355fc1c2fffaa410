//! The hash by which pieces of files are told apart (F19). No other file names the library.

/// BLAKE3 of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceHash(pub [u8; PieceHash::BYTES]);

impl PieceHash {
    /// Bytes of a hash.
    pub const BYTES: usize = 32;

    /// The hash of a piece that goes in clear.
    #[must_use]
    pub fn of(piece: &[u8]) -> Self {
        Self(*blake3::hash(piece).as_bytes())
    }

    /// The hash of a piece of a file that goes sealed, by the file's key for hashes (E7): `piece_key` of
    /// `heliograph_shared::e2ee`.
    #[must_use]
    pub fn keyed(piece: &[u8], key: &[u8; 32]) -> Self {
        Self(*blake3::keyed_hash(key, piece).as_bytes())
    }
}
