//! One file that is received: its bytes lie in a file of their own in the folder into which it is to come, and move to its
//! name once all of them are there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heliograph_shared::ids::{BeamId, ItemId};

use super::super::file_lock::FileLock;
use super::error::FileError;
use super::journal::{Entry, Journal, Stage};
use super::source::Source;
use super::source_file::{OpenFiles, SourceFile};
use super::system;
use super::target::{Target, unfinished_name, unpacked_name};
use super::unpacking::{Unpacked, Unpacking};
use crate::chunk_set::{ChunkRange, ChunkSet};
use crate::file_size::FileSize;
use crate::manifest::ManifestFacts;

/// A file that is to be received, as its item tells.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The item.
    pub item: ItemId,
    /// Its beam.
    pub beam: BeamId,
    /// Its name, however hostile.
    pub name: String,
    /// Its size.
    pub size: FileSize,
    /// When its bytes were changed last (F1), in milliseconds since the Unix epoch.
    pub modified: Option<i64>,
    /// What the item says of its manifest; `None` for a single file.
    pub manifest: Option<ManifestFacts>,
}

impl Incoming {
    /// Whether an entry is about these bytes.
    pub(super) fn is_of(&self, entry: &Entry) -> bool {
        entry.size == self.size.bytes()
            && entry.modified == self.modified
            && entry.manifest == self.manifest
    }
}

/// A file that is received, or was.
#[derive(Debug)]
pub struct Received {
    journal: Arc<Journal>,
    target: Arc<Target>,
    entry: Entry,
    bytes: Bytes,
    /// `None` once it is finished.
    lock: Option<FileLock>,
}

/// Where its bytes are.
#[derive(Debug)]
enum Bytes {
    /// In the file of their own.
    Part(File),
    /// Where the person wants them; `None` where they could not be found again.
    Placed(Option<Source>),
}

impl Received {
    /// Opens a file to receive it, and goes on with what an earlier run has received of it.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another program receives it; [`FileError::NoRoom`] where it is larger than what is free, and
    /// [`FileError::DiskFull`] where that is so of the rest of it; whatever the system says.
    pub fn open(
        journal: &Arc<Journal>,
        target: &Arc<Target>,
        incoming: &Incoming,
        now: i64,
    ) -> Result<Self, FileError> {
        let lock = journal.lock(incoming.item)?;
        if let Some(entry) = journal.read(incoming.item) {
            let is_new = matches!(entry.stage, Stage::Complete { .. });
            if !is_new && incoming.is_of(&entry) {
                if let Some(received) = Self::go_on(journal, target, entry, lock)? {
                    return Ok(received);
                }
                return Self::begin(journal, target, incoming, journal.lock(incoming.item)?, now);
            }
            remove_part(&entry);
        }
        Self::begin(journal, target, incoming, lock, now)
    }

    /// Opens what an entry tells of, where it lies. `None` where it is not there.
    pub(super) fn go_on(
        journal: &Arc<Journal>,
        target: &Arc<Target>,
        entry: Entry,
        lock: FileLock,
    ) -> Result<Option<Self>, FileError> {
        let part = unfinished_name(entry.item);
        let mut entry = entry;
        if Path::new(&entry.folder) != target.path() {
            if !moves(&entry, target) {
                remove_part(&entry);
                return Ok(None);
            }
            target.path().as_os_str().clone_into(&mut entry.folder);
            journal.write(&entry)?;
        }
        let Ok(file) = system::open_to_write(target.folder(), Path::new(&part)) else {
            return Ok(None);
        };
        if !has_durable(&file, &entry) {
            return Ok(None);
        }
        let received = Self {
            journal: journal.clone(),
            target: target.clone(),
            entry,
            bytes: Bytes::Part(file),
            lock: Some(lock),
        };
        if target.free_bytes().is_some_and(|free| free < received.lacking_bytes()) {
            return Err(FileError::DiskFull);
        }
        Ok(Some(received))
    }

