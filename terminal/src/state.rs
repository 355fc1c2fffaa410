//! What commands remember from one run to the next, in files that this person alone can read: keys are among it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::exit::{Exit, Stop};

/// The folder of the program's state.
///
/// # Errors
/// Where the system names no such place.
pub fn folder() -> Result<PathBuf, Stop> {
    let strategy = etcetera::choose_base_strategy();
    let strategy = strategy.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Ok(folder.join("heliograph"))
}

/// A file with a value. It is written as a whole, so that a program that is killed leaves the old one or the new one.
#[derive(Clone, Debug)]
pub struct StateFile(PathBuf);

/// The right to change a file. The system lets go of it when the program ends, however it ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "it is held")] File);

impl StateFile {
    /// The file of this name in the folder of the state, in a folder that is made where it is missing.
    ///
    /// # Errors
    /// Where that cannot be.
    pub fn named(folder: &str, name: &str) -> Result<Self, Stop> {
        let folder = self::folder()?.join(folder);
        make_private(&folder).map_err(|why| unusable(&folder, &why))?;
        Ok(Self(folder.join(name)))
    }

    /// Takes the right to change it.
    ///
    /// # Errors
    /// Where another program has it.
    pub fn lock(&self) -> Result<Lock, Stop> {
        let path = self.0.with_extension("lock");
        let file = private().create(true).truncate(false).open(&path);
        let file = file.map_err(|why| unusable(&path, &why))?;
        match file.try_lock() {
            // Some network disks know no locks.
            Ok(()) => Ok(Lock(file)),
            Err(fs::TryLockError::Error(why)) if why.kind() == io::ErrorKind::Unsupported => {
                Ok(Lock(file))
            }
            Err(fs::TryLockError::WouldBlock) => {
                Err(Stop::new(Exit::Failed, "Another program of yours does the same already."))
            }
            Err(fs::TryLockError::Error(why)) => Err(unusable(&path, &why)),
        }
    }

    /// The value; `None` where none was written.
    ///
    /// # Errors
    /// Where it cannot be read. It is not written anew then: its keys would be lost.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, Stop> {
        let bytes = match fs::read(&self.0) {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(unusable(&self.0, &why)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|why| unusable(&self.0, &why.into()))
    }

    /// Writes the value. It blocks.
    ///
    /// # Errors
    /// Where that cannot be: the value of before stays.
    pub fn write<T: Serialize>(&self, value: &T) -> Result<(), Stop> {
        self.replace(value).map_err(|why| unusable(&self.0, &why))
    }

    fn replace<T: Serialize>(&self, value: &T) -> io::Result<()> {
        let bytes = Zeroizing::new(serde_json::to_vec(value)?);
        let half = self.0.with_extension("new");
        let mut file = private().create(true).truncate(true).open(&half)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&half, &self.0)
    }
}

fn unusable(path: &Path, why: &io::Error) -> Stop {
    Stop::new(Exit::Failed, format!("{} cannot be used: {why}.", path.display()))
}

/// What is opened so can be read by this person alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_keys_is_for_its_person_alone_and_one_program_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile(folder.path().join("a.json"));
        assert_eq!(file.read::<u8>(), Ok(None));
        let lock = file.lock().unwrap();
        assert!(file.lock().is_err());
        drop(lock);
        file.lock().unwrap();
        file.write(&7).unwrap();
        assert_eq!(file.read(), Ok(Some(7)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&file.0).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&file.0, "{").unwrap();
        assert!(file.read::<u8>().is_err());
    }
}
