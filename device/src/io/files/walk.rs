//! Finds the files of folders that a person has named. Symbolic links in them are not followed: they could lead out of the
//! folder, or in a circle. What is left out is told.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, FileType};

use super::error::FileError;
use super::source_file::{OpenFolders, SourceFile};
use super::system;

/// The most entries that are looked at: of more, the list itself would be a burden.
const MOST_ENTRIES: usize = 1_000_000;
/// The longest path within a folder, in bytes: a little less than what systems take at once.
const LONGEST_PATH: usize = 4_000;

/// What was found.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files, in the order of their paths.
    pub files: Vec<WalkedFile>,
    /// The folders without files or folders, by the paths under which they are shared.
    pub empty_folders: Vec<String>,
    /// What is not shared.
    pub left_out: Vec<LeftOut>,
}

/// A file that was found.
#[derive(Debug)]
pub struct WalkedFile {
    /// Its path from the folder that was named on, with that folder's name; parts joined by `/`. Not yet safe to show
    /// ([`pack_paths`](crate::pack_paths::pack_paths)).
    pub path: String,
    /// Where it is.
    pub source: SourceFile,
}

/// Something that is not shared, and why.
#[derive(Debug)]
pub struct LeftOut {
    /// Its path, as that of [`WalkedFile`]; as a person has named it where that itself is left out.
    pub path: String,
    /// The reason.
    pub why: WhyLeftOut,
}

/// Why something is not shared.
#[derive(Debug, thiserror::Error)]
pub enum WhyLeftOut {
    /// It is a symbolic link.
    #[error("a symbolic link")]
    Link,
    /// It lies too deep.
    #[error("too deep in folders")]
    TooDeep,
    /// It cannot be read, or is neither a file nor a folder.
    #[error(transparent)]
    Unreadable(FileError),
}

/// Finds what is in files and folders that a person has named. A symbolic link that they named is followed.
///
/// # Errors
/// Where one of those that were named cannot be read; [`FileError::TooMany`] beyond a million entries.
pub fn walk(named: &[PathBuf]) -> Result<Walked, FileError> {
    let (mut walk, mut folders) = (Walk::new(&|_| false), OpenFolders::default());
    for path in named {
        let real = path.canonicalize()?;
        let name = path.file_name().or(real.file_name()).unwrap_or(real.as_os_str());
        let name = name.to_string_lossy().into_owned();
        if real.is_dir() {
            let folder = Arc::new(system::open_folder(&real)?);
            walk.folder(&folder, &name)?;
        } else {
            let source = SourceFile::named(path, &mut folders)?;
            walk.found.files.push(WalkedFile { path: name, source });
        }
    }
    Ok(walk.found)
}

/// Finds what is in a file or folder of an open folder, without what is named so that it is left. No symbolic link leads there.
///
/// # Errors
/// As for [`walk`]; [`FileError::Special`] for a symbolic link.
pub fn walk_in(
    folder: &Arc<Dir>,
    name: &OsStr,
    is_left: &dyn Fn(&OsStr) -> bool,
) -> Result<Walked, FileError> {
    use cap_fs_ext::DirExt as _;
    let mut walk = Walk::new(is_left);
    let shown = name.to_string_lossy().into_owned();
    if folder.symlink_metadata(name)?.is_dir() {
        walk.folder(&Arc::new(folder.open_dir_nofollow(name)?), &shown)?;
    } else {
        let source = SourceFile::within(folder, Path::new(name))?;
        walk.found.files.push(WalkedFile { path: shown, source });
    }
    Ok(walk.found)
}

struct Walk<'a> {
    is_left: &'a dyn Fn(&OsStr) -> bool,
    found: Walked,
    seen: usize,
}

impl<'a> Walk<'a> {
    fn new(is_left: &'a dyn Fn(&OsStr) -> bool) -> Self {
        Self { is_left, found: Walked::default(), seen: 0 }
    }

    fn folder(&mut self, root: &Arc<Dir>, name: &str) -> Result<(), FileError> {
        let mut folders = vec![(PathBuf::from("."), name.to_owned())];
        while let Some((at, shown)) = folders.pop() {
            let entries = match entries(root, &at) {
                Ok(mut entries) => {
                    entries.retain(|(name, _)| !(self.is_left)(name));
                    entries
                }
                // The one that was named is to be told.
                Err(error) if at == Path::new(".") => return Err(error),
                Err(error) => {
                    self.leave_out(shown, WhyLeftOut::Unreadable(error));
                    continue;
                }
            };
            self.seen += entries.len();
            if self.seen > MOST_ENTRIES {
                return Err(FileError::TooMany);
            }
            if entries.is_empty() {
                self.found.empty_folders.push(shown);
                continue;
            }
            let mut deeper = Vec::new();
            for (name, kind) in entries {
                let shown = format!("{shown}/{}", name.to_string_lossy());
                let path = at.join(&name);
                match kind {
                    _ if path.as_os_str().len() > LONGEST_PATH => {
                        self.leave_out(shown, WhyLeftOut::TooDeep);
                    }
                    kind if kind.is_symlink() => self.leave_out(shown, WhyLeftOut::Link),
                    kind if kind.is_dir() => deeper.push((path, shown)),
                    _ => self.file(root, &path, shown),
                }
            }
            // The last one is taken first.
            folders.extend(deeper.into_iter().rev());
        }
        self.found.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(())
    }

    fn file(&mut self, root: &Arc<Dir>, path: &Path, shown: String) {
        match SourceFile::within(root, path) {
            Ok(source) => self.found.files.push(WalkedFile { path: shown, source }),
            Err(error) => self.leave_out(shown, WhyLeftOut::Unreadable(error)),
        }
    }

    fn leave_out(&mut self, path: String, why: WhyLeftOut) {
        self.found.left_out.push(LeftOut { path, why });
    }
}

/// What is in a folder, in the order of the names.
fn entries(root: &Dir, at: &Path) -> Result<Vec<(std::ffi::OsString, FileType)>, FileError> {
    use cap_fs_ext::DirExt as _;
    let folder = if at == Path::new(".") { root.try_clone()? } else { root.open_dir_nofollow(at)? };
    let entries = folder.entries()?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type()?))
    });
    let mut entries = entries.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}
