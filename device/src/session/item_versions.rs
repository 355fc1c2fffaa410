//! The versions of sealed items that this device has seen. An item is sealed once, and what the server sends again of earlier times
//! counts no more: a version that was replaced, or the proof of a deletion that was used (E3, E4).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use heliograph_shared::e2ee::envelope::{Header, PAGE_BYTES, PREFIX};
use heliograph_shared::ids::ItemId;

use super::item::{SealedContent, without_copy};

/// Of deleted items, so many bytes of content are kept, those that were deleted last: an Undo shares them again as they were. A device
/// that runs for months would else hold everything that was ever shared.
const DELETED_BYTES: usize = 8 << 20;

/// A version of an item, as it went or came.
pub(super) struct Version {
    /// The message as the server has it.
    pub(super) sealed: String,
    pub(super) content: SealedContent,
    /// The header of the last message of the item that the server has sent; `None` for none.
    came: Option<Name>,
}

/// Names an envelope: no other has the page and the number.
type Name = ([u8; PAGE_BYTES], u64);

#[derive(Default)]
pub(super) struct ItemVersions {
    versions: BTreeMap<ItemId, Version>,
    /// The items that are sealed, opened or not.
    sealed: BTreeSet<ItemId>,
    /// The items that came in clear text, and that no other device has sealed since.
    clear: BTreeSet<ItemId>,
    /// Envelopes that came, and were replaced by others that came: each with how many were replaced before it.
    replaced: BTreeMap<Name, usize>,
    /// Proofs of deletions that were used.
    proofs: BTreeSet<Name>,
    /// The items that a device of the beam has deleted, as is proven.
    deleted: BTreeSet<ItemId>,
    /// Those whose content is still here, in the order in which they were deleted, each with its bytes.
    undoable: VecDeque<(ItemId, usize)>,
    undoable_bytes: usize,
}

impl ItemVersions {
    pub(super) fn find(&self, id: ItemId) -> Option<&Version> {
        self.versions.get(&id)
    }

    /// An envelope of the item was here, whether it opens or not.
    pub(super) fn saw_sealed(&mut self, id: ItemId) {
        self.sealed.insert(id);
    }

    pub(super) fn is_sealed(&self, id: ItemId) -> bool {
        self.sealed.contains(&id)
    }

    /// The item came in clear text: where this device seals it, it stays one that the server could have made up.
    pub(super) fn saw_clear(&mut self, id: ItemId) {
        self.clear.insert(id);
    }

    pub(super) fn was_clear(&self, id: ItemId) -> bool {
        self.clear.contains(&id)
    }

    /// The message of a content that this item has already; `None` where it has another one.
    pub(super) fn sealed_before(&self, content: &SealedContent) -> Option<&str> {
        let known = self.versions.get(&content.id)?;
        // What nobody else has got is of this device, also when it has another id now.
        let is_of_it = known.came.is_some() || known.content.from == content.from;
        (is_of_it && known.content.says_the_same(content)).then_some(&known.sealed)
    }

    /// This device has sealed a version.
    pub(super) fn went(&mut self, sealed: String, content: SealedContent) {
        let id = content.id;
        self.sealed.insert(id);
        self.deleted.remove(&id);
        let came = self.versions.get(&id).and_then(|known| known.came);
        self.versions.insert(id, Version { sealed, content, came });
    }

    /// The server has sent a version. Returns whether it counts, and was not put back.
    pub(super) fn came(&mut self, sealed: &str, content: &SealedContent) -> bool {
        let id = content.id;
        let Some(name) = name_of(sealed) else { return false };
        let before = self.versions.get(&id).and_then(|known| known.came);
        let is_past = self.replaced.contains_key(&name) || is_sealed_before(name, before);
        if is_past && self.versions.contains_key(&id) {
            return false;
        }
        self.deleted.remove(&id);
        if let Some(before) = before.filter(|before| *before != name) {
            let count = self.replaced.len();
            self.replaced.insert(before, count);
        }
        let version =
            Version { sealed: sealed.to_owned(), content: content.clone(), came: Some(name) };
        self.versions.insert(id, version);
        if content.was_clear {
            self.clear.insert(id);
        } else {
            self.clear.remove(&id);
        }
        true
    }

