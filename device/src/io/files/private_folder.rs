//! A folder with the program's own state, which others must not read: its files are written as a whole, and its locks say which
//! program uses what.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

use super::super::file_lock::FileLock;
use super::error::FileError;
use super::system;

/// Behind the name of what is half written.
pub(super) const HALF: &str = ".new";

/// Opens the folder, which is made where it is missing.
pub(super) fn open(path: &Path) -> Result<Dir, FileError> {
    system::make_private_folder(path)?;
    Ok(system::open_folder(path)?)
}

/// The names of what is in it.
pub(super) fn names(folder: &Dir) -> Result<Vec<String>, FileError> {
    let names = folder.entries()?.map(|entry| Ok(entry?.file_name()));
    let names = names.collect::<io::Result<Vec<_>>>()?;
    Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// Writes a file beside the one of before, and gives it that name once it is durable.
pub(super) fn replace(folder: &Dir, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    let half = format!("{name}{HALF}");
    let mut options = private();
    options.write(true).create(true).truncate(true);
    let written = (|| {
        let mut file = folder.open_with(&half, &options)?.into_std();
        file.write_all(bytes)?;
        file.sync_all()?;
        folder.rename(&half, folder, name)
    })();
    if written.is_err() {
        let _ = folder.remove_file(&half);
    }
    Ok(written?)
}

/// Takes the folder, while locks in it come or go. Waits for the program that has it.
pub(super) fn lock(folder: &Dir) -> Result<FileLock, FileError> {
    Ok(FileLock::wait(lock_file(folder, "lock")?)?)
}

/// Opens a file that is there to be locked.
pub(super) fn lock_file(folder: &Dir, name: &str) -> Result<File, FileError> {
    let mut options = private();
    options.read(true).write(true).create(true);
    Ok(folder.open_with(name, &options)?.into_std())
}

/// Takes a lock. [`FileError::Busy`] where another program, or another part of this one, has it.
pub(super) fn try_lock(file: File) -> Result<FileLock, FileError> {
    FileLock::take(file)?.ok_or(FileError::Busy)
}

/// Opens no symbolic link, and makes what nobody else may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.follow(FollowSymlinks::No);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
