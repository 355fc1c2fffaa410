//! A file that comes here, as the engine is told of it.

use std::collections::BTreeMap;
use std::fmt;

use heliograph_shared::e2ee::file_chunks::SALT_BYTES;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{DeviceId, ItemId};

use crate::chunk_set::ChunkRange;
use crate::file_size::FileSize;
use crate::piece_hash::PieceHash;

/// What seals the bytes of a file (E7).
#[derive(Clone)]
pub struct FileSeal {
    /// The file's key.
    pub key: Secret<32>,
    /// Its salt.
    pub salt: [u8; SALT_BYTES],
}

impl fmt::Debug for FileSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileSeal")
    }
}

/// A file that comes here.
#[derive(Clone, Debug)]
pub struct IncomingFile {
    /// Its item.
    pub id: ItemId,
    /// The device that shared it (F1).
    pub from: DeviceId,
    /// Its size.
    pub size: FileSize,
    /// Bytes at its start that are wanted first and of `from` alone, because they are used unchecked: a manifest (F16); 0 for none.
    pub head: u64,
    /// Whether it is for this device alone, so that no other learns of it (S33).
    pub is_private: bool,
    /// What opens its chunks; `None` where they come in clear.
    pub seal: Option<FileSeal>,
    /// Where the server's copy is (F9); `None` where there is none.
    pub url: Option<String>,
    /// What an earlier run has received of it.
    pub earlier: Earlier,
}

/// What an earlier run of the program has received of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// Nothing is here.
    #[default]
    Nothing,
    /// A part, as the journal says.
    Part(JournalEntry),
    /// All of it: it only remains to be said (F7), and can be given to others (F20).
    Whole,
}

/// What the journal says of an unfinished file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalEntry {
    /// The chunks to go on from.
    pub chunks: Vec<ChunkRange>,
    /// Whether the person has paused it.
    pub is_paused: bool,
    /// The hashes of pieces that were told, by piece.
    pub hashes: BTreeMap<u32, PieceHash>,
}
