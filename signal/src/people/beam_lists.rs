//! A cache of the lists of beams, which every page of a logged-in user asks for again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use heliograph_storage::accounts::AccountId;

/// Most bytes in the cache.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The cached lists by owner, all of one revision (`Storage::revision_of_beam_lists`).
#[derive(Debug, Default)]
pub struct BeamLists(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    revision: u64,
    lists: HashMap<AccountId, Bytes>,
    bytes: usize,
}

impl BeamLists {
    /// The cached body for this account, if nothing has changed since.
    #[must_use]
    pub fn find(&self, owner: AccountId, revision: u64) -> Option<Bytes> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (known.revision == revision).then(|| known.lists.get(&owner).cloned()).flatten()
    }

    /// Caches a body that was read at this revision.
    pub fn remember(&self, owner: AccountId, revision: u64, body: &Bytes) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.revision != revision || known.bytes + body.len() > MOST_BYTES {
            *known = Known { revision, ..Known::default() };
        }
        known.bytes += body.len();
        known.lists.insert(owner, body.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_until_something_changes() {
        let (lists, ada) = (BeamLists::default(), AccountId::from_random([1; 16]));
        lists.remember(ada, 1, &Bytes::from_static(b"[1]"));
        assert_eq!(lists.find(ada, 1).as_deref(), Some(&b"[1]"[..]));
        assert_eq!(lists.find(ada, 2), None);
        lists.remember(ada, 2, &Bytes::from_static(b"[2]"));
        assert_eq!(lists.find(ada, 2).as_deref(), Some(&b"[2]"[..]));
        assert_eq!(lists.find(ada, 1), None);
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let lists = BeamLists::default();
        let half = Bytes::from(vec![0; MOST_BYTES / 2]);
        for number in 0..3 {
            lists.remember(AccountId::from_random([number; 16]), 1, &half);
        }
        assert_eq!(lists.find(AccountId::from_random([0; 16]), 1), None);
        assert_eq!(lists.find(AccountId::from_random([2; 16]), 1), Some(half));
    }
}