    fn begin(
        journal: &Arc<Journal>,
        target: &Arc<Target>,
        incoming: &Incoming,
        lock: FileLock,
        now: i64,
    ) -> Result<Self, FileError> {
        journal.remove(incoming.item);
        if target.free_bytes().is_some_and(|free| free < incoming.size.bytes()) {
            return Err(FileError::NoRoom);
        }
        let entry = Entry {
            item: incoming.item,
            beam: incoming.beam,
            name: incoming.name.clone(),
            size: incoming.size.bytes(),
            modified: incoming.modified,
            manifest: incoming.manifest,
            folder: target.path().as_os_str().to_owned(),
            stage: Stage::Receiving(Vec::new()),
            is_paused: false,
            used_at: now,
        };
        // Before the bytes, so that nothing lies anywhere that no entry tells of.
        journal.write(&entry)?;
        remove_part(&entry);
        let part = unfinished_name(entry.item);
        let file = system::create_new(target.folder(), Path::new(&part))?;
        Ok(Self {
            journal: journal.clone(),
            target: target.clone(),
            entry,
            bytes: Bytes::Part(file),
            lock: Some(lock),
        })
    }

    /// What the journal says of it.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Writes bytes at a position. They are durable once [`Received::keep`] has entered them.
    ///
    /// # Errors
    /// [`FileError::DiskFull`], or whatever the system says.
    pub fn write(&mut self, position: u64, bytes: &[u8]) -> Result<(), FileError> {
        let end = position.saturating_add(bytes.len() as u64);
        match &self.bytes {
            Bytes::Part(file) if end <= self.entry.size => {
                Ok(system::write_at(file, position, bytes)?)
            }
            _ => Err(FileError::Changed),
        }
    }

    /// Reads bytes that were written, also after the end.
    ///
    /// # Errors
    /// [`FileError::Changed`] where they are not there, or not any more; whatever the system says.
    pub fn read(
        &self,
        open: &OpenFiles,
        position: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        match &self.bytes {
            Bytes::Part(file) => {
                let bytes = system::read_at(file, position, length)?;
                if bytes.len() == length { Ok(bytes) } else { Err(FileError::Changed) }
            }
            Bytes::Placed(Some(source)) => source.read(open, position, length),
            Bytes::Placed(None) => Err(FileError::Gone),
        }
    }

    /// Makes what was written durable, and enters it. A later run goes on from these chunks.
    ///
    /// # Errors
    /// What the system says. What was entered before holds then.
    pub fn keep(
        &mut self,
        chunks: &[ChunkRange],
        is_paused: bool,
        now: i64,
    ) -> Result<(), FileError> {
        let (Bytes::Part(file), Stage::Receiving(_)) = (&self.bytes, &self.entry.stage) else {
            return Ok(());
        };
        file.sync_data()?;
        let ranges = chunks.iter().map(|range| (range.first, range.count)).collect();
        self.entry.stage = Stage::Receiving(ranges);
        self.entry.is_paused = is_paused;
        self.entry.used_at = now;
        self.journal.write(&self.entry)
    }

    /// Gives the file its name, or unpacks its files. It never takes the place of anything. Returns where they are.
    ///
    /// # Errors
    /// [`FileError::DiskFull`], with all bytes still here; whatever the system says.
    pub fn finish(&mut self, now: i64) -> Result<Vec<PathBuf>, FileError> {
        if let Bytes::Part(file) = &self.bytes {
            self.entry.used_at = now;
            let unpacked = Unpacking {
                journal: &self.journal,
                target: &self.target,
                entry: &mut self.entry,
                part: file,
            }
            .run()?;
            let (names, source, modified) = if let Some(Unpacked { names, source }) = unpacked {
                (names, source.map(Source::Packed), None)
            } else {
                let (name, source) = self.place()?;
                let modified = source.as_ref().and_then(|file| file.stamp().modified_ms());
                (vec![name], source.map(Source::File), modified)
            };
            self.bytes = Bytes::Placed(source);
            self.entry.stage = Stage::Complete { names, modified };
            // Without it, a later run does not know that the file is here.
            let _ = self.journal.write(&self.entry);
            self.lock = None;
        }
        Ok(self.paths())
    }

