//! What is here of received files, on the disk: one small file for each item, which is written anew as a whole, so that a
//! program that is killed leaves the old entry or the new one. Bytes without an entry are worth nothing, because chunks are
//! written in any order.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use heliograph_shared::ids::{BeamId, ItemId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::file_lock::FileLock;
use super::error::FileError;
use super::private_folder::{self, lock_file, try_lock};
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::FileSize;
use crate::manifest::ManifestFacts;
use crate::piece_hash::PieceHash;

/// The entry of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The item.
    pub item: ItemId,
    /// Its beam, which may have another id by now (H28).
    pub beam: BeamId,
    /// The name that its item gave it: what a person knows it by. Not yet safe to show.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// As the item tells it (F1), in milliseconds since the Unix epoch.
    pub modified: Option<i64>,
    /// What the item says of its manifest; `None` for a single file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestFacts>,
    /// The folder in which it lies, or is to lie.
    pub folder: OsString,
    /// How far it is.
    pub stage: Stage,
    /// Whether the person has paused it (F18).
    pub is_paused: bool,
    /// When it was written last, in milliseconds since the Unix epoch.
    pub used_at: i64,
}

/// How far a file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It is received. These chunks are durable: the first one of each range, and how many.
    Receiving(Vec<(u32, u32)>),
    /// All of it is here. It is about to get this name in its folder.
    Placing(String),
    /// All of it is here, and the first so many of its files are still to be unpacked.
    Unpacking(usize),
    /// All of its files are unpacked, and they are about to get their names in the folder.
    PlacingAll,
    /// It lies in its folder.
    Complete {
        /// The names of the file, or of the files and folders at the top.
        names: Vec<String>,
        /// When the bytes of a single file were changed last, in milliseconds since the Unix epoch.
        modified: Option<i64>,
    },
}

impl Entry {
    /// When the bytes of the file were changed last, as it has it on this disk once all of it is here, in milliseconds since the Unix epoch.
    pub(super) fn modified_there(&self) -> i64 {
        self.modified.unwrap_or(self.used_at)
    }

    /// The chunks that are durable.
    #[must_use]
    pub fn durable(&self) -> Vec<ChunkRange> {
        match &self.stage {
            Stage::Receiving(ranges) => {
                let ranges = ranges.iter().map(|(first, count)| ChunkRange::new(*first, *count));
                ranges.collect::<ChunkSet>().ranges().collect()
            }
            _ => FileSize::new(self.size).map(FileSize::chunks).into_iter().collect(),
        }
    }
}

/// The folder with the entries.
#[derive(Debug)]
pub struct Journal {
    folder: Dir,
}

impl Journal {
    /// Opens the journal in a folder, which is made where it is missing.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self { folder: private_folder::open(path)? })
    }

    /// The entry of an item; `None` where there is none that can be read.
    #[must_use]
    pub fn read(&self, item: ItemId) -> Option<Entry> {
        let bytes = self.folder.read(entry_name(item)).ok()?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        (entry.item == item).then_some(entry)
    }

    /// Enters an item, in place of what was entered before.
    ///
    /// # Errors
    /// Where it could not be written: then the entry of before stays.
    pub fn write(&self, entry: &Entry) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(entry).map_err(io::Error::other)?;
        self.replace(&entry_name(entry.item), &bytes)
    }

    /// Removes what is entered of an item.
    pub fn remove(&self, item: ItemId) {
        let _ = self.folder.remove_file(entry_name(item));
        let _ = self.folder.remove_file(hashes_name(item));
    }

    /// The items that are entered.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn items(&self) -> Result<Vec<ItemId>, FileError> {
        Ok(self.names()?.iter().filter_map(|name| item_of(name, ENTRY)).collect())
    }

    /// The hashes that were told of an item's pieces, by piece (F19).
    #[must_use]
    pub fn hashes(&self, item: ItemId) -> BTreeMap<u32, PieceHash> {
        let bytes = self.folder.read(hashes_name(item)).unwrap_or_default();
        let (hashes, _) = bytes.as_chunks::<{ PieceHash::BYTES }>();
        let told = (0..).zip(hashes).filter(|(_, hash)| hash.iter().any(|byte| *byte != 0));
        told.map(|(piece, hash)| (piece, PieceHash(*hash))).collect()
    }

    /// Enters the hashes of an item's pieces, in place of those that were there.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn write_hashes(
        &self,
        item: ItemId,
        hashes: &BTreeMap<u32, PieceHash>,
    ) -> Result<(), FileError> {
        // Each at its place, and zeros where none was told.
        let end = hashes.last_key_value().map_or(0, |(piece, _)| *piece as usize + 1);
        let mut bytes = vec![0; end * PieceHash::BYTES];
        let (places, _) = bytes.as_chunks_mut::<{ PieceHash::BYTES }>();
        for (piece, hash) in hashes {
            if let Some(place) = places.get_mut(*piece as usize) {
                *place = hash.0;
            }
        }
        self.replace(&hashes_name(item), &bytes)
    }

    /// Takes an item for this program, and for one place in it.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another has it.
    pub fn lock(&self, item: ItemId) -> Result<FileLock, FileError> {
        let _folder = self.lock_folder()?;
        try_lock(lock_file(&self.folder, &lock_name(item))?)
    }

    /// Removes what no entry needs: locks that nobody holds, hashes, and what programs that were killed left half written.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn tidy(&self) -> Result<(), FileError> {
        let _folder = self.lock_folder()?;
        let names = self.names()?;
        let has_entry = |item| names.contains(&entry_name(item));
        for name in &names {
            let of = [LOCKED, HASHES, HALF_ENTRY, HALF_HASHES].map(|ending| item_of(name, ending));
            let Some(item) = of.into_iter().flatten().next() else { continue };
            let is_needed = has_entry(item) && (name.ends_with(HASHES) || name.ends_with(LOCKED));
            let lock = lock_file(&self.folder, &lock_name(item))?;
            if is_needed || lock.try_lock().is_err() {
                continue;
            }
            let _ = lock.unlock();
            let _ = self.folder.remove_file(name);
            let _ = self.folder.remove_file(lock_name(item));
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, FileError> {
        private_folder::names(&self.folder)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        private_folder::replace(&self.folder, name, bytes)
    }

    /// Taken while locks of items come or go.
    fn lock_folder(&self) -> Result<FileLock, FileError> {
        private_folder::lock(&self.folder)
    }
}

const ENTRY: &str = ".json";
const HASHES: &str = ".hashes";
const LOCKED: &str = ".lock";
const HALF_ENTRY: &str = ".json.new";
const HALF_HASHES: &str = ".hashes.new";

fn entry_name(item: ItemId) -> String {
    format!("{item}{ENTRY}")
}

fn hashes_name(item: ItemId) -> String {
    format!("{item}{HASHES}")
}

fn lock_name(item: ItemId) -> String {
    format!("{item}{LOCKED}")
}

fn item_of(name: &str, ending: &str) -> Option<ItemId> {
    Uuid::try_parse(name.strip_suffix(ending)?).ok().map(ItemId::from_uuid)
}
