//! `heliograph backup` and `heliograph restore`: an SQLite database and its files as one archive.
//!
//! The archive is a tar, so that it can be looked into without this program: `manifest.json` first, the database, what
//! is in the folder `tls`, the files and pictures under `blobs/`, and `SHA256SUMS` last, in the form that `sha256sum -c`
//! reads. Without its last entry an archive is incomplete.
//!
//! The copy of the database comes first, and it names the files that are copied then. Files never change, so the two
//! belong together, except for files that were deleted in between: these are left out and counted.

mod making;
mod reading;
mod restoring;

use std::io;
use std::path::{Path, PathBuf};

use heliograph_storage::{self as storage, LeaseError, blobs};
use serde::{Deserialize, Serialize};

pub use making::make;
pub use restoring::restore;

/// The entries of an archive.
const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "heliograph.db";
const TLS: &str = "tls/";
const BLOBS: &str = "blobs/";
const SUMS: &str = "SHA256SUMS";
/// The form of the archive. Another number is refused.
const FORMAT: u32 = 1;
/// Bytes that are read at a time.
const PIECE: usize = 256 * 1024;

/// What an archive says of itself.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    /// [`FORMAT`].
    format: u32,
    /// The version of the program that made it.
    version: String,
}

/// Why a backup was not made or not restored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database is not SQLite.
    #[error(
        "this is for SQLite; back a Postgres database up with pg_dump and restore it with pg_restore, and copy its files \
         (the folder of --blobs, or the bucket with its provider's tools) after it"
    )]
    Postgres,
    /// There is no database.
    #[error("there is no database in {}; name its folder with --data", .0.display())]
    Nothing(PathBuf),
    /// The archive would take the place of another file.
    #[error("{} is there already; choose another name", .0.display())]
    Exists(PathBuf),
    /// Another command is making the archive.
    #[error("this backup is being made by another command, as {}", .0.display())]
    Making(PathBuf),
    /// The folder to restore into has something in it.
    #[error(
        "{} is not empty; a backup is restored into an empty folder. Move what is there away, or name another folder with \
         --data",
        .0.display()
    )]
    NotEmpty(PathBuf),
    /// A server runs on the folder to restore into.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The archive is incomplete, altered, or of another kind.
    #[error("{0}; nothing was restored")]
    Archive(String),
    /// The archive cannot be read to its end.
    #[error("the archive is damaged or incomplete; nothing was restored")]
    Damaged(#[source] io::Error),
    /// A file cannot be read or written.
    #[error("{} cannot be used", .0.display())]
    File(PathBuf, #[source] io::Error),
    /// The database cannot be copied, or what was restored is not a good one.
    #[error("the database cannot be used")]
    Storage(#[from] storage::Error),
    /// A file cannot be read from the store, or written to it.
    #[error("the store of files cannot be used")]
    Blobs(#[from] blobs::Error),
}

/// What to say of a file in its place, whose folder the disk has taken or not. By then it is too late to fail.
fn lasting(path: &Path, synced: io::Result<()>) -> String {
    synced.err().map_or_else(String::new, |error| {
        format!(
            "{} is in place, but the disk has not confirmed its name ({error}): a power failure now may lose it. Look \
             at the disk.\n",
            path.display()
        )
    })
}

fn of_file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::File(path, error)
}
