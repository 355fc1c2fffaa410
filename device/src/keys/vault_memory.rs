//! What this device has seen of vaults, apart from the keys in them (E16, E18). No key is in it, and nothing that leads to a beam: it
//! stays when the login ends, because a server could deny a vault, show what lies there for another beam, or what lay there before.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::BeamId;
use heliograph_shared::names::Username;
use heliograph_shared::time::Millis;
use serde::{Deserialize, Serialize};

use super::shared_keys::Changes;

/// A year, in milliseconds.
const KEPT_MS: i64 = 365 * 24 * 60 * 60 * 1_000;
/// Most beams of which something is remembered, those of which it was seen last.
const MOST: usize = 10_000;

/// What is remembered.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaultMemory {
    /// The accounts that had a vault here, in lower case.
    accounts: BTreeSet<String>,
    /// What names beams in vaults, by a hash of the beam's id.
    beams: BTreeMap<String, Named>,
    /// What was seen in vaults, by the public key and the tag.
    entries: BTreeMap<String, Seen>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    vault: String,
    tag: String,
    at: Millis,
}

/// What was seen last of a beam in a vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    ends: BTreeSet<String>,
    keys: u64,
    invites: u64,
    at: Millis,
}

impl VaultMemory {
    /// Whether an account had a vault on this device.
    #[must_use]
    pub fn has_vault(&self, username: &str) -> bool {
        self.accounts.contains(&key(username))
    }

    /// An account has a vault.
    pub fn remember_vault(&mut self, username: &str) {
        self.accounts.insert(key(username));
    }

    /// An account was made anew: of the new one nothing is known.
    pub fn forget_vault(&mut self, username: &str) {
        self.accounts.remove(&key(username));
    }

    /// What names a beam in a vault; `None` where this device has not taken its keys from there.
    #[must_use]
    pub fn tag_of(&self, beam: BeamId, vault: &str) -> Option<&str> {
        let named = self.beams.get(&digest(beam)).filter(|named| named.vault == vault);
        named.map(|named| named.tag.as_str())
    }

    /// Whether an entry was changed less often than what this device has seen there.
    #[must_use]
    pub fn is_behind(&self, vault: &str, tag: &str, changes: Changes) -> bool {
        let seen = self.entries.get(&entry(vault, tag));
        seen.is_some_and(|seen| changes < Changes { keys: seen.keys, invites: seen.invites })
    }

    /// The ends of shares that this device has seen there.
    #[must_use]
    pub fn ends(&self, vault: &str, tag: &str) -> Vec<String> {
        let seen = self.entries.get(&entry(vault, tag));
        seen.map(|seen| seen.ends.iter().cloned().collect()).unwrap_or_default()
    }

    /// This device has taken what lies in a vault for a beam, or has written it.
    pub fn note(
        &mut self,
        beam: BeamId,
        (vault, tag): (&str, &str),
        (ends, changes): (&[String], Changes),
        now: Millis,
    ) {
        let named = Named { vault: vault.to_owned(), tag: tag.to_owned(), at: now };
        self.beams.insert(digest(beam), named);
        let known = self.entries.entry(entry(vault, tag)).or_insert_with(|| Seen {
            ends: BTreeSet::new(),
            keys: 0,
            invites: 0,
            at: now,
        });
        known.ends.extend(ends.iter().cloned());
        let later = changes.max(Changes { keys: known.keys, invites: known.invites });
        (known.keys, known.invites, known.at) = (later.keys, later.invites, now);
        self.sweep(now);
    }

    /// Forgets what was not seen for a year.
    fn sweep(&mut self, now: Millis) {
        let is_new = |at: Millis| now.get().saturating_sub(at.get()) <= KEPT_MS;
        self.beams.retain(|_, named| is_new(named.at));
        self.entries.retain(|_, seen| is_new(seen.at));
        keep_newest(&mut self.beams, |named| named.at);
        keep_newest(&mut self.entries, |seen| seen.at);
    }
}

fn keep_newest<T>(map: &mut BTreeMap<String, T>, at: impl Fn(&T) -> Millis) {
    while map.len() > MOST {
        let oldest = map.iter().min_by_key(|(_, one)| at(one)).map(|(name, _)| name.clone());
        let Some(oldest) = oldest else { return };
        map.remove(&oldest);
    }
}

/// Usernames are matched without case.
fn key(username: &str) -> String {
    Username::parse(username).map_or_else(|_| username.to_owned(), |username| username.key())
}

/// The id itself leads to the beam.
fn digest(beam: BeamId) -> String {
    blake3::hash(beam.to_string().as_bytes()).to_hex().to_string()
}

fn entry(vault: &str, tag: &str) -> String {
    format!("{vault} {tag}")
}
