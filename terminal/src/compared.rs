//! What a person has compared (E8), from one run to the next: the devices of a beam, with the public keys that they had. No secret is in
//! it. It stays for 30 days in which this machine is not in the beam, as in browsers.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heliograph_device::io::private_folder::PrivateFolder;
use heliograph_device::io::system_clock::now_ms;
use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::{BeamId, DeviceId};
use heliograph_shared::opaque::Opaque;

use crate::exit::Stop;
use crate::state;

const STAYS: Duration = Duration::from_hours(30 * 24);
/// That this machine is in the beam is noted so often.
const NOTED_EVERY: Duration = Duration::from_hours(24);

type Keys = BTreeMap<DeviceId, Opaque>;

/// What was compared in one beam.
pub struct Compared {
    folder: PrivateFolder,
    name: String,
    /// As far as this program knows.
    known: Keys,
}

impl Compared {
    /// What earlier runs have left of a beam.
    ///
    /// # Errors
    /// Where that cannot be read.
    pub fn of(beam: BeamId) -> Result<Self, Stop> {
        let folder = PrivateFolder::at(state::folder()?.join("compared"));
        Ok(Self::in_folder(folder, beam)?)
    }

    fn in_folder(folder: PrivateFolder, beam: BeamId) -> io::Result<Self> {
        sweep(&folder)?;
        let name = beam.to_string();
        let known = read(&folder, &name)?;
        let compared = Self { folder, name, known };
        if !compared.known.is_empty() && age_of(&compared.folder, &compared.name) > NOTED_EVERY {
            compared.change(|_| ())?;
        }
        Ok(compared)
    }

    /// The devices, and their keys.
    #[must_use]
    pub fn devices(&self) -> Vec<(DeviceId, PublicKey)> {
        let keys = self.known.iter();
        keys.filter_map(|(device, key)| Some((*device, key.as_bytes().try_into().ok()?))).collect()
    }

    /// These are the devices now. It blocks where they are others than before.
    ///
    /// # Errors
    /// Where they cannot be kept.
    pub fn are(&mut self, devices: Vec<(DeviceId, PublicKey)>) -> io::Result<()> {
        let now = devices.into_iter().map(|(device, key)| (device, Opaque::new(key.to_vec())));
        let now: Keys = now.collect();
        if now == self.known {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.known, now);
        // Another program may be in the same beam.
        self.change(|kept| {
            kept.retain(|device, _| !before.contains_key(device));
            kept.extend(self.known.clone());
        })
    }

    /// The beam has ended.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn forget(&self) -> io::Result<()> {
        self.folder.remove(&self.name)
    }

    fn change(&self, change: impl FnOnce(&mut Keys)) -> io::Result<()> {
        let _lock = self.folder.lock(LOCK)?;
        let mut kept = read(&self.folder, &self.name)?;
        change(&mut kept);
        self.folder.write(&self.name, &serde_json::to_vec(&kept).map_err(io::Error::other)?)
    }
}

/// One for all beams: of the file of a lock nobody knows when it may go.
const LOCK: &str = "all";

fn read(folder: &PrivateFolder, name: &str) -> io::Result<Keys> {
    let Some(bytes) = folder.read(name)? else { return Ok(Keys::new()) };
    Ok(serde_json::from_slice(&bytes)?)
}

/// Forgets the beams in which this machine was not for too long.
fn sweep(folder: &PrivateFolder) -> io::Result<()> {
    for name in folder.names()? {
        if BeamId::parse(&name).is_ok() && age_of(folder, &name) > STAYS {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

/// How long ago a file was written last.
fn age_of(folder: &PrivateFolder, name: &str) -> Duration {
    let metadata = std::fs::metadata(folder.path().join(name));
    let written = metadata.and_then(|metadata| metadata.modified());
    let age = written.ok().and_then(|written| now().duration_since(written).ok());
    age.unwrap_or_default()
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn device(number: u8) -> (DeviceId, PublicKey) {
        let token = heliograph_shared::ids::DeviceToken::from_random([number; 32]);
        (DeviceId::from_token(&token), [number; 65])
    }

    #[test]
    fn e8_what_two_programs_have_compared_in_a_beam_is_remembered_by_both_for_a_month() {
        let folder = tempfile::tempdir().unwrap();
        let beam = BeamId::from_random([1; 16]);
        let compared =
            || Compared::in_folder(PrivateFolder::at(folder.path().to_owned()), beam).unwrap();
        let (mut one, mut other) = (compared(), compared());
        one.are(vec![device(1)]).unwrap();
        other.are(vec![device(2)]).unwrap();
        assert_eq!(compared().devices().len(), 2);
        // It has another key since.
        one.are(Vec::new()).unwrap();
        assert_eq!(compared().devices(), [device(2)]);
        let ages = |age: Duration| {
            let path = folder.path().join(beam.to_string());
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(now() - age).unwrap();
        };
        ages(STAYS.saturating_sub(NOTED_EVERY / 2));
        assert_eq!(compared().devices(), [device(2)]);
        // It was in the beam just now.
        assert!(age_of(&compared().folder, &compared().name) < NOTED_EVERY);
        ages(STAYS + NOTED_EVERY / 2);
        assert_eq!(compared().devices(), []);
    }
}
