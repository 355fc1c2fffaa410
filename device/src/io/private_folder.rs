//! A folder of the program's own with what nobody else on the machine may read: tokens and keys.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::file_lock::FileLock;
use super::files::make_private_folder;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Such a folder. It is made when something is written.
#[derive(Clone, Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// The folder at a path.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What is in a file; `None` where there is none.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let file = match File::open(self.0.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        // With room for all of it: what grows leaves copies behind.
        let room = usize::try_from(file.metadata()?.len().min(MOST_BYTES)).unwrap_or_default();
        let mut bytes = Zeroizing::new(Vec::with_capacity(room + 1));
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes a file that only this person may read (mode 0600), in place of the one of before. A program that is killed leaves the one
    /// or the other.
    ///
    /// # Errors
    /// Where it cannot be written. Then the one of before stays.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        make_private_folder(&self.0)?;
        let half = self.0.join(format!("{name}.new"));
        // One that another program has left may be open to others.
        remove_if_there(&half)?;
        let written = (|| {
            let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&half)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&half, self.0.join(name))
        })();
        if written.is_err() {
            let _ = std::fs::remove_file(&half);
        }
        written
    }

    /// Removes a file, where there is one.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        remove_if_there(&self.0.join(name))
    }

    /// The names of its files.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
        Ok(names.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Waits until no other program changes what has this name. It blocks.
    ///
    /// # Errors
    /// Where the lock cannot be made.
    pub fn lock(&self, name: &str) -> io::Result<FileLock> {
        FileLock::wait(self.lock_file(name)?)
    }

    /// The same without a wait; `None` where another program changes it.
    ///
    /// # Errors
    /// Where the lock cannot be made.
    pub fn try_lock(&self, name: &str) -> io::Result<Option<FileLock>> {
        FileLock::take(self.lock_file(name)?)
    }

    fn lock_file(&self, name: &str) -> io::Result<File> {
        make_private_folder(&self.0)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        private(options).open(self.0.join(format!("{name}.lock")))
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// What is made is for this person alone, where the system knows of others.
fn private(options: &mut OpenOptions) -> &OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
