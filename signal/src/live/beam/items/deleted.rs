//! The items that were deleted last. One that comes back unchanged is as it was before (S9).

use std::collections::VecDeque;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::MAX_LIVE_ITEMS;
use heliograph_shared::socket::LiveItem;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;

use crate::live::beam::content::ContentDigest;

/// As many as an unsaved beam holds.
const MOST_DELETED: usize = MAX_LIVE_ITEMS;

/// The latest deleted items, the latest last.
#[derive(Debug, Default)]
pub(super) struct DeletedItems(VecDeque<Deleted>);

impl DeletedItems {
    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Remembers an item. The earliest one makes way.
    pub fn push(&mut self, item: &LiveItem, author: Option<AccountId>) {
        if self.0.len() == MOST_DELETED {
            self.0.pop_front();
        }
        self.0.push_back(Deleted::of(item, author));
    }

    /// Forgets an item, which is here again.
    pub fn forget(&mut self, id: ItemId) {
        self.0.retain(|deleted| deleted.id != id);
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Gives an item that was deleted and comes back unchanged its time and its device. Returns its author, which of any
    /// other item is `sharer`.
    pub fn recall(&self, item: &mut LiveItem, sharer: Option<AccountId>) -> Option<AccountId> {
        let Some(deleted) = self.0.iter().find(|deleted| deleted.is(item)) else {
            return sharer;
        };
        (item.from, item.at) = (deleted.from, deleted.at);
        deleted.author
    }
}

/// What an item that was deleted and comes back unchanged gets back.
#[derive(Debug)]
struct Deleted {
    id: ItemId,
    extra: String,
    digest: ContentDigest,
    from: DeviceId,
    at: Millis,
    author: Option<AccountId>,
}

impl Deleted {
    fn of(item: &LiveItem, author: Option<AccountId>) -> Self {
        let LiveItem { id, from, at, .. } = *item;
        let digest = ContentDigest::of(&item.message);
        Self { id, extra: item.extra.clone(), digest, from, at, author }
    }

    fn is(&self, item: &LiveItem) -> bool {
        self.id == item.id
            && self.extra == item.extra
            && self.digest == ContentDigest::of(&item.message)
    }
}
