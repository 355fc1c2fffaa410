//! The keys that lie with a saved beam (E9, E18), and how much of them a device takes that is in: they were changed while it was there.

use std::fmt;
use std::time::Duration;

use heliograph_shared::api::keys::BeamKeys;

use super::keyring::{Keyring, Taken};
use super::saved_keys::{OwnEntry, SavedShared};
use super::shared_keys::{SharedKeys, key_among};
use crate::random::Random;

/// Keys that lie with a saved beam.
#[derive(Clone)]
pub enum FoundKeys {
    /// What this account has sealed to its own vault.
    Own {
        /// All of it.
        entry: OwnEntry,
        /// Whether this device knows that this is of the beam, by the tag.
        is_named: bool,
        /// Whether this device has seen a later state there.
        is_behind: bool,
    },
    /// What another account has sealed to the vault of this one.
    Handed(SavedShared),
    /// What the server can read.
    Deposit(BeamKeys),
}

/// No key is printed.
impl fmt::Debug for FoundKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Own { .. } => "Own",
            Self::Handed(_) => "Handed",
            Self::Deposit(_) => "Deposit",
        })
    }
}

impl Keyring {
    /// How much a device that is in takes of what lies with its beam; `None` for nothing. Of the own vault it takes all that a device in
    /// the beam would tell it; of others, what it can open with, and never what to seal with.
    #[must_use]
    pub fn takes_of(&self, found: &FoundKeys) -> Option<Taken> {
        let sealing = self.current_id()?;
        let FoundKeys::Own { entry, is_named, is_behind } = found else { return Some(Taken::Keys) };
        let keys = &entry.shared.keys;
        // Before it knows the tag, who has the key that seals here says what counts.
        if *is_named || key_among(keys, sealing).is_some() {
            return Some(if *is_behind { Taken::Keys } else { Taken::All });
        }
        keys.iter().any(|key| self.knows(key.id())).then_some(Taken::Keys)
    }

    /// Takes so much of it.
    pub(crate) fn take_found(&mut self, found: &FoundKeys, now: Duration, random: &mut dyn Random) {
        let Some(taken) = self.takes_of(found) else { return };
        let told = match found {
            FoundKeys::Own { entry, .. } => {
                Some(SharedKeys { is_vaulted: true, ..entry.shared.clone() })
            }
            FoundKeys::Handed(handed) => handed.clone().told(self.invite(), true),
            FoundKeys::Deposit(deposit) => {
                SavedShared::of_deposit(deposit).and_then(|keys| keys.told(self.invite(), false))
            }
        };
        if let Some(told) = told {
            self.take(&told, taken, now, random);
        }
    }
}
