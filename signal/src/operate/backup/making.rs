//! Makes an archive, beside a server that runs or without one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use futures_util::TryStreamExt as _;
use heliograph_storage::backup;
use heliograph_storage::blobs::{self, BlobKey, Blobs};
use sha2::{Digest as _, Sha256};
use tar::{Builder, Header};

use super::{
    BLOBS, DATABASE, Error, FORMAT, MANIFEST, Manifest, PIECE, SUMS, TLS, lasting, of_file,
};
use crate::config::Config;
use crate::operate::sums::sum_line;

/// Size of a block in a tar.
const BLOCK: u64 = 512;

/// Makes a backup as this file, and returns what to say of it.
///
/// # Errors
/// Why it was not made. Nothing of it is left then.
pub async fn make(config: &Config, to: &Path) -> Result<String, Error> {
    if config.database.is_some() {
        return Err(Error::Postgres);
    }
    if !config.data.join(DATABASE).exists() {
        return Err(Error::Nothing(config.data.clone()));
    }
    if to.exists() {
        return Err(Error::Exists(to.to_owned()));
    }
    let [unfinished, database] = ["unfinished", "database"].map(|what| beside(to, what));
    // Held until the file has its name or is removed: that tells a leftover from an archive that is being made.
    let file = locked(&unfinished)?;
    let _lock = file.try_clone().map_err(of_file(&unfinished))?;
    let archive = Archive::new(&unfinished, file);
    let made = write(config, archive, &database).await;
    let _ = fs::remove_file(&database);
    let done = made.and_then(|made| in_place(&unfinished, to).map(|()| made));
    if done.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    let Made { files, gone } = done?;
    let warning = lasting(to, backup::sync_folder(folder_of(to)));
    let gone = match gone {
        0 => String::new(),
        gone => format!(" {gone} files had been deleted meanwhile, or are missing from the store."),
    };
    Ok(format!(
        "{} has the database and {files} files.{gone} It has hashes of passwords in it: keep it \
         where nobody else reads it.\n{warning}",
        to.display()
    ))
}

struct Made {
    files: usize,
    gone: usize,
}

/// Creates the file of an archive, which only its owner may read, and locks it. The lock of a killed process is gone with
/// it: a file whose lock can be taken is a leftover, and is removed.
fn locked(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let leftover = File::open(path).map_err(of_file(path))?;
            lock(&leftover, path)?;
            fs::remove_file(path).map_err(of_file(path))?;
            options.open(path)
        }
        created => created,
    };
    let file = created.map_err(|error| match error.kind() {
        // Another command has removed the leftover too.
        io::ErrorKind::AlreadyExists => Error::Making(path.to_owned()),
        _ => Error::File(path.to_owned(), error),
    })?;
    lock(&file, path)?;
    Ok(file)
}

/// Locks the file that is at a path.
fn lock(file: &File, path: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::Making(path.to_owned())),
        Err(TryLockError::Error(error)) => return Err(Error::File(path.to_owned(), error)),
    }
    // Between its opening and its lock another command may have replaced it, or ended.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let numbers = |about: fs::Metadata| (about.dev(), about.ino());
        let own = file.metadata().map(numbers).map_err(of_file(path))?;
        if fs::metadata(path).map(numbers).ok() != Some(own) {
            return Err(Error::Making(path.to_owned()));
        }
    }
    Ok(())
}

/// Gives a finished archive its name, which another file may have got meanwhile: a link never takes a name, as a rename
/// does.
fn in_place(unfinished: &Path, to: &Path) -> Result<(), Error> {
    match fs::hard_link(unfinished, to) {
        Ok(()) => {
            // The archive is there, whether or not its other name goes.
            let _ = fs::remove_file(unfinished);
            Ok(())
        }
        Err(_) if to.exists() => Err(Error::Exists(to.to_owned())),
        // Not every file system has links.
        Err(_) => fs::rename(unfinished, to).map_err(of_file(to)),
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

async fn write(config: &Config, mut archive: Archive, database: &Path) -> Result<Made, Error> {
    // Left by a command that was killed: nobody else is making this archive.
    let _ = fs::remove_file(database);
    backup::copy(&config.data, database).await?;
    let manifest = Manifest { format: FORMAT, version: env!("CARGO_PKG_VERSION").to_owned() };
    let manifest = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other);
    archive.bytes(MANIFEST, &manifest.map_err(of_file(&archive.path))?)?;
    archive.file(DATABASE, database)?;
    for path in files_in(&config.data.join(TLS))? {
        let name = path.strip_prefix(&config.data).unwrap_or(&path).to_string_lossy().into_owned();
        archive.file(&name, &path)?;
    }
    let blobs = Blobs::open(&config.blobs())?;
    let mut made = Made { files: 0, gone: 0 };
    for key in backup::blobs_of(database).await? {
        match archive.blob(&blobs, key).await {
            Ok(()) => made.files += 1,
            Err(Error::Blobs(blobs::Error::Missing)) => made.gone += 1,
            Err(error) => return Err(error),
        }
    }
    archive.finish()?;
    Ok(made)
}

/// The path beside a file where something of it is kept meanwhile.
fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(what);
    name.into()
}

