//! Opens what comes of items: the items themselves, and deletions with their proofs (E3, E4). Where somebody without the keys has changed
//! an item on the server, what is known here goes on counting.

use std::collections::VecDeque;
use std::time::Duration;

use heliograph_shared::e2ee::envelope::{Header, Kind};
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::LiveItem;

use super::item::{
    Item, SealedContent, SealedDeletion, envelope_of, kept_keys_of, with_copy, without_copy,
};
use super::item_versions::ItemVersions;
use super::outbox::json;
use crate::keys::keyring::{Keyring, Reading};
use crate::keys::shared_keys::KeyId;

/// So many keys are remembered that nobody knew: as many as a beam ever had.
const MOST_UNKNOWN: usize = 256;

/// What an item is to this device.
pub(super) enum Opening {
    /// It is shown.
    Item(Item),
    /// It is sealed, and cannot be opened yet, or at all.
    Closed,
    /// It says nothing new: what is known of it goes on counting, or it is for the devices alone.
    Nothing,
}

#[derive(Default)]
pub(super) struct OpenedItems {
    pub(super) versions: ItemVersions,
    /// Keys that are asked for, or were so in vain: those that were named last, so that made up ones take no place for good.
    sought: VecDeque<KeyId>,
    /// Whether a key was named that was not asked for yet.
    seeks: bool,
    has_left_closed: bool,
}

impl OpenedItems {
    /// Whether keys are to be asked for that this device does not have.
    pub(super) const fn take_seeks(&mut self) -> bool {
        std::mem::replace(&mut self.seeks, false)
    }

    /// Whether something can be opened now that was left closed.
    pub(super) fn take_openable(&mut self, ring: &Keyring) -> bool {
        let before = self.sought.len();
        self.sought.retain(|key| !ring.knows(*key));
        let was_left = ring.is_keyed() && std::mem::replace(&mut self.has_left_closed, false);
        was_left || self.sought.len() < before
    }

    /// Notes that a key is not here.
    pub(super) fn seek(&mut self, envelope: &str) {
        if let Ok(Header { key_id, .. }) = Header::of(envelope)
            && !self.sought.contains(&key_id)
        {
            self.sought.push_back(key_id);
            self.sought.drain(..self.sought.len().saturating_sub(MOST_UNKNOWN));
            self.seeks = true;
        }
    }

    /// Lets the keys be asked for again that nobody knew.
    pub(super) fn seek_again(&mut self) {
        self.seeks |= !self.sought.is_empty();
    }

    pub(super) fn open(&mut self, ring: &Keyring, item: &LiveItem, now: Duration) -> Opening {
        if kept_keys_of(&item.message).is_some() {
            return Opening::Nothing;
        }
        let Some(sealed) = envelope_of(&item.message) else { return self.open_clear(item) };
        self.versions.saw_sealed(item.id);
        if !ring.is_keyed() {
            self.has_left_closed = true;
            return Opening::Closed;
        }
        let Some(inside) = self.inside(ring, item, &sealed, now) else {
            // What is no version of an item takes nothing away that is known here (E3).
            let is_known = self.versions.find(item.id).is_some();
            return if is_known { Opening::Nothing } else { Opening::Closed };
        };
        if self.versions.came(&sealed, &inside) {
            Opening::Item(inside.shown(item))
        } else {
            Opening::Nothing
        }
    }

    fn open_clear(&mut self, item: &LiveItem) -> Opening {
        // Whoever shares it again in clear text is no device of the beam.
        if self.versions.is_sealed(item.id) {
            return Opening::Nothing;
        }
        self.versions.saw_clear(item.id);
        Opening::Item(clear_item(item))
    }

    /// What is inside the envelope of an item; `None` where it does not open, or is not that item.
    fn inside(
        &mut self,
        ring: &Keyring,
        item: &LiveItem,
        sealed: &str,
        now: Duration,
    ) -> Option<SealedContent> {
        let is_that = |inside: &SealedContent| (inside.id, inside.to) == (item.id, item.to);
        // Whoever knows the id of the beam can have everything asked for again, as often as they like (E4).
        let known = self.versions.find(item.id).filter(|known| known.sealed == sealed);
        if let Some(known) = known {
            return Some(known.content.clone()).filter(is_that);
        }
        let envelope = without_copy(sealed);
        match ring.open(Kind::ShareClipboard, envelope, now) {
            Reading::Open(opened) => {
                let inside: SealedContent = serde_json::from_slice(&opened.content).ok()?;
                Some(inside).filter(is_that)
            }
            Reading::Unknown => {
                self.seek(envelope);
                None
            }
            Reading::Past | Reading::Broken => None,
        }
    }

