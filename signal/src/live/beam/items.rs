//! The items of a live beam: bounded in memory, in one order (S7 to S11, S17, S22).

mod deleted;
mod past;
mod returning;
mod room;

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::mem;
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{SYNC_PAGE_BYTES, SYNC_PAGE_ITEMS};
use heliograph_shared::socket::{Json, LiveItem, SyncPage};
use heliograph_storage::accounts::AccountId;

use self::deleted::DeletedItems;
pub use self::past::Past;
use super::content::ContentDigest;
use super::earlier::Earlier;
use super::recovery::Recovery;
use crate::budget::{Share, Spent};

/// How far a clock that is set back may leave earlier items ahead of it, for new ones to be dated after them. Clocks that
/// are kept in step jump by seconds.
const MOST_SET_BACK: Duration = Duration::from_mins(5);

/// The effect of sharing an item.
#[derive(Debug)]
pub enum Shared {
    /// The item is new.
    New(LiveItem),
    /// An item with this id and content exists. It stays as it was.
    Again(LiveItem),
    /// An item with this id had another content and was replaced.
    Replaced {
        /// The old content.
        old: Json,
        /// The item with its new content.
        new: LiveItem,
    },
}

/// The policy when another item does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// The oldest items are dropped: an unsaved beam (S17).
    #[default]
    Newest,
    /// The new item is refused, because all items are stored: a saved or kept beam (S22, S30).
    All,
}

/// Most items for one device in a saved or kept beam (S33).
pub(super) const MAX_FOR_ONE: usize = 500;
/// Most bytes of such items.
pub(super) const MAX_FOR_ONE_BYTES: usize = 2 * 1024 * 1024;

/// Bytes that an item takes beside its content: its record, and what the allocator adds. A deleted one takes no more.
const RECORD_BYTES: usize = 256;

/// The items, oldest first.
#[derive(Debug)]
pub struct Items {
    /// What they take of the server's memory.
    room: Share,
    keeping: Keeping,
    kept: VecDeque<Kept>,
    deleted: DeletedItems,
    bytes: usize,
    last_seq: u64,
    /// The last number of an item that may have been dropped for lack of room, or lost with an earlier memory.
    let_go: u64,
    /// The same of the items for one device (S33): the two devices keep theirs. No table knows of it.
    let_go_for_one: u64,
    /// How many items were dropped for lack of room.
    dropped: u64,
    /// What devices still know of earlier memories of the beam.
    recovery: Recovery,
    /// Counts what comes, changes and goes.
    revision: u64,
}

#[derive(Debug)]
struct Kept {
    item: LiveItem,
    /// The account that shared it, if the device was logged in.
    author: Option<AccountId>,
    /// Computed at the first comparison: most items are never compared.
    digest: OnceCell<ContentDigest>,
}

impl Kept {
    fn bytes(&self) -> usize {
        bytes_of(&self.item)
    }

    fn has_content(&self, digest: ContentDigest) -> bool {
        *self.digest.get_or_init(|| ContentDigest::of(&self.item.message)) == digest
    }
}

impl Items {
    /// No items yet. The memory of those to come is counted in this share.
    pub fn none(room: Share) -> Self {
        Self::none_after(0, room)
    }

    /// No items, after earlier memories of the beam whose numbers were at most `last_seq` (S28).
    pub fn none_after(last_seq: u64, room: Share) -> Self {
        Self {
            room,
            keeping: Keeping::Newest,
            kept: VecDeque::new(),
            deleted: DeletedItems::default(),
            bytes: 0,
            last_seq,
            let_go: last_seq,
            let_go_for_one: 0,
            dropped: 0,
            recovery: Recovery::after(last_seq, Vec::new()),
            revision: 0,
        }
    }

    /// The stored items of a saved or kept beam, oldest first. The next sequence number is `last_seq` + 1. Without an
    /// [`Earlier`], whatever is older than they are may live on devices.
    ///
    /// # Errors
    /// [`Spent`] when the server has no memory for them.
    pub fn stored(
        notes: impl IntoIterator<Item = (LiveItem, Option<AccountId>)>,
        earlier: Option<Earlier>,
        last_seq: u64,
        room: Share,
    ) -> Result<Self, Spent> {
        let mut items = Self { keeping: Keeping::All, last_seq, ..Self::none(room) };
        for (item, author) in notes {
            items.push(item, author);
        }
        let Earlier { let_go, known } = earlier.unwrap_or_else(|| {
            let first = items.kept.front().map_or(last_seq + 1, |kept| kept.item.seq);
            Earlier { let_go: first.saturating_sub(1), known: Vec::new() }
        });
        (items.let_go, items.recovery) = (let_go, Recovery::after(let_go, known));
        // Of what was let go no note may be stored.
        items.last_seq = last_seq.max(let_go);
        items.reserve(0, 0)?;
        Ok(items)
    }

    /// An empty share of the memory from which the items take theirs.
    pub fn no_room(&self) -> Share {
        self.room.another()
    }

    /// Takes over what is stored. What was dropped for lack of room still must not look deleted (S11). Items for one device
    /// are not stored (S33), so they stay while there is memory.
    pub fn take_over(&mut self, stored: Self) {
        let is_for_one = |kept: &Kept| kept.item.to.is_some();
        let for_one: Vec<_> = mem::take(&mut self.kept).into_iter().filter(is_for_one).collect();
        let (let_go_for_one, dropped) = (self.let_go_for_one, self.dropped);
        // The devices know the numbers of items that are not stored.
        let last_seq = self.last_seq.max(stored.last_seq);
        *self = Self { last_seq, let_go_for_one, dropped, ..stored };
        for Kept { item, author, .. } in for_one {
            if self.reserve(1, bytes_of(&item)).is_ok() {
                self.push(item, author);
            }
        }
        self.kept.make_contiguous().sort_by_key(|kept| kept.item.seq);
    }

