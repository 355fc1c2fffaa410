//! Runs the comparison of what the server gives to the devices of a sealed beam (E14): its clock, its digests, its signals.
//! `client/src/app/missing-items` does the same for the browser.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use sha2::{Digest as _, Sha256};

use super::beam_memory::BeamMemory;
use super::exchange::Exchange;
use super::item::envelope_of;
use super::item_comparison::{Act, Compared, Event, Given, Message};
use super::item_versions::{ItemVersions, version_of};
use super::outbox::{News, json};
use super::pending_changes::PendingChanges;

/// What is compared, as this device has it.
struct Items<'a> {
    memory: &'a BeamMemory,
    pending: &'a PendingChanges,
    versions: &'a ItemVersions,
}

impl Compared for Items<'_> {
    fn given(&self) -> Given {
        self.newest(usize::MAX).into_iter().collect()
    }

    fn newest(&self, most: usize) -> Vec<(ItemId, String)> {
        // What is not sealed, nobody can compare: the server could have made it up.
        let named = |id, message| Some((id, version_of(&envelope_of(message)?)));
        let given = self.memory.given().into_iter();
        let mut given: Vec<_> = given.filter_map(|item| named(item.id, &item.message)).collect();
        given.drain(..given.len().saturating_sub(most));
        given
    }

    fn replaced(&self) -> usize {
        self.versions.replaced()
    }

    fn is_past(&self, id: ItemId, version: &str, since: usize) -> bool {
        self.pending.deletions().contains(&id) || self.versions.is_past(id, version, since)
    }
}

impl Exchange {
    /// The devices that seal may have changed, or this one can only now.
    pub(super) fn look_at_neighbours(&mut self, now: Duration) {
        let Some(sealed) = self.sealed.as_ref().filter(|sealed| sealed.ring.is_keyed()) else {
            return;
        };
        let devices = sealed.after_me();
        if devices != self.missing.listed {
            self.missing.listed.clone_from(&devices);
            self.compare(Event::Listed(devices), now);
        }
    }

    /// Something has happened that concerns what is compared.
    pub(super) fn compare(&mut self, event: Event, now: Duration) {
        let Some(sealed) = &self.sealed else { return };
        let (memory, pending) = (&self.memory, &self.pending);
        let items = Items { memory, pending, versions: &sealed.items.versions };
        let acts = self.missing.comparison.handle(event, now, &items);
        for act in acts {
            match act {
                Act::Sync => self.out.wants_sync = true,
                Act::Tell(to, message) => {
                    let Some(message) = json(&message) else { continue };
                    self.with_sealed(now, |sealed, moment| sealed.signal(to, message, moment));
                }
            }
        }
        let count = self.missing.comparison.missing().len();
        if std::mem::replace(&mut self.missing.count, count) != count {
            self.out.tell(News::Missing(count));
        }
    }

    /// Whether a signal was about what is compared.
    pub(super) fn hears_comparison(
        &mut self,
        from: DeviceId,
        signal: &Json,
        now: Duration,
    ) -> bool {
        let message = if self.sealed.is_some() { Message::read(signal) } else { None };
        let is_one = message.is_some();
        if let Some(message) = message {
            self.compare(Event::Heard { from, message }, now);
        }
        is_one
    }

    /// Compares, where it is time.
    pub(super) fn compares_in_time(&mut self, now: Duration) {
        if self.missing.comparison.due().is_none_or(|due| now < due) {
            return;
        }
        let Some(sealed) = &self.sealed else { return };
        let (memory, pending) = (&self.memory, &self.pending);
        let items = Items { memory, pending, versions: &sealed.items.versions };
        let given: Vec<_> = items.given().into_iter().collect();
        // Texts and ids cannot fail.
        let text = serde_json::to_string(&given).unwrap_or_default();
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        self.compare(Event::Due { digest }, now);
    }
}