    /// Whether a deletion of a sealed item counts: a device of the beam has proved it, and not before.
    pub(super) fn is_proven(
        &mut self,
        ring: &Keyring,
        id: ItemId,
        proof: Option<&str>,
        now: Duration,
    ) -> bool {
        let Some(proof) = proof else { return false };
        match ring.open(Kind::DeleteNote, proof, now) {
            Reading::Open(opened) => {
                let named: Option<SealedDeletion> = serde_json::from_slice(&opened.content).ok();
                named.is_some_and(|named| named.id == id) && self.versions.proves(id, opened.header)
            }
            Reading::Unknown => {
                self.seek(proof);
                false
            }
            Reading::Past | Reading::Broken => false,
        }
    }

    /// The message of an item as this device shares it: the same one when it was sealed before. `None` before it has been let in.
    pub(super) fn seal(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        shared: Shared<'_>,
    ) -> Option<Json> {
        let Shared { id, message, extra, to } = shared;
        let content = SealedContent {
            id,
            from,
            extra: extra.to_owned(),
            message: message.clone(),
            to,
            was_clear: self.versions.was_clear(id),
        };
        if let Some(before) = self.versions.sealed_before(&content) {
            return json(before);
        }
        let text = serde_json::to_vec(&content).ok()?;
        let sealed = with_copy(ring.seal(Kind::ShareClipboard, &text).ok()?, message);
        let message = json(&sealed);
        self.versions.went(sealed, content);
        message
    }

    /// What proves that this device deletes an item.
    pub(super) fn prove(ring: &mut Keyring, id: ItemId) -> Option<String> {
        let content = serde_json::to_vec(&SealedDeletion { id }).ok()?;
        ring.seal(Kind::DeleteNote, &content).ok()
    }
}

/// An item that this device shares.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) id: ItemId,
    pub(super) message: &'a Json,
    pub(super) extra: &'a str,
    pub(super) to: Option<DeviceId>,
}

/// An item that nobody has sealed.
pub(super) fn clear_item(item: &LiveItem) -> Item {
    Item {
        id: item.id,
        seq: item.seq,
        from: item.from,
        at: item.at,
        extra: item.extra.clone(),
        message: item.message.clone(),
        to: item.to,
        is_clear: true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use heliograph_shared::time::Millis;

    use super::*;

    #[test]
    fn e4_what_was_opened_is_not_opened_again_when_the_server_sends_it_again() {
        let mut byte = 0;
        let mut random = move |bytes: &mut [u8]| {
            byte += 1;
            bytes.fill(byte);
        };
        let (mut ring, other) = (Keyring::make(&mut random), Keyring::make(&mut random));
        let (id, from) = (ItemId::from_random([1; 16]), DeviceId::from_bytes([2; 16]));
        let mut sealed = |text: &str| {
            let message = json(text).unwrap();
            let shared = Shared { id, message: &message, extra: "text", to: None };
            let message = OpenedItems::default().seal(&mut ring, from, shared).unwrap();
            let (seq, at, extra) = (1, Millis::new(1), "text".to_owned());
            LiveItem { id, seq, from, at, extra, message, to: None }
        };
        let (first, second) = (sealed("Oat milk"), sealed("two lemons"));
        let mut items = OpenedItems::default();
        assert!(matches!(items.open(&ring, &first, Duration::ZERO), Opening::Item(_)));
        // With keys that open nothing of it.
        let again = items.open(&other, &first, Duration::ZERO);
        assert!(matches!(again, Opening::Item(item) if item.text().as_deref() == Some("Oat milk")));
        assert!(matches!(items.open(&other, &second, Duration::ZERO), Opening::Nothing));
    }
}
