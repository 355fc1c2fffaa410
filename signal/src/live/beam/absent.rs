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
pub(super) struct AbsentDeletions(VecDeque<(ItemId, Option<String>)>);

impl AbsentDeletions {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What the proofs take, in bytes.
    pub fn proof_bytes(&self) -> usize {
        self.0.iter().filter_map(|(_, proof)| proof.as_ref()).map(String::len).sum()
    }

    /// Remembers a deletion. The earliest one makes way.
    pub fn push(&mut self, id: ItemId, proof: Option<&str>) {
        self.forget(id);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        let proof = proof.filter(|proof| proof.len() <= MOST_PROOF_BYTES).map(ToOwned::to_owned);
        self.0.push_back((id, proof));
    }

    /// The item is here again, as by an Undo.
    pub fn forget(&mut self, id: ItemId) {
        self.0.retain(|(other, _)| *other != id);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn has(&self, id: ItemId) -> bool {
        self.0.iter().any(|(other, _)| *other == id)
    }

    /// What proves the deletion of an item.
    pub fn proof(&self, id: ItemId) -> Option<&String> {
        let found = self.0.iter().find(|(other, _)| *other == id);
        found.and_then(|(_, proof)| proof.as_ref())
    }
}
