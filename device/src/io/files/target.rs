//! The folder into which a person receives files. Nothing is written outside of it, and nothing in it is replaced.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use heliograph_shared::ids::ItemId;

use super::error::FileError;
use super::system;
use crate::names::display_name;
use crate::saved_names::NameRules;

/// The ending of the names under which unfinished files lie in the folder. They begin with a dot.
pub const UNFINISHED: &str = ".heliograph-part";
/// The ending of the folder in which files are unpacked.
const UNPACKED: &str = ".heliograph-unpacked";

/// A name is tried with so many numbers.
const MOST_NUMBERS: u32 = 10_000;

/// The folder.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    folder: Arc<Dir>,
}

impl Target {
    /// Opens a folder that is there. A symbolic link that the person named is followed.
    ///
    /// # Errors
    /// Where it cannot be used.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let path = path.canonicalize()?;
        Ok(Self { folder: Arc::new(system::open_folder(&path)?), path })
    }

    /// Its absolute path, without symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::io) const fn folder(&self) -> &Arc<Dir> {
        &self.folder
    }

    /// Bytes that the program may still write there; `None` where the system does not tell.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        fs4::available_space(&self.path).ok()
    }

    /// Writes a text of an item into a file of this name, or of the name with a number where that is taken. It blocks.
    ///
    /// `modified` is in milliseconds since the Unix epoch. Returns where the file is.
    ///
    /// # Errors
    /// What the system says.
    pub fn save(
        &self,
        item: ItemId,
        name: &str,
        bytes: &[u8],
        modified: Option<i64>,
    ) -> Result<PathBuf, FileError> {
        let part = unfinished_name(item);
        // Of a run that ended in the middle of it.
        let _ = self.folder.remove_file(&part);
        let file = system::create_new(&self.folder, Path::new(&part))?;
        let placed = system::write_at(&file, 0, bytes)
            .and_then(|()| {
                if let Some(modified) = modified {
                    system::set_modified(&file, modified);
                }
                file.sync_all()
            })
            .map_err(FileError::from)
            .and_then(|()| self.place((&self.folder, &part), name, |_| ()));
        if placed.is_err() {
            let _ = self.folder.remove_file(&part);
        }
        Ok(self.path.join(placed?))
    }

    /// Gives something in a folder of this disk its name in this one, or the name with a number where that is taken.
    /// `about_to` is told each name before it is tried.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn place(
        &self,
        from: (&Dir, &str),
        name: &str,
        mut about_to: impl FnMut(&str),
    ) -> Result<String, FileError> {
        let own = if cfg!(windows) { NameRules::Windows } else { NameRules::Exact };
        let name = display_name(name);
        match self.place_by(own, from, &name, &mut about_to) {
            // A disk that is made for another system.
            Err(PlaceError::Refused(_)) => {
                self.place_by(NameRules::Windows, from, &name, &mut about_to)
            }
            placed => placed,
        }
        .map_err(PlaceError::into_file_error)
    }

    fn place_by(
        &self,
        rules: NameRules,
        from: (&Dir, &str),
        name: &str,
        about_to: &mut impl FnMut(&str),
    ) -> Result<String, PlaceError> {
        let first = rules.saved_name(name);
        for number in 1..=MOST_NUMBERS {
            let name = if number == 1 { first.clone() } else { rules.numbered(&first, number) };
            // Spares the journal most names that are taken.
            if self.folder.symlink_metadata(&name).is_ok() {
                continue;
            }
            about_to(&name);
            match system::rename_new(from, (&self.folder, &name)) {
                Ok(()) => {
                    system::sync_folder(&self.folder);
                    return Ok(name);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if system::refuses_name(&error) => {
                    return Err(PlaceError::Refused(error));
                }
                Err(error) => return Err(PlaceError::Failed(error.into())),
            }
        }
        Err(PlaceError::Failed(FileError::TooMany))
    }
}

enum PlaceError {
    /// The disk takes no such name.
    Refused(io::Error),
    Failed(FileError),
}

impl PlaceError {
    fn into_file_error(self) -> FileError {
        match self {
            Self::Refused(error) => FileError::Other(error),
            Self::Failed(error) => error,
        }
    }
}

/// The name under which an unfinished file lies in its folder.
pub(super) fn unfinished_name(item: ItemId) -> String {
    format!(".{item}{UNFINISHED}")
}

/// The name of the folder in which the files of an item are unpacked.
pub(super) fn unpacked_name(item: ItemId) -> String {
    format!(".{item}{UNPACKED}")
}