/// The files in a folder and the folders in it, if it exists.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(of_file(folder))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(of_file(folder))?;
        let kind = entry.file_type().map_err(of_file(&entry.path()))?;
        if kind.is_dir() {
            files.extend(files_in(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// An archive that is being written.
struct Archive {
    path: PathBuf,
    tar: Builder<BufWriter<File>>,
    sums: String,
}

impl Archive {
    fn new(path: &Path, file: File) -> Self {
        let tar = Builder::new(BufWriter::with_capacity(PIECE, file));
        Self { path: path.to_owned(), tar, sums: String::new() }
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let mut entry = self.begin(name, bytes.len() as u64)?;
        entry.push(bytes)?;
        entry.end()
    }

    fn file(&mut self, name: &str, path: &Path) -> Result<(), Error> {
        let mut file = File::open(path).map_err(of_file(path))?;
        let size = file.metadata().map_err(of_file(path))?.len();
        let mut entry = self.begin(name, size)?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = file.read(&mut piece).map_err(of_file(path))?;
            if count == 0 {
                return entry.end();
            }
            entry.push(piece.get(..count).unwrap_or_default())?;
        }
    }

    async fn blob(&mut self, blobs: &Blobs, key: BlobKey) -> Result<(), Error> {
        let size = blobs.size(key).await?;
        // Opened before anything is written: it may be deleted at any moment.
        let mut reading = blobs.read(key, 0..size).await?;
        let mut entry = self.begin(&format!("{BLOBS}{key}"), size)?;
        while let Some(piece) = reading.try_next().await.map_err(|error| match error {
            // Too late to leave it out.
            blobs::Error::Missing => blobs::Error::Unreachable("a file broke off".to_owned()),
            error => error,
        })? {
            entry.push(&piece)?;
        }
        entry.end()
    }

    /// Begins an entry of this size.
    fn begin(&mut self, name: &str, size: u64) -> Result<Entry<'_>, Error> {
        let mut header = Header::new_gnu();
        header.set_path(name).map_err(of_file(&self.path))?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_cksum();
        self.tar.get_mut().write_all(header.as_bytes()).map_err(of_file(&self.path))?;
        Ok(Entry { archive: self, name: name.to_owned(), size, sum: Sha256::new(), left: size })
    }

    /// Writes the sums and waits until the disk has everything.
    fn finish(mut self) -> Result<(), Error> {
        let sums = std::mem::take(&mut self.sums);
        self.bytes(SUMS, sums.as_bytes())?;
        let wrong = of_file(&self.path);
        let done = self.tar.into_inner().and_then(|file| {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()
        });
        done.map_err(wrong)
    }
}

/// An entry that is being written.
struct Entry<'a> {
    archive: &'a mut Archive,
    name: String,
    size: u64,
    left: u64,
    sum: Sha256,
}

impl Entry<'_> {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| self.changed())?;
        self.left = left;
        self.sum.update(bytes);
        self.archive.tar.get_mut().write_all(bytes).map_err(of_file(&self.archive.path))
    }

    fn end(self) -> Result<(), Error> {
        if self.left > 0 {
            return Err(self.changed());
        }
        let rest = (BLOCK - self.size % BLOCK) % BLOCK;
        let padding = vec![0; usize::try_from(rest).unwrap_or_default()];
        let Self { archive, name, sum, .. } = self;
        archive.tar.get_mut().write_all(&padding).map_err(of_file(&archive.path))?;
        archive.sums += &sum_line(&sum.finalize(), &name);
        Ok(())
    }

    fn changed(&self) -> Error {
        Error::File(self.name.clone().into(), io::Error::other("it changed while it was read"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_takes_no_name_that_another_file_has_got_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let [unfinished, to] = ["a.unfinished", "a"].map(|name| folder.path().join(name));
        fs::write(&unfinished, "an archive").unwrap();
        fs::write(&to, "another file").unwrap();
        assert!(matches!(in_place(&unfinished, &to), Err(Error::Exists(_))));
        assert_eq!(fs::read_to_string(&to).unwrap(), "another file");

        fs::remove_file(&to).unwrap();
        in_place(&unfinished, &to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "an archive");
        assert!(!unfinished.exists());
    }

    #[test]
    fn a_disk_that_does_not_confirm_an_archive_is_warned_about() {
        let path = Path::new("/backups/a.tar");
        assert_eq!(lasting(path, Ok(())), "");
        let warning = lasting(path, Err(io::Error::other("the disk is tired")));
        assert!(warning.starts_with("/backups/a.tar is in place, but"), "{warning}");
        assert!(warning.contains("the disk is tired"), "{warning}");
    }
}
