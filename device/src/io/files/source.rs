//! The bytes of an item, wherever they are.

use std::sync::Arc;

use super::error::FileError;
use super::packed::PackedSource;
use super::source_file::{OpenFiles, SourceFile};

/// What offered bytes are read from.
#[derive(Clone, Debug)]
pub enum Source {
    /// One file.
    File(SourceFile),
    /// Many, as one item (F16).
    Packed(Arc<PackedSource>),
    /// Bytes that lie in no file.
    Memory(Arc<[u8]>),
}

impl Source {
    /// In bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::File(file) => file.size(),
            Self::Packed(packed) => packed.size(),
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads `length` bytes from a position on.
    ///
    /// # Errors
    /// Where they cannot all be read, or the file is not what it was: the offer ends with it (F17).
    pub fn read(
        &self,
        open: &OpenFiles,
        position: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        match self {
            Self::File(file) => file.read(open, position, length),
            Self::Packed(packed) => packed.read(open, position, length),
            Self::Memory(bytes) => {
                let start = usize::try_from(position).map_err(|_| FileError::Changed)?;
                let end = start.checked_add(length).ok_or(FileError::Changed)?;
                Ok(bytes.get(start..end).ok_or(FileError::Changed)?.to_vec())
            }
        }
    }
}
