//! The keys by which what was sealed in a beam opens, as one device has them: one of them seals, the others did before.

use std::time::Duration;

use heliograph_shared::e2ee::envelope::{ContentKey, Header, Kind, Opened};

use super::known_devices::keep_last;
use super::shared_keys::{KeyId, MOST_KEYS};

/// So long what a device has said before it heard of new keys is on its way.
const ON_ITS_WAY: Duration = Duration::from_mins(1);

/// What has come of opening an envelope.
pub enum Reading {
    /// It is under a key that is not here, or no envelope.
    Unknown,
    /// It is under a key of before, and may have been said long ago.
    Past,
    /// It is not what it says.
    Broken,
    /// What was in it.
    Open(Opened),
}

#[derive(Clone)]
struct Known {
    key: ContentKey,
    /// When another one took its place.
    replaced: Option<Duration>,
}

#[derive(Clone, Default)]
pub(super) struct Openers {
    /// That which seals is the last, and those in front are the first to be cut off.
    known: Vec<Known>,
}

impl Openers {
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &ContentKey> {
        self.known.iter().map(|known| &known.key)
    }

    pub(super) fn has(&self, id: KeyId) -> bool {
        self.keys().any(|key| key.id() == id)
    }

    /// Takes keys to open with. Those that are known count before them: made up ones would push them out.
    pub(super) fn add(&mut self, keys: &[ContentKey]) {
        let fresh = keys.iter().filter(|key| !self.has(key.id()));
        let fresh: Vec<Known> =
            fresh.map(|key| Known { key: key.clone(), replaced: None }).collect();
        self.known.splice(..0, fresh);
        keep_last(&mut self.known, MOST_KEYS);
    }

    /// A key seals from now on, in place of another one.
    pub(super) fn seals_with(&mut self, key: &ContentKey, before: Option<KeyId>, now: Duration) {
        for known in &mut self.known {
            if Some(known.key.id()) == before {
                known.replaced = Some(now);
            }
        }
        self.known.retain(|known| known.key.id() != key.id());
        self.known.push(Known { key: key.clone(), replaced: None });
        keep_last(&mut self.known, MOST_KEYS);
    }

    /// Opens an envelope. What counts at the moment alone, a removed device could say for ever with the keys of before (E5).
    pub(super) fn open(
        &self,
        kind: Kind,
        envelope: &str,
        sealing: Option<KeyId>,
        now: Duration,
    ) -> Reading {
        let Ok(header) = Header::of(envelope) else { return Reading::Unknown };
        let Some(known) = self.known.iter().find(|known| known.key.id() == header.key_id) else {
            return Reading::Unknown;
        };
        let is_momentary = matches!(kind, Kind::Signal | Kind::DeleteNote);
        let is_on_its_way = known.replaced.is_some_and(|at| now.saturating_sub(at) < ON_ITS_WAY);
        if is_momentary && sealing != Some(header.key_id) && !is_on_its_way {
            return Reading::Past;
        }
        known.key.open(kind, envelope).map_or(Reading::Broken, Reading::Open)
    }
}
