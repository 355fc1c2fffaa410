//! The live items of a beam: bounded memory in one order (S7 to S11, S17). Never on a disk.

use std::cell::OnceCell;
use std::collections::VecDeque;

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::{MAX_LIVE_BYTES, MAX_LIVE_ITEMS, SYNC_PAGE_BYTES, SYNC_PAGE_ITEMS};
use heliograph_shared::socket::{Json, LiveItem, SyncPage};

use super::content;

/// What an item became when it was shared.
#[derive(Debug)]
pub enum Shared {
    /// It is new.
    New(LiveItem),
    /// There was one with this id and this content; it stays as it was.
    Again(LiveItem),
    /// There was one with this id and this other content.
    Replaced {
        /// The content that is gone.
        old: Json,
        /// What stands in its place.
        new: LiveItem,
    },
}

/// The items, oldest first.
#[derive(Debug, Default)]
pub struct Items {
    kept: VecDeque<Kept>,
    bytes: usize,
    last_seq: u64,
    /// Everything up to this one may have been let go for want of room.
    let_go: u64,
}

#[derive(Debug)]
struct Kept {
    item: LiveItem,
    /// Made when a deletion first asks for it: most items are never compared.
    fingerprint: OnceCell<u64>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.item.message.get().len() + self.item.extra.len()
    }

    fn has_content(&self, message: &Json, fingerprint: u64) -> bool {
        let own = *self.fingerprint.get_or_init(|| content::fingerprint(&self.item.message));
        own == fingerprint && content::same(&self.item.message, message)
    }
}

impl Items {
    /// Shares an item; its place in the order is given here.
    pub fn share(&mut self, mut item: LiveItem) -> Shared {
        let old = match self.position(item.id) {
            Some(at) if self.is_same(at, &item) => {
                return Shared::Again(self.kept[at].item.clone());
            }
            Some(at) => self.remove(at),
            None => None,
        };
        self.last_seq += 1;
        item.seq = self.last_seq;
        let kept = Kept { item: item.clone(), fingerprint: OnceCell::new() };
        self.bytes += kept.bytes();
        self.kept.push_back(kept);
        self.make_room();
        match old {
            Some(old) => Shared::Replaced { old: old.message, new: item },
            None => Shared::New(item),
        }
    }

    /// Deletes one item and gives it back.
    pub fn delete(&mut self, id: ItemId) -> Option<LiveItem> {
        self.position(id).and_then(|at| self.remove(at))
    }

    /// Deletes every item whose content is an equal JSON value.
    pub fn delete_content(&mut self, message: &Json) {
        let fingerprint = content::fingerprint(message);
        self.kept.retain(|kept| !kept.has_content(message, fingerprint));
        self.bytes = self.kept.iter().map(Kept::bytes).sum();
    }

    /// The items after one, as many as fit a page.
    pub fn page(&self, epoch: &str, after: Option<u64>) -> SyncPage {
        let after = after.unwrap_or_default();
        let mut page = SyncPage {
            epoch: epoch.to_owned(),
            oldest: self.let_go + 1,
            items: Vec::new(),
            next: None,
        };
        let mut bytes = 0;
        for kept in self.kept.iter().filter(|kept| kept.item.seq > after) {
            bytes += kept.bytes();
            let is_full = page.items.len() == SYNC_PAGE_ITEMS || bytes > SYNC_PAGE_BYTES;
            if let Some(last) = page.items.last().filter(|_| is_full) {
                page.next = Some(last.seq);
                break;
            }
            page.items.push(kept.item.clone());
        }
        page
    }

    fn position(&self, id: ItemId) -> Option<usize> {
        self.kept.iter().position(|kept| kept.item.id == id)
    }

    fn is_same(&self, at: usize, item: &LiveItem) -> bool {
        let there = &self.kept[at].item;
        there.extra == item.extra && content::same(&there.message, &item.message)
    }

    fn remove(&mut self, at: usize) -> Option<LiveItem> {
        let kept = self.kept.remove(at)?;
        self.bytes -= kept.bytes();
        Some(kept.item)
    }

    fn make_room(&mut self) {
        while self.kept.len() > MAX_LIVE_ITEMS || self.bytes > MAX_LIVE_BYTES {
            let Some(oldest) = self.remove(0) else { return };
            self.let_go = oldest.seq;
        }
    }
}