    /// How many versions were replaced here until now.
    pub(super) fn replaced(&self) -> usize {
        self.replaced.len()
    }

    /// Whether a version of an item is certainly older than the one that counts here: its page has sealed both, or it came, and was
    /// replaced after so many others. Of what was replaced before, another device may say that it replaced the other one.
    pub(super) fn is_past(&self, id: ItemId, version: &str, since: usize) -> bool {
        let Some(name) = name_of(&format!("{PREFIX}{version}")) else { return false };
        let came = self.versions.get(&id).and_then(|known| known.came);
        self.replaced.get(&name).is_some_and(|at| *at >= since) || is_sealed_before(name, came)
    }

    /// A right proof of a deletion has come. Returns whether it is new: after an Undo, the server could use it again.
    pub(super) fn proves(&mut self, id: ItemId, proof: Header) -> bool {
        let is_new = self.proofs.insert((proof.page, proof.number));
        if is_new {
            self.deleted(id);
        }
        is_new
    }

    /// A device of the beam has deleted the item, perhaps this one.
    pub(super) fn deleted(&mut self, id: ItemId) {
        if !self.deleted.insert(id) {
            return;
        }
        if let Some(version) = self.versions.get(&id) {
            let bytes = version.sealed.len() + version.content.message.get().len();
            self.undoable.push_back((id, bytes));
            self.undoable_bytes += bytes;
        }
        while self.undoable_bytes > DELETED_BYTES
            && let Some((oldest, bytes)) = self.undoable.pop_front()
        {
            self.undoable_bytes -= bytes;
            // It may have been shared again since.
            if self.deleted.contains(&oldest) {
                self.versions.remove(&oldest);
            }
        }
    }

    pub(super) fn is_deleted(&self, id: ItemId) -> bool {
        self.deleted.contains(&id)
    }
}

/// Characters of the header behind what every envelope begins with.
const HEADER_CHARACTERS: usize = 44;

/// Names a version of an item for other devices (E14).
pub(super) fn version_of(sealed: &str) -> String {
    sealed.chars().skip(PREFIX.len()).take(HEADER_CHARACTERS).collect()
}

/// Whether the page that sealed one envelope has sealed another since: the server has held it back.
fn is_sealed_before(name: Name, other: Option<Name>) -> bool {
    other.is_some_and(|other| other.0 == name.0 && name.1 < other.1)
}

fn name_of(sealed: &str) -> Option<Name> {
    let header = Header::of(without_copy(sealed)).ok()?;
    Some((header.page, header.number))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use heliograph_shared::ids::DeviceId;

    use super::*;
    use crate::session::outbox::json;

    #[test]
    fn of_what_was_deleted_the_latest_is_kept_for_an_undo_and_what_is_there_stays() {
        let mut versions = ItemVersions::default();
        let id = |number: u8| ItemId::from_random([number; 16]);
        let message = json(&"x".repeat(DELETED_BYTES / 4)).unwrap();
        for number in 0..9 {
            let from = DeviceId::from_bytes([1; 16]);
            let (extra, message) = ("text".to_owned(), message.clone());
            let (to, was_clear) = (None, false);
            let content = SealedContent { id: id(number), from, extra, message, to, was_clear };
            versions.went(String::new(), content);
            if number > 0 {
                versions.deleted(id(number));
            }
        }
        let kept: Vec<u8> = (0..9).filter(|n| versions.find(id(*n)).is_some()).collect();
        assert_eq!(kept, [0, 6, 7, 8]);
        assert!(versions.is_deleted(id(1)) && versions.is_sealed(id(1)));
    }
}
