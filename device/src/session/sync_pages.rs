//! Joins the pages of one `sync` (S11) with the changes that arrive between them: the later one in the server's order wins.

use heliograph_shared::ids::ItemId;
use heliograph_shared::json::Json;
use heliograph_shared::socket::{LiveItem, SyncPage};

use super::item::ContentHash;

#[derive(Default)]
pub(super) struct SyncPages {
    /// Each with the hash of its content.
    items: Vec<(LiveItem, ContentHash)>,
    /// Deletions that were asked for before the `sync` was.
    pub(super) told_before: Vec<ItemId>,
}

impl SyncPages {
    pub(super) fn new(told_before: Vec<ItemId>) -> Self {
        Self { items: Vec::new(), told_before }
    }

    pub(super) fn add(&mut self, page: &SyncPage) {
        for item in &page.items {
            self.received(item.clone());
        }
    }

    pub(super) fn received(&mut self, item: LiveItem) {
        self.items.retain(|(one, _)| one.id != item.id);
        let content = ContentHash::of(&item.message);
        self.items.push((item, content));
    }

    /// Without an id, every item of that content is deleted (S10).
    pub(super) fn deleted(&mut self, id: Option<ItemId>, message: &Json) {
        let Some(id) = id else {
            let named = ContentHash::of(message);
            return self.items.retain(|(_, content)| *content != named);
        };
        self.items.retain(|(item, _)| item.id != id);
    }

    pub(super) fn into_items(self) -> Vec<LiveItem> {
        self.items.into_iter().map(|(item, _)| item).collect()
    }
}
