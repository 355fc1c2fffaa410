//! What is remembered of the files that a device shares, so that the program, started again with the same files in the same beam, is the
//! same device and goes on under the same items (F17). It is one small file for each run that shares, with the secrets that this takes.

use std::fmt;
use std::path::Path;

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
use crate::keys::shared_keys::KeyId;

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
    folder: Dir,
    name: String,
    _lock: FileLock,
    token: DeviceToken,
    beam_key: Option<BeamKey>,
    files: Vec<SharedFile>,
    /// Those that this run has not named yet.
    earlier: Vec<ItemId>,
    /// Whether anything of it is not written.
    is_changed: bool,
    /// The beam key that was written last.
    key: Option<KeyId>,
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
                folder: folder.try_clone()?,
                name,
                _lock: lock,
                token: record.token,
                beam_key: record.beam_key,
                earlier: record.files.iter().map(|file| file.item).collect(),
                files: record.files,
                is_changed: true,
                key: None,
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
            folder,
            name,
            _lock: lock,
            token,
            beam_key,
            files: Vec::new(),
            earlier: Vec::new(),
            is_changed: false,
            key: None,
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

    /// Writes what has changed. Where that fails, a later run shares what is lacking as new.
    ///
    /// `now` is in milliseconds since the Unix epoch.
    pub fn write(&mut self, keys: Option<&Keyring>, now: i64) {
        let key = keys.and_then(Keyring::current_id);
        if !self.is_changed && key == self.key {
            return;
        }
        (self.is_changed, self.key) = (false, key);
        if self.files.is_empty() {
            let _ = self.folder.remove_file(format!("{}{RECORD}", self.name));
            return;
        }
        let kept = keys.and_then(Keyring::keep);
        let record = Record {
            token: self.token.clone(),
            beam_key: self.beam_key.clone(),
            keys: kept.as_ref().and_then(|kept| serde_json::from_slice(kept).ok()),
            files: self.files.clone(),
            used_at: now,
        };
        if let Ok(bytes) = serde_json::to_vec(&record).map(Zeroizing::new) {
            let _ =
                private_folder::replace(&self.folder, &format!("{}{RECORD}", self.name), &bytes);
        }
    }

    /// All is done, or the beam is no more: forgets it.
    pub fn done(self) {
        forget(&self.folder, &self.name);
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
