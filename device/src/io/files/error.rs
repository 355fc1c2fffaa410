//! Why a file can be neither read nor written.

use std::io;

/// What went wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is larger than what is free on the disk.
    #[error("larger than what is free on this device's disk")]
    NoRoom,
    /// The disk is full, or the person's part of it. What is here of the file stays.
    #[error("this device's disk is full")]
    DiskFull,
    /// The file system takes no file of this size, as FAT takes none of 4 GiB.
    #[error("too large for this file system")]
    TooLarge,
    /// The program may not read or write there.
    #[error("no access")]
    NoAccess,
    /// Nothing is there, or no more.
    #[error("not found")]
    Gone,
    /// It is not what it was when it was offered.
    #[error("changed meanwhile")]
    Changed,
    /// It is neither a file nor a folder: a device, a pipe, a socket.
    #[error("neither a file nor a folder")]
    Special,
    /// Another program receives it.
    #[error("in use by another program")]
    Busy,
    /// There is more of it than an item or a folder takes.
    #[error("too many files")]
    TooMany,
    /// Anything else.
    #[error(transparent)]
    Other(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::FileTooLarge => Self::TooLarge,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NoAccess,
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Gone,
            _ => Self::Other(error),
        }
    }
}