    /// Gives a single file its name.
    fn place(&mut self) -> Result<(String, Option<SourceFile>), FileError> {
        let Bytes::Part(file) = &self.bytes else { return Err(FileError::Gone) };
        if file.metadata()?.len() != self.entry.size {
            return Err(FileError::Changed);
        }
        // By that it is known again where the program ends before it is entered.
        system::set_modified(file, self.entry.modified_there());
        file.sync_all()?;
        let (entry, journal) = (&mut self.entry, &self.journal);
        let from = unfinished_name(entry.item);
        let shown = entry.name.clone();
        let name = self.target.place((self.target.folder(), &from), &shown, |name| {
            entry.stage = Stage::Placing(name.to_owned());
            let _ = journal.write(entry);
        })?;
        let source = SourceFile::within(self.target.folder(), Path::new(&name)).ok();
        Ok((name, source.filter(|source| source.size() == self.entry.size)))
    }

    /// Where the finished file is, or the files and folders at the top of it.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        match &self.entry.stage {
            Stage::Complete { names, .. } => {
                names.iter().map(|name| self.target.path().join(name)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What reads the finished file; `None` where it is not finished, or cannot be found again.
    #[must_use]
    pub fn into_source(self) -> Option<Source> {
        match self.bytes {
            Bytes::Placed(source) => source,
            Bytes::Part(_) => None,
        }
    }

    /// Removes what is here of it, and its entry. A finished file stays.
    pub fn discard(self) {
        if matches!(self.bytes, Bytes::Part(_)) {
            remove_part(&self.entry);
        }
        let item = self.entry.item;
        // Another program may receive the file meanwhile, where this one has finished it.
        let lock = self.lock.or_else(|| self.journal.lock(item).ok());
        if lock.is_some() {
            self.journal.remove(item);
        }
    }

    /// Bytes that are not durable yet.
    fn lacking_bytes(&self) -> u64 {
        let size = FileSize::new(self.entry.size).unwrap_or(FileSize::MAX);
        let here: u64 = self.entry.durable().into_iter().map(|range| size.range_bytes(range)).sum();
        size.bytes().saturating_sub(here)
    }
}

/// Whether a file is as long as the chunks that are said to be in it. One of which files were unpacked is shorter.
fn has_durable(file: &File, entry: &Entry) -> bool {
    let (Ok(metadata), Some(size)) = (file.metadata(), FileSize::new(entry.size)) else {
        return false;
    };
    let Stage::Receiving(_) = &entry.stage else { return true };
    let durable: ChunkSet = entry.durable().into_iter().collect();
    let end = durable.ranges().next_back().map_or(0, ChunkRange::end);
    end <= size.chunk_count() && size.range_bytes(ChunkRange::between(0, end)) <= metadata.len()
}

/// Moves what is here of a file from the folder that was named before to another one of the same disk.
fn moves(entry: &Entry, target: &Target) -> bool {
    let Ok(before) = Target::open(Path::new(&entry.folder)) else { return false };
    let move_one = |name: &str| {
        let _ = target.folder().remove_file(name);
        system::rename_new((before.folder(), name), (target.folder(), name)).is_ok()
    };
    let is_unpacked = matches!(entry.stage, Stage::Unpacking(_) | Stage::PlacingAll);
    move_one(&unfinished_name(entry.item)) && (!is_unpacked || move_one(&unpacked_name(entry.item)))
}

/// Removes what is here of a file that is not finished.
pub(super) fn remove_part(entry: &Entry) {
    if let Ok(target) = Target::open(Path::new(&entry.folder)) {
        let _ = target.folder().remove_file(unfinished_name(entry.item));
        let _ = target.folder().remove_dir_all(unpacked_name(entry.item));
    }
}
