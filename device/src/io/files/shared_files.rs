//! What is remembered of the files that a device shares, so that the program, started again with the same files in the same beam, is the
//! same device and goes on under the same items (F17). It is one small file for each run that shares, with the secrets that this takes.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cap_std::fs::Dir;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceToken, ItemId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::super::file_lock::FileLock;
use super::error::FileError;
use super::private_folder::{self, lock_file, try_lock};
use crate::engine::contract::FileSeal;
use crate::file_facts::{read_seal, seal_json};
use crate::io::system_random::SystemRandom;
use crate::keys::keyring::Keyring;

/// What nobody has gone on with for so many milliseconds is forgotten, as what is received is ([`Store::sweep`](super::store::Store)).
const UNUSED_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
const RECORD: &str = ".json";
const LOCKED: &str = ".lock";

/// Tells a file from others: of two that have the same, the bytes are taken to be the same too. Whoever receives the file compares hashes
/// of its pieces besides (F19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePrint(pub [u8; 32]);

impl FilePrint {
    fn text(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// What this run shares, and what an earlier one has shared. No other program goes on with it meanwhile.
#[derive(Debug)]
pub struct SharedFiles {
    place: Arc<Place>,
    token: DeviceToken,
    beam_key: Option<BeamKey>,
    files: Vec<SharedFile>,
    /// Those that this run has not named yet.
    earlier: Vec<ItemId>,
    /// Whether anything of it is not written.
    is_changed: bool,
    /// The hash of the keys that were written last.
    keys: Option<[u8; 32]>,
    /// Counts what was to be written.
    writes: u64,
}

/// Where it is remembered.
#[derive(Debug)]
struct Place {
    folder: Dir,
    name: String,
    /// Which write was the last one; `None` once all of it is forgotten.
    written: Mutex<Option<u64>>,
    _lock: FileLock,
}

/// What is to be written, in place of what was before.
pub struct Unwritten {
    place: Arc<Place>,
    number: u64,
    /// `None` where nothing is to be remembered.
    record: Option<Zeroizing<Vec<u8>>>,
}

impl Unwritten {
    /// Writes it, unless a later one was. Where that fails, a later run shares what is lacking as new. It blocks.
    pub fn write(self) {
        let Place { folder, name, written, .. } = &*self.place;
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.is_none_or(|last| last >= self.number) {
            return;
        }
        *written = Some(self.number);
        let name = format!("{name}{RECORD}");
        match &self.record {
            Some(record) => drop(private_folder::replace(folder, &name, record)),
            None => drop(folder.remove_file(name)),
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct SharedFile {
    item: ItemId,
    print: String,
    /// As its item has it (E7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<Value>,
}

impl fmt::Debug for SharedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without what opens it.
        f.debug_struct("SharedFile").field("item", &self.item).finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct Record<'a> {
    token: DeviceToken,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beam_key: Option<BeamKey>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    keys: Option<&'a RawValue>,
    files: Vec<SharedFile>,
    used_at: i64,
}

impl SharedFiles {
    /// Looks for the run that has shared most of these files in a beam, and was ended before it was done. Also returns the keys of a
    /// sealed beam.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn find(
        folder: &Path,
        beam: BeamId,
        prints: &[FilePrint],
        now: i64,
    ) -> Result<Option<(Self, Option<Keyring>)>, FileError> {
        let folder = private_folder::open(folder)?;
        let _folder_lock = private_folder::lock(&folder)?;
        let prints: Vec<String> = prints.iter().map(|print| print.text()).collect();
        let mut best: Option<(usize, Self, Option<Keyring>)> = None;
        for name in names_of(&folder, RECORD)? {
            // What another program goes on with is its own.
            let Ok(lock) = lock_file(&folder, &format!("{name}{LOCKED}")).and_then(try_lock) else {
                continue;
            };
            let bytes = Zeroizing::new(folder.read(format!("{name}{RECORD}")).unwrap_or_default());
            let record = serde_json::from_slice::<Record<'_>>(&bytes).ok();
            let Some(record) = record.filter(|one| now.saturating_sub(one.used_at) <= UNUSED_MS)
            else {
                forget(&folder, &name);
                continue;
            };
            let is_among = |file: &&SharedFile| prints.contains(&file.print);
            let count = record.files.iter().filter(is_among).count();
            let is_better = count > best.as_ref().map_or(0, |(most, ..)| *most);
            if !is_better || !name.starts_with(&beam.to_string()) {
                continue;
            }
            let keys =
                record.keys.map(|keys| Keyring::kept(keys.get().as_bytes(), &mut SystemRandom));
            // Without its keys it is not the same device.
            if let Some(None) = keys {
                continue;
            }
            let found = Self {
                place: Arc::new(Place::new(folder.try_clone()?, name, lock)),
                token: record.token,
                beam_key: record.beam_key,
                earlier: record.files.iter().map(|file| file.item).collect(),
                files: record.files,
                is_changed: true,
                keys: None,
                writes: 0,
            };
            best = Some((count, found, keys.flatten()));
        }
        Ok(best.map(|(_, found, keys)| (found, keys)))
    }

    /// Begins to remember what a device shares in a beam.
    ///
    /// # Errors
    /// As for [`SharedFiles::find`].
    pub fn begin(
        folder: &Path,
        beam: BeamId,
        token: DeviceToken,
        beam_key: Option<BeamKey>,
    ) -> Result<Self, FileError> {
        let folder = private_folder::open(folder)?;
        let _folder_lock = private_folder::lock(&folder)?;
        let run = uuid::Builder::from_random_bytes(SystemRandom::bytes()).into_uuid();
        let name = format!("{beam}.{run}");
        let lock = try_lock(lock_file(&folder, &format!("{name}{LOCKED}"))?)?;
        Ok(Self {
            place: Arc::new(Place::new(folder, name, lock)),
            token,
            beam_key,
            files: Vec::new(),
            earlier: Vec::new(),
            is_changed: false,
            keys: None,
            writes: 0,
        })
    }

    /// The token of the device.
    #[must_use]
    pub const fn token(&self) -> &DeviceToken {
        &self.token
    }

    /// Proves that it has made the beam.
    #[must_use]
    pub const fn beam_key(&self) -> Option<&BeamKey> {
        self.beam_key.as_ref()
    }

    /// Whether an earlier run has shared files that were not taken yet.
    #[must_use]
    pub const fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// The item under which an earlier run has shared a file, once for each; `None` where none has.
    #[must_use]
    pub fn take(&mut self, print: FilePrint) -> Option<(ItemId, Option<FileSeal>)> {
        let print = print.text();
        let is_it = |file: &&SharedFile| file.print == print && self.earlier.contains(&file.item);
        let file = self.files.iter().find(is_it)?;
        let (item, seal) = (file.item, file.seal.as_ref().map(read_seal));
        self.earlier.retain(|one| *one != item);
        match seal {
            Some(None) => None,
            seal => Some((item, seal.flatten())),
        }
    }

    /// A file is shared under an item.
    pub fn add(&mut self, item: ItemId, print: FilePrint, seal: Option<&FileSeal>) {
        let seal = seal.map(seal_json);
        self.files.push(SharedFile { item, print: print.text(), seal });
        self.is_changed = true;
    }

    /// The item is gone.
    pub fn forget(&mut self, item: ItemId) {
        let before = self.files.len();
        self.files.retain(|file| file.item != item);
        self.is_changed |= self.files.len() < before;
    }

    /// Whether anything but keys has changed since [`SharedFiles::unwritten`] was asked for last.
    #[must_use]
    pub const fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// What is to be written, of the device that has this token and these keys by now; `None` where nothing has changed.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    pub fn unwritten(
        &mut self,
        token: &DeviceToken,
        keys: Option<&Keyring>,
        now: i64,
    ) -> Option<Unwritten> {
        if self.token != *token {
            // Another program has the device of before, and with it all that was shared as that (S5).
            self.token = token.clone();
            self.files.clear();
            self.earlier.clear();
            self.is_changed = true;
        }
        let kept = keys.and_then(Keyring::keep);
        let hash = kept.as_ref().map(|kept| blake3::hash(kept).into());
        if !self.is_changed && hash == self.keys {
            return None;
        }
        (self.is_changed, self.keys) = (false, hash);
        self.writes += 1;
        let record = Record {
            token: self.token.clone(),
            beam_key: self.beam_key.clone(),
            keys: kept.as_ref().and_then(|kept| serde_json::from_slice(kept).ok()),
            files: self.files.clone(),
            used_at: now,
        };
        // Texts, numbers and JSON cannot fail.
        let record = serde_json::to_vec(&record).ok().filter(|_| !self.files.is_empty());
        let (place, record) = (self.place.clone(), record.map(Zeroizing::new));
        Some(Unwritten { place, number: self.writes, record })
    }

    /// All is done, or the beam is no more: forgets it, also what is still being written. It blocks.
    pub fn done(self) {
        let mut written = self.place.written.lock().unwrap_or_else(PoisonError::into_inner);
        *written = None;
        forget(&self.place.folder, &self.place.name);
    }
}

impl Place {
    const fn new(folder: Dir, name: String, lock: FileLock) -> Self {
        Self { folder, name, written: Mutex::new(Some(0)), _lock: lock }
    }
}

/// The names of records, or of locks, without their endings.
fn names_of(folder: &Dir, ending: &str) -> Result<Vec<String>, FileError> {
    let names = private_folder::names(folder)?.into_iter();
    let names = names.filter_map(|name| {
        let name = name.strip_suffix(ending)?;
        let (beam, run) = name.split_once('.')?;
        (Uuid::try_parse(beam).is_ok() && Uuid::try_parse(run).is_ok()).then(|| name.to_owned())
    });
    Ok(names.collect())
}

fn forget(folder: &Dir, name: &str) {
    for ending in [RECORD, LOCKED] {
        let _ = folder.remove_file(format!("{name}{ending}"));
    }
}
