//! Restores an archive into an empty folder.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use heliograph_storage::blobs::{self, BlobKey, Blobs};
use heliograph_storage::{Lease, Location, Storage, backup};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use super::reading::{Entry, read};
use super::{DATABASE, Error, PIECE, lasting, of_file};
use crate::config::Config;
use crate::start::make_folder;

/// Where the database lies until everything is there.
const STAGE: &str = "restoring";
/// What an empty folder may have in it: the lock, which this command takes, and what some file systems have.
const NOTHING: [&str; 2] = ["heliograph.lock", "lost+found"];

/// Restores a backup, and returns what to say of it. Must run on a runtime with several threads.
///
/// # Errors
/// Why it was not restored. Nothing of it is left then.
pub async fn restore(config: &Config, from: &Path) -> Result<String, Error> {
    if config.database.is_some() {
        return Err(Error::Postgres);
    }
    // Read to its end before the folder is touched.
    let sums = block_in_place(|| read(from, |_, _| Ok(())))?;
    let (data, store) = (&config.data, config.blobs());
    make_folder(data).map_err(of_file(data))?;
    are_empty(data, &store)?;
    let lease = Lease::take(&Location::Folder(data.clone())).await?;
    let done = into_own(data, &store, from, &sums).await;
    lease.release().await;
    let Done { files, warning } = done?;
    Ok(format!(
        "{} has the database and {files} files of the backup. Start the server with the same --data.\n{warning}",
        data.display()
    ))
}

/// What was restored.
struct Done {
    /// How many files the store has got.
    files: usize,
    /// What may be wrong with it nevertheless.
    warning: String,
}

/// Restores into a folder whose lease this process has.
async fn into_own(
    data: &Path,
    store: &blobs::Location,
    from: &Path,
    sums: &str,
) -> Result<Done, Error> {
    // Another restore may have had the lease until now.
    let folder = are_empty(data, store)?;
    let (data, blobs) = (data.to_owned(), Blobs::open(store)?);
    let mut restored = Restored { data, blobs, folder, files: 0, added: Vec::new() };
    let done = restored.take_all(from, sums).await;
    if done.is_err() {
        restored.undo().await;
    }
    done.map(|warning| Done { files: restored.files, warning })
}

/// Checks that nothing is in the data folder and in that of the files, and returns the latter. A bucket may have
/// anything in it: that of a server whose database was lost has the very files.
fn are_empty(data: &Path, store: &blobs::Location) -> Result<Option<PathBuf>, Error> {
    is_empty(data)?;
    match store {
        blobs::Location::Folder(folder) => is_empty(folder).map(|()| Some(folder.clone())),
        blobs::Location::S3(_) => Ok(None),
    }
}

/// Whether nothing is in a folder, or it does not exist.
fn is_empty(folder: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(of_file(folder))?,
    };
    for entry in entries {
        let name = entry.map_err(of_file(folder))?.file_name();
        if !NOTHING.iter().any(|nothing| name == *nothing) {
            return Err(Error::NotEmpty(folder.to_owned()));
        }
    }
    Ok(())
}

/// What is being restored.
struct Restored {
    data: PathBuf,
    blobs: Blobs,
    /// The folder of the blobs, unless they are in a bucket.
    folder: Option<PathBuf>,
    /// How many the store has got.
    files: usize,
    /// Those that it had not before.
    added: Vec<BlobKey>,
}

impl Restored {
    /// Returns what to warn of. What has failed is to be undone.
    async fn take_all(&mut self, from: &Path, sums: &str) -> Result<String, Error> {
        let stage = self.data.join(STAGE);
        make_folder(&stage).map_err(of_file(&stage))?;
        let again = block_in_place(|| read(from, |entry, bytes| self.take(entry, bytes)))?;
        if again != sums {
            return Err(Error::Archive("the archive changed while it was read".to_owned()));
        }
        // Brings an older database up to date.
        let (storage, _) = Storage::open(&Location::Folder(stage.clone())).await?;
        let is_whole = storage.check_integrity().await;
        storage.close().await;
        is_whole?;
        backup::put_in_place(&stage, &self.data)?;
        // From here on it is a data folder, whose files must not be removed any more: nothing below may fail.
        let warning = lasting(&self.data.join(DATABASE), backup::sync_folder(&self.data));
        // What SQLite may have left beside it.
        let _ = fs::remove_dir_all(&stage);
        Ok(warning)
    }

    fn take(&mut self, entry: Entry, bytes: &mut dyn Read) -> Result<(), Error> {
        match entry {
            Entry::Database => write(&self.data.join(STAGE).join(DATABASE), bytes),
            Entry::Tls(name) => {
                let path = self.data.join(name);
                let folder = path.parent().unwrap_or(&self.data);
                make_folder(folder).map_err(of_file(folder))?;
                write(&path, bytes)
            }
            Entry::Blob(key) => {
                self.files += 1;
                // Called where blocking is allowed.
                Handle::current().block_on(self.store(key, bytes))
            }
        }
    }

    async fn store(&mut self, key: BlobKey, bytes: &mut dyn Read) -> Result<(), Error> {
        match self.blobs.size(key).await {
            Err(blobs::Error::Missing) => self.added.push(key),
            other => drop(other?),
        }
        let mut writer = self.blobs.write(key).await?;
        loop {
            let mut piece = vec![0; PIECE];
            let count = bytes.read(&mut piece).map_err(Error::Damaged)?;
            if count == 0 {
                return Ok(writer.finish().await?);
            }
            piece.truncate(count);
            writer.push(Bytes::from(piece)).await?;
        }
    }

    /// Removes what was restored so far.
    async fn undo(&self) {
        for key in &self.added {
            let _ = self.blobs.delete(*key, None).await;
        }
        for folder in [STAGE, "tls"] {
            let _ = fs::remove_dir_all(self.data.join(folder));
        }
        // They were empty before.
        if let Some(blobs) = &self.folder {
            for folder in [blobs.join("uploads"), blobs.join("pictures"), blobs.clone()] {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// Writes a file that only its owner may read.
fn write(path: &Path, bytes: &mut dyn Read) -> Result<(), Error> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(of_file(path))?;
    io::copy(bytes, &mut file).map_err(of_file(path))?;
    file.sync_all().map_err(of_file(path))
}
