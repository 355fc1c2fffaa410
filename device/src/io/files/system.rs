//! What differs between systems, and in how they open, read and write.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::error::FileError;
use crate::saved_names::NameRules;

/// Opens a folder that a person has named.
pub fn open_folder(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// Opens a file of a folder to read it. One that is no regular file is refused, and does not make the program wait, as a
/// pipe would.
pub fn open_to_read(folder: &Dir, path: &Path) -> Result<File, FileError> {
    // Looked at first: to open a device may do something.
    check_regular(folder.symlink_metadata(path)?.is_file())?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(path, &options)?.into_std();
    check_regular(file.metadata()?.is_file())?;
    Ok(file)
}

/// Makes a file that was not there.
pub fn create_new(folder: &Dir, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
    Ok(folder.open_with(path, &options)?.into_std())
}

/// Opens a file that this program has made, to go on with it.
pub fn open_to_write(folder: &Dir, path: &Path) -> Result<File, FileError> {
    check_regular(folder.symlink_metadata(path)?.is_file())?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(path, &options)?.into_std();
    check_regular(file.metadata()?.is_file())?;
    Ok(file)
}

fn check_regular(is_regular: bool) -> Result<(), FileError> {
    if is_regular { Ok(()) } else { Err(FileError::Special) }
}

/// Reads up to `length` bytes at a position. Fewer where the file ends.
pub fn read_at(file: &File, position: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match read_some(file, rest, position + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Writes bytes at a position.
pub fn write_at(file: &File, position: u64, bytes: &[u8]) -> io::Result<()> {
    let (mut position, mut rest) = (position, bytes);
    while !rest.is_empty() {
        match write_some(file, rest, position) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                position += written as u64;
                rest = rest.get(written..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_some(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, position)
}

#[cfg(unix)]
fn write_some(file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, position)
}

#[cfg(windows)]
fn read_some(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, position)
}

#[cfg(windows)]
fn write_some(file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, position)
}

/// Gives what lies under `from` in one folder the name `to` in another one of the same disk, unless that is taken
/// (`AlreadyExists`). Both are names, and no paths.
pub fn rename_new(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
    match rename_at_once(from, to) {
        Err(error) if is_not_known(&error) => {}
        done => return done,
    }
    // File systems that cannot do it at once. A second name for a file is given only where that is free.
    match from.0.hard_link(from.1, to.0, to.1) {
        Ok(()) => return from.0.remove_file(from.1),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    // Those without second names, and folders: who makes something under the name in this moment loses it.
    if to.0.symlink_metadata(to.1).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from.0.rename(from.1, to.0, to.1)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_at_once(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    Ok(renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_at_once(_from: (&Dir, &str), _to: (&Dir, &str)) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether two names of a folder are of one file, as far as the system tells.
pub fn are_one(folder: &Dir, one: &str, other: &str) -> bool {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        let file = |name: &str| folder.symlink_metadata(name).map(|file| (file.dev(), file.ino()));
        matches!((file(one), file(other)), (Ok(one), Ok(other)) if one == other)
    }
    #[cfg(not(unix))]
    {
        let _ = (folder, one, other);
        false
    }
}

/// `EINVAL` is also what a file system says to names that it does not take. Then the other ways say it again.
fn is_not_known(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Whether a file system says that it takes no such name.
pub fn refuses_name(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename)
}

/// Makes what happened to the names in a folder durable, where the system can. A power failure may undo it elsewhere.
pub fn sync_folder(folder: &Dir) {
    #[cfg(unix)]
    let _ = folder.open(".").and_then(|folder| folder.into_std().sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

/// Makes durable what was written to files of one disk.
pub fn sync_files(files: &[File]) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let (Some(file), true) = (files.first(), files.len() > MOST_SYNCED_ALONE) {
        return Ok(rustix::fs::syncfs(file)?);
    }
    files.iter().try_for_each(File::sync_all)
}

/// So many files are written to the disk one by one; for more, all that waits for the disk is.
#[cfg(target_os = "linux")]
const MOST_SYNCED_ALONE: usize = 16;

/// What the disk of a folder does with names, by a try in that folder, which is empty and this program's own.
pub fn name_rules(folder: &Dir) -> NameRules {
    if cfg!(windows) || !makes(folder, "a:b") {
        return NameRules::Windows;
    }
    let folds = cfg!(target_vendor = "apple")
        || (create_new(folder, Path::new("Aa")).is_ok() && folder.try_exists("aA").unwrap_or(true));
    let _ = folder.remove_file("Aa");
    if folds { NameRules::Folds } else { NameRules::Exact }
}

fn makes(folder: &Dir, name: &str) -> bool {
    let made = create_new(folder, Path::new(name));
    // What fails for another reason will fail again, and be told.
    let is_refused = made.is_err_and(|error| refuses_name(&error));
    let _ = folder.remove_file(name);
    !is_refused
}

/// Makes a folder for the program's own state, which others must not read, and those above it.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Sets when the bytes of a file were changed last, where the system can.
pub fn set_modified(file: &File, modified_ms: i64) {
    let since = Duration::from_millis(modified_ms.unsigned_abs());
    let time =
        if modified_ms < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) };
    if let Some(time) = time {
        let _ = file.set_modified(time);
    }
}
