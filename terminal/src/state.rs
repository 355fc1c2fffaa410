//! What commands remember from one run to the next, in files that this person alone can read: keys are among it.

use std::fs;
use std::io;
use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use heliograph_device::io::file_lock::FileLock;
use heliograph_device::io::private_folder::PrivateFolder;
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
pub struct StateFile {
    folder: PrivateFolder,
    name: String,
}

impl StateFile {
    /// The file of this name in a folder of the state.
    ///
    /// # Errors
    /// Where the system names no place for that.
    pub fn named(folder: &str, name: &str) -> Result<Self, Stop> {
        let folder = PrivateFolder::at(self::folder()?.join(folder));
        Ok(Self { folder, name: name.to_owned() })
    }

    /// Takes the right to change it.
    ///
    /// # Errors
    /// Where another program has it.
    pub fn lock(&self) -> Result<FileLock, Stop> {
        let lock = self.folder.try_lock(&self.name).map_err(|why| self.unusable(&why))?;
        lock.ok_or_else(|| {
            Stop::new(Exit::Failed, "Another program of yours does the same already.")
        })
    }

    /// The value; `None` where none was written.
    ///
    /// # Errors
    /// Where it cannot be read. It is not written anew then: its keys would be lost.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, Stop> {
        let bytes = match fs::read(self.path()) {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(self.unusable(&why)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|why| self.unusable(&why.into()))
    }

    /// Writes the value. It blocks.
    ///
    /// # Errors
    /// Where that cannot be: the value of before stays.
    pub fn write<T: Serialize>(&self, value: &T) -> Result<(), Stop> {
        let bytes = serde_json::to_vec(value).map(Zeroizing::new).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| self.folder.write(&self.name, &bytes));
        written.map_err(|why| self.unusable(&why))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn unusable(&self, why: &io::Error) -> Stop {
        Stop::new(Exit::Failed, format!("{} cannot be used: {why}.", self.path().display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_keys_is_for_its_person_alone_and_one_program_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile {
            folder: PrivateFolder::at(folder.path().to_owned()),
            name: "a.json".to_owned(),
        };
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
            let mode = fs::metadata(file.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(file.path(), "{").unwrap();
        assert!(file.read::<u8>().is_err());
    }
}
