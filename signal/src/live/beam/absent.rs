//! Items that devices have deleted while they were not here (S28). After a restart, a device that was not told may hold one still,
//! and would bring it back.

use std::collections::VecDeque;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::MAX_LIVE_ITEMS;

/// As many as an unsaved beam holds.
const MOST: usize = MAX_LIVE_ITEMS;
/// Most bytes that are kept of what proves a deletion (E4). An envelope with an id in it takes half of that.
const MOST_PROOF_BYTES: usize = 1024;

/// The latest of them, each with what proves its deletion, the latest last.
#[derive(Debug, Default)]
pub(super) struct AbsentDeletions {
    deletions: VecDeque<(ItemId, Option<String>)>,
    proof_bytes: usize,
}

impl AbsentDeletions {
    pub fn len(&self) -> usize {
        self.deletions.len()
    }

    /// What the proofs take, in bytes.
    pub const fn proof_bytes(&self) -> usize {
        self.proof_bytes
    }

    /// Remembers a deletion. The earliest one makes way.
    pub fn push(&mut self, id: ItemId, proof: Option<&str>) {
        self.forget(id);
        if self.deletions.len() == MOST {
            self.forget_first();
        }
        let proof = proof.filter(|proof| proof.len() <= MOST_PROOF_BYTES).map(ToOwned::to_owned);
        self.proof_bytes += proof.as_ref().map_or(0, String::len);
        self.deletions.push_back((id, proof));
    }

    /// The item is here again, as by an Undo.
    pub fn forget(&mut self, id: ItemId) {
        self.deletions.retain(|(other, _)| *other != id);
        let proofs = self.deletions.iter().filter_map(|(_, proof)| proof.as_ref());
        self.proof_bytes = proofs.map(String::len).sum();
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn has(&self, id: ItemId) -> bool {
        self.deletions.iter().any(|(other, _)| *other == id)
    }

    /// What proves the deletion of an item.
    pub fn proof(&self, id: ItemId) -> Option<&String> {
        let found = self.deletions.iter().find(|(other, _)| *other == id);
        found.and_then(|(_, proof)| proof.as_ref())
    }

    fn forget_first(&mut self) {
        if let Some((first, _)) = self.deletions.front() {
            self.forget(*first);
        }
    }
}