    /// Stops dropping items for lack of room, and wants those back that were dropped.
    pub fn keep_all(&mut self) {
        if mem::replace(&mut self.keeping, Keeping::All) == Keeping::Newest {
            self.recovery.make_up_for(self.let_go);
        }
    }

    /// Drops the oldest items for lack of room from now on.
    pub fn keep_newest(&mut self) {
        self.keeping = Keeping::Newest;
        self.make_room();
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Every item with its author, oldest first.
    pub fn all(&self) -> impl Iterator<Item = (&LiveItem, Option<AccountId>)> {
        self.kept.iter().map(|kept| (&kept.item, kept.author))
    }

    /// The next sequence number.
    pub fn next_seq(&self) -> u64 {
        self.last_seq + 1
    }

    /// Whether an item with this id and this content exists.
    pub fn has(&self, item: &LiveItem) -> bool {
        self.position(item.id).is_some_and(|at| self.is_same(at, item))
    }

    /// The item with this id, and its author.
    pub fn find(&self, id: ItemId) -> Option<(&LiveItem, Option<AccountId>)> {
        self.position(id).map(|at| (&self.kept[at].item, self.kept[at].author))
    }

    /// The items whose content is an equal JSON value.
    pub fn with_content(&self, message: &Json) -> Vec<ItemId> {
        let digest = ContentDigest::of(message);
        let kept = self.kept.iter().filter(|kept| kept.has_content(digest));
        kept.map(|kept| kept.item.id).collect()
    }

    /// Dates an item that is not here: a new one is no older than any other, also when the server's clock was set back, by
    /// as much as [`MOST_SET_BACK`]; one that was deleted and comes back unchanged gets its time and its device. Returns its author, which of a new item is
    /// `sharer`.
    pub fn date(&self, item: &mut LiveItem, sharer: Option<AccountId>) -> Option<AccountId> {
        // What is dated later still was dated by a clock that was wrong once.
        let latest = item.at + MOST_SET_BACK;
        let newest = self.kept.iter().map(|kept| kept.item.at).filter(|at| *at <= latest).max();
        item.at = newest.map_or(item.at, |newest| newest.max(item.at));
        self.deleted.recall(item, sharer)
    }

    /// Adds or replaces an item and sets its sequence number. A replaced item keeps its author and its time (S9).
    pub fn share(&mut self, mut item: LiveItem, author: Option<AccountId>) -> Shared {
        let old = match self.position(item.id) {
            Some(at) if self.is_same(at, &item) => {
                return Shared::Again(self.kept[at].item.clone());
            }
            Some(at) => self.remove(at),
            None => None,
        };
        self.last_seq += 1;
        item.seq = self.last_seq;
        let author = if let Some(old) = &old {
            item.at = old.item.at;
            old.author
        } else {
            self.date(&mut item, author)
        };
        self.deleted.forget(item.id);
        self.recovery.shared(item.id);
        self.push(item.clone(), author);
        self.make_room();
        match old {
            Some(old) => Shared::Replaced { old: old.item.message, new: item },
            None => Shared::New(item),
        }
    }

    /// Removes an item and returns it. It is remembered for a while, because its deletion may be undone.
    pub fn delete(&mut self, id: ItemId) -> Option<LiveItem> {
        let at = self.position(id);
        self.recovery.settle_deleted(id, at.map(|at| self.kept[at].item.seq));
        let kept = at.and_then(|at| self.remove(at))?;
        self.deleted.push(&kept.item, kept.author);
        if self.reserve(0, 0).is_err() {
            self.deleted.clear();
        }
        Some(kept.item)
    }

    /// The items after this sequence number that a device may see, as many as fit a page.
    pub fn page(&self, epoch: &str, after: Option<u64>, device: DeviceId) -> SyncPage {
        let after = after.unwrap_or_default();
        let mut page = SyncPage {
            epoch: epoch.to_owned(),
            oldest: self.let_go.max(self.let_go_for_one) + 1,
            dropped: self.dropped + self.recovery.lacking(),
            items: Vec::new(),
            next: None,
        };
        let mut bytes = 0;
        let wanted = |kept: &&Kept| kept.item.seq > after && may_see(&kept.item, device);
        for kept in self.kept.iter().filter(wanted) {
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
        let Kept { item: there, .. } = &self.kept[at];
        there.extra == item.extra
            && (there.message.get() == item.message.get()
                || self.kept[at].has_content(ContentDigest::of(&item.message)))
    }

    fn push(&mut self, item: LiveItem, author: Option<AccountId>) {
        let kept = Kept { item, author, digest: OnceCell::new() };
        self.bytes += kept.bytes();
        self.revision += 1;
        self.kept.push_back(kept);
    }

    fn remove(&mut self, at: usize) -> Option<Kept> {
        let kept = self.kept.remove(at)?;
        self.bytes -= kept.bytes();
        self.revision += 1;
        self.room.shrink(self.room.bytes().saturating_sub(self.needed(0, 0)));
        Some(kept)
    }
}

/// Whether a device may see an item: everybody may see one without an addressee (S33).
pub(super) fn may_see(item: &LiveItem, device: DeviceId) -> bool {
    item.to.is_none_or(|to| to == device || item.from == device)
}

fn bytes_of(item: &LiveItem) -> usize {
    item.message.get().len() + item.extra.len()
}
