//! Files that this device offers. They are opened when they are read, so that a folder of fifty thousand files is no more
//! open files than a few, and one that has changed meanwhile is noticed: its bytes are another file (F1).

use std::collections::{HashMap, VecDeque};
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Dir;

use super::error::FileError;
use super::system;

/// So many files stay open for the next read.
const MOST_OPEN: usize = 64;

/// By what a file is known to be as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// When its bytes were changed last; `None` where the system does not tell.
    pub modified: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of an open file.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        Self { size: metadata.len(), modified: metadata.modified().ok() }
    }

    /// When its bytes were changed last, in whole milliseconds since the Unix epoch (F1).
    #[must_use]
    pub fn modified_ms(&self) -> Option<i64> {
        let since = self.modified?.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }
}

/// A file that is offered, by its place and by what it was when it was looked at.
#[derive(Clone, Debug)]
pub struct SourceFile {
    folder: Arc<Dir>,
    path: Arc<Path>,
    stamp: Stamp,
}

impl SourceFile {
    /// Looks at a file that a person has named. A symbolic link that they named is followed.
    ///
    /// # Errors
    /// Where it cannot be read; [`FileError::Special`] where it is no file.
    pub fn named(path: &Path, folders: &mut OpenFolders) -> Result<Self, FileError> {
        let real = path.canonicalize()?;
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(FileError::Special);
        };
        Self::within(&folders.open(folder)?, Path::new(name))
    }

    /// Looks at a file of a folder. No symbolic link leads to it, nor out of the folder.
    ///
    /// # Errors
    /// As [`SourceFile::named`].
    pub fn within(folder: &Arc<Dir>, path: &Path) -> Result<Self, FileError> {
        let file = system::open_to_read(folder, path)?;
        let stamp = Stamp::of(&file.metadata()?);
        Ok(Self { folder: folder.clone(), path: path.into(), stamp })
    }

    /// In bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.stamp.size
    }

    /// By what it is known to be as it was.
    #[must_use]
    pub const fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// When anything of it was changed last, in seconds and nanoseconds since the Unix epoch. No program can set that time, as it can the
    /// one in the stamp. `None` where the system does not tell.
    #[must_use]
    pub fn changed(&self) -> Option<(i64, i64)> {
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt as _;
            let metadata = self.folder.symlink_metadata(&*self.path).ok()?;
            Some((metadata.ctime(), metadata.ctime_nsec()))
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// Reads `length` bytes from a position on.
    ///
    /// # Errors
    /// Where they cannot all be read; [`FileError::Changed`] where the file is not what it was.
    pub fn read(
        &self,
        open: &OpenFiles,
        position: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        let file = open.get(self)?;
        let bytes = system::read_at(&file, position, length)?;
        // Looked at behind the bytes, so that none is taken that was written in between.
        let is_same = Stamp::of(&file.metadata()?) == self.stamp;
        if !is_same || bytes.len() != length {
            open.forget(self);
            return Err(FileError::Changed);
        }
        Ok(bytes)
    }

    fn is_at(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.folder, &other.folder) && self.path == other.path
    }
}

/// The folders of the files that a person has named one by one. Each is open once, whatever number of its files is offered.
#[derive(Debug, Default)]
pub struct OpenFolders(HashMap<PathBuf, Arc<Dir>>);

impl OpenFolders {
    fn open(&mut self, path: &Path) -> Result<Arc<Dir>, FileError> {
        if let Some(folder) = self.0.get(path) {
            return Ok(folder.clone());
        }
        let folder = Arc::new(system::open_folder(path)?);
        self.0.insert(path.to_owned(), folder.clone());
        Ok(folder)
    }
}

/// The files that were read last, kept open.
#[derive(Debug, Default)]
pub struct OpenFiles(Mutex<VecDeque<(SourceFile, Arc<File>)>>);

impl OpenFiles {
    fn get(&self, source: &SourceFile) -> Result<Arc<File>, FileError> {
        if let Some(file) = self.take(source) {
            self.keep(source, &file);
            return Ok(file);
        }
        let file = Arc::new(system::open_to_read(&source.folder, &source.path)?);
        self.keep(source, &file);
        Ok(file)
    }

    fn take(&self, source: &SourceFile) -> Option<Arc<File>> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = files.iter().position(|(known, _)| known.is_at(source))?;
        files.remove(at).map(|(_, file)| file)
    }

    fn keep(&self, source: &SourceFile, file: &Arc<File>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.push_front((source.clone(), file.clone()));
        files.truncate(MOST_OPEN);
    }

    /// Closes a file, so that the next read looks at what lies there then.
    pub fn forget(&self, source: &SourceFile) {
        drop(self.take(source));
    }
}
