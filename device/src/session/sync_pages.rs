//! Joins the pages of one `sync` (S11) with the changes that arrive between them: the later one in the server's order wins.

use heliograph_shared::ids::ItemId;
use heliograph_shared::json::Json;
use heliograph_shared::socket::{LiveItem, SyncPage};

use super::item::equal;

#[derive(Default)]
pub(super) struct SyncPages {
    items: Vec<LiveItem>,
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
        self.items.retain(|one| one.id != item.id);
        self.items.push(item);
    }

    /// Without an id, every item of that content is deleted (S10).
    pub(super) fn deleted(&mut self, id: Option<ItemId>, message: &Json) {
        match id {
            Some(id) => self.items.retain(|item| item.id != id),
            None => self.items.retain(|item| !equal(&item.message, message)),
        }
    }

    pub(super) fn into_items(self) -> Vec<LiveItem> {
        self.items
    }
}
