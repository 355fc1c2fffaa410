//! What a device has received and receives, over all runs of the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use heliograph_shared::ids::ItemId;

use super::error::FileError;
use super::journal::{Entry, Journal, Stage};
use super::received::{Incoming, Received, remove_part};
use super::source::Source;
use super::source_file::SourceFile;
use super::sweep::sweep;
use super::system;
use super::target::{Target, unfinished_name};

/// Some disks keep the times of files no more exactly (FAT), in milliseconds.
const COARSE_MS: u64 = 2_000;

/// Opens received files and finds them again.
#[derive(Clone, Debug)]
pub struct Store {
    journal: Arc<Journal>,
    /// What is swept would be busy to whoever looks for it.
    sweeping: Arc<RwLock<()>>,
}

/// What an earlier run of the program has received of a file.
#[derive(Debug)]
pub enum Found {
    /// Nothing is here.
    Nothing,
    /// A part.
    Part(Entry),
    /// All of it.
    Whole {
        /// Where it is, or the files and folders at the top of it.
        paths: Vec<PathBuf>,
        /// What reads it; `None` where that cannot be.
        source: Option<Source>,
    },
}

impl Store {
    /// Opens the store whose journal is in a folder, which is made where it is missing.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn open(state: &Path) -> Result<Self, FileError> {
        let journal = Arc::new(Journal::open(state)?);
        Ok(Self { journal, sweeping: Arc::default() })
    }

    /// The entries.
    #[must_use]
    pub const fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    /// Opens a file to receive it into a folder: see [`Received::open`].
    ///
    /// # Errors
    /// As there.
    pub fn receive(
        &self,
        target: &Arc<Target>,
        incoming: &Incoming,
        now: i64,
    ) -> Result<Received, FileError> {
        let _unswept = self.unswept();
        Received::open(&self.journal, target, incoming, now)
    }

    /// Looks for what is here of a file. One that an earlier run had received, but not put into its place, is put there.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another program receives it.
    pub fn find(&self, incoming: &Incoming, now: i64) -> Result<Found, FileError> {
        let _unswept = self.unswept();
        let lock = self.journal.lock(incoming.item)?;
        let Some(entry) = self.journal.read(incoming.item).filter(|entry| incoming.is_of(entry))
        else {
            return Ok(Found::Nothing);
        };
        let Ok(target) = Target::open(Path::new(&entry.folder)) else { return Ok(Found::Nothing) };
        match &entry.stage {
            Stage::Receiving(_) => return Ok(Found::Part(entry)),
            Stage::Complete { names, modified } => {
                return Ok(placed(&target, &entry, names, *modified));
            }
            Stage::Placing(name) => {
                if let Some(source) = under_its_name(&target, &entry, name) {
                    return Ok(self.complete(&target, entry.clone(), name, source));
                }
            }
            Stage::Unpacking(_) | Stage::PlacingAll => {}
        }
        let target = Arc::new(target);
        let Ok(Some(mut received)) = Received::go_on(&self.journal, &target, entry.clone(), lock)
        else {
            return Ok(Found::Nothing);
        };
        match received.finish(now) {
            Ok(paths) => Ok(Found::Whole { paths, source: received.into_source() }),
            Err(_) => Ok(Found::Part(entry)),
        }
    }

    /// A file that had got its name when the program ended.
    fn complete(&self, target: &Target, entry: Entry, name: &str, source: SourceFile) -> Found {
        let (names, modified) = (vec![name.to_owned()], source.stamp().modified_ms());
        let _ = self.journal.write(&Entry { stage: Stage::Complete { names, modified }, ..entry });
        Found::Whole { paths: vec![target.path().join(name)], source: Some(Source::File(source)) }
    }

    /// The files of which a part is here, of all beams.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub fn unfinished(&self) -> Result<Vec<Entry>, FileError> {
        let entries = self.journal.items()?.into_iter().filter_map(|item| self.journal.read(item));
        Ok(entries.filter(|entry| !matches!(entry.stage, Stage::Complete { .. })).collect())
    }

    /// Notes whether the person has paused a file of which a part is here, and which is not open.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another program receives it; where the journal cannot be written.
    pub fn turn(&self, item: ItemId, is_paused: bool) -> Result<(), FileError> {
        let _unswept = self.unswept();
        let _lock = self.journal.lock(item)?;
        match self.journal.read(item) {
            Some(entry) => self.journal.write(&Entry { is_paused, ..entry }),
            None => Ok(()),
        }
    }

    /// Removes what is here of a file that is not open, and its entry. A finished file stays.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another program receives it.
    pub fn forget(&self, item: ItemId) -> Result<(), FileError> {
        let _unswept = self.unswept();
        let _lock = self.journal.lock(item)?;
        if let Some(entry) = self.journal.read(item) {
            remove_part(&entry);
        }
        self.journal.remove(item);
        Ok(())
    }

    /// Waits until nothing is swept.
    fn unswept(&self) -> RwLockReadGuard<'_, ()> {
        self.sweeping.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what nobody has gone on with for seven days, unless files are opened or looked for meanwhile: then a later run does.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub fn sweep(&self, now: i64) -> Result<(), FileError> {
        match self.sweeping.try_write() {
            Ok(_sweeping) => sweep(&self.journal, now),
            Err(_) => Ok(()),
        }
    }
}

/// What lies under the names of a complete file. What the person has changed since is another file.
fn placed(target: &Target, entry: &Entry, names: &[String], modified: Option<i64>) -> Found {
    let paths: Vec<_> = names.iter().map(|name| target.path().join(name)).collect();
    match (names, entry.manifest) {
        ([name], None) => match single(target, name, entry.size) {
            Some(source) if source.stamp().modified_ms() == modified => {
                Found::Whole { paths, source: Some(Source::File(source)) }
            }
            _ => Found::Nothing,
        },
        _ if names.iter().all(|name| target.folder().symlink_metadata(name).is_ok()) => {
            Found::Whole { paths, source: None }
        }
        _ => Found::Nothing,
    }
}

/// A file under the name that it was about to get when the program ended; `None` where it has not got it, whatever lies there.
fn under_its_name(target: &Target, entry: &Entry, name: &str) -> Option<SourceFile> {
    let source = single(target, name, entry.size)?;
    let part = unfinished_name(entry.item);
    if target.folder().symlink_metadata(&part).is_err() {
        let modified = source.stamp().modified_ms()?;
        return (modified.abs_diff(entry.modified_there()) <= COARSE_MS).then_some(source);
    }
    // Some disks give it a second name and take the first one away after that.
    if !system::are_one(target.folder(), name, &part) {
        return None;
    }
    target.folder().remove_file(&part).ok()?;
    Some(source)
}

fn single(target: &Target, name: &str, size: u64) -> Option<SourceFile> {
    let source = SourceFile::within(target.folder(), Path::new(name)).ok()?;
    (source.size() == size).then_some(source)
}
