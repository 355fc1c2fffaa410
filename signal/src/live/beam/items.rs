//! The items of a live beam: bounded in memory, in one order (S7 to S11, S17, S22).

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::mem;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{
    MAX_LIVE_BYTES, MAX_LIVE_ITEMS, MAX_NOTES, MAX_NOTES_BYTES, SYNC_PAGE_BYTES, SYNC_PAGE_ITEMS,
};
use heliograph_shared::socket::{Held, Json, LiveItem, SyncPage};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;

use super::content::ContentDigest;
use super::recovery::{Findings, Recovery};
use crate::budget::{Share, Spent};

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

/// The deleted items that may come back as they were: as many as an unsaved beam holds.
const MOST_DELETED: usize = MAX_LIVE_ITEMS;

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
    /// The latest deleted items, the latest last.
    deleted: VecDeque<Deleted>,
    bytes: usize,
    last_seq: u64,
    /// The last sequence number that may have been dropped for lack of room.
    let_go: u64,
    /// How many items were dropped for lack of room.
    dropped: u64,
    /// What devices still know of earlier memories of the beam.
    recovery: Recovery,
}

/// What some of the items take.
struct Taken {
    items: usize,
    bytes: usize,
}

impl Taken {
    fn by<'a>(kept: impl Iterator<Item = &'a Kept>) -> Self {
        let nothing = Self { items: 0, bytes: 0 };
        kept.fold(nothing, |Self { items, bytes }, kept| Self {
            items: items + 1,
            bytes: bytes + kept.bytes(),
        })
    }
}

#[derive(Debug)]
struct Kept {
    item: LiveItem,
    /// The account that shared it, if the device was logged in.
    author: Option<AccountId>,
    /// Computed at the first comparison: most items are never compared.
    digest: OnceCell<ContentDigest>,
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
    fn of(Kept { item, author, .. }: &Kept) -> Self {
        let LiveItem { id, from, at, .. } = *item;
        let digest = ContentDigest::of(&item.message);
        Self { id, extra: item.extra.clone(), digest, from, at, author: *author }
    }

    fn is(&self, item: &LiveItem) -> bool {
        self.id == item.id
            && self.extra == item.extra
            && self.digest == ContentDigest::of(&item.message)
    }
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
            deleted: VecDeque::new(),
            bytes: 0,
            last_seq,
            let_go: last_seq,
            dropped: 0,
            recovery: Recovery::after(last_seq),
        }
    }

    /// The stored items of a saved or kept beam, oldest first. The next sequence number is `last_seq` + 1.
    ///
    /// # Errors
    /// [`Spent`] when the server has no memory for them.
    pub fn stored(
        notes: impl IntoIterator<Item = (LiveItem, Option<AccountId>)>,
        last_seq: u64,
        room: Share,
    ) -> Result<Self, Spent> {
        let mut items = Self { keeping: Keeping::All, last_seq, ..Self::none(room) };
        for (item, author) in notes {
            items.push(item, author);
        }
        items.reserve(0, 0)?;
        Ok(items)
    }

    /// An empty share of the memory from which the items take theirs.
    pub fn no_room(&self) -> Share {
        self.room.another()
    }

    /// Takes over what is stored. What was dropped earlier stays dropped: it must not look deleted (S11). Items for one
    /// device are not stored (S33), so they stay while there is memory.
    pub fn take_over(&mut self, stored: Self) {
        let is_for_one = |kept: &Kept| kept.item.to.is_some();
        let for_one: Vec<_> = mem::take(&mut self.kept).into_iter().filter(is_for_one).collect();
        *self = Self { let_go: self.let_go, ..stored };
        for Kept { item, author, .. } in for_one {
            if self.reserve(1, bytes_of(&item)).is_ok() {
                self.last_seq = self.last_seq.max(item.seq);
                self.push(item, author);
            }
        }
        self.kept.make_contiguous().sort_by_key(|kept| kept.item.seq);
    }

    /// Stops dropping items for lack of room.
    pub fn keep_all(&mut self) {
        self.keeping = Keeping::All;
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

    /// Whether a saved or kept beam has room for an item for everybody. An edit frees the room of the old content, and one
    /// that does not grow always fits. Items for one device take none of this room: who owns the beam could not delete them.
    pub fn has_room_for(&self, item: &LiveItem) -> bool {
        let bytes = bytes_of(item);
        let taken = Taken::by(self.kept.iter().filter(|kept| kept.item.to.is_none()));
        match self.position(item.id).map(|at| self.kept[at].bytes()) {
            Some(old) => bytes <= old || taken.bytes - old + bytes <= MAX_NOTES_BYTES,
            None => taken.items < MAX_NOTES && taken.bytes + bytes <= MAX_NOTES_BYTES,
        }
    }

    /// Takes the memory that a saved beam needs for an item before it is stored.
    ///
    /// # Errors
    /// [`Spent`] when the server has none.
    pub fn reserve_for(&mut self, item: &LiveItem) -> Result<(), Spent> {
        let bytes = bytes_of(item);
        match self.position(item.id).map(|at| self.kept[at].bytes()) {
            Some(old) => self.reserve(0, bytes.saturating_sub(old)),
            None => self.reserve(1, bytes),
        }
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

    /// Gives an item that was deleted and comes back unchanged its time and its device. Returns its author, which of any
    /// other item is `sharer`.
    pub fn recall(&self, item: &mut LiveItem, sharer: Option<AccountId>) -> Option<AccountId> {
        let Some(deleted) = self.deleted.iter().find(|deleted| deleted.is(item)) else {
            return sharer;
        };
        (item.from, item.at) = (deleted.from, deleted.at);
        deleted.author
    }

    /// Adds or replaces an item and sets its sequence number. A replaced item keeps its author.
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
        let author = match &old {
            Some(old) => old.author,
            None => self.recall(&mut item, author),
        };
        self.deleted.retain(|deleted| deleted.id != item.id);
        self.push(item.clone(), author);
        self.make_room();
        match old {
            Some(old) => Shared::Replaced { old: old.item.message, new: item },
            None => Shared::New(item),
        }
    }

    /// Compares what a device holds of earlier memories with what is here (S28).
    pub fn compare(&mut self, held: &Held) -> Findings {
        let here = self.kept.iter().map(|kept| (kept.item.id, kept.item.seq)).collect();
        let mut findings = self.recovery.compare(held, &here);
        if self.reserve(0, 0).is_err() {
            self.recovery.give_up();
            findings.wanted.clear();
        }
        findings
    }

    /// Takes back an item of an earlier memory, if it is wanted: with its number, and so in its old place.
    pub fn restore(&mut self, item: LiveItem) -> Option<Shared> {
        if !self.recovery.wants(item.id, item.seq) {
            return None;
        }
        self.recovery.settle(item.id);
        let newer = self.find(item.id).is_some_and(|(here, _)| here.seq > item.seq);
        let place = self.kept.partition_point(|kept| kept.item.seq < item.seq);
        let is_taken = self.kept.get(place).is_some_and(|kept| kept.item.seq == item.seq);
        if newer || is_taken {
            return None;
        }
        let old = self.position(item.id).and_then(|at| self.remove(at));
        let place = self.kept.partition_point(|kept| kept.item.seq < item.seq);
        let kept = Kept { item: item.clone(), author: None, digest: OnceCell::new() };
        self.bytes += kept.bytes();
        self.kept.insert(place, kept);
        self.make_room();
        Some(match old {
            Some(old) => Shared::Replaced { old: old.item.message, new: item },
            None => Shared::New(item),
        })
    }

    /// An item that was to come back was deleted.
    pub fn no_longer_want(&mut self, id: ItemId) {
        self.recovery.settle(id);
    }

    /// Removes an item and returns it. It is remembered for a while, because its deletion may be undone.
    pub fn delete(&mut self, id: ItemId) -> Option<LiveItem> {
        self.recovery.settle(id);
        let kept = self.position(id).and_then(|at| self.remove(at))?;
        if self.deleted.len() == MOST_DELETED {
            self.deleted.pop_front();
        }
        self.deleted.push_back(Deleted::of(&kept));
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
            oldest: self.let_go + 1,
            dropped: self.dropped,
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
        self.kept.push_back(kept);
    }

    fn remove(&mut self, at: usize) -> Option<Kept> {
        let kept = self.kept.remove(at)?;
        self.bytes -= kept.bytes();
        self.room.shrink(self.room.bytes().saturating_sub(self.needed(0, 0)));
        Some(kept)
    }

    /// Memory for what is here and for so much more, in bytes.
    fn needed(&self, more_items: usize, more_bytes: usize) -> usize {
        let records = self.kept.len() + self.deleted.len() + self.recovery.wanted() + more_items;
        self.bytes + more_bytes + records * RECORD_BYTES
    }

    /// Takes memory for so much more. The deleted items give theirs up first.
    fn reserve(&mut self, more_items: usize, more_bytes: usize) -> Result<(), Spent> {
        self.grow_for(more_items, more_bytes).or_else(|Spent| {
            self.deleted.clear();
            self.grow_for(more_items, more_bytes)
        })
    }

    fn grow_for(&mut self, more_items: usize, more_bytes: usize) -> Result<(), Spent> {
        match self.needed(more_items, more_bytes).checked_sub(self.room.bytes()) {
            None | Some(0) => Ok(()),
            Some(missing) => self.room.grow(missing),
        }
    }

    /// Drops the oldest items for one device of a saved or kept beam until the others fit. The newest one always does.
    fn make_room_for_one(&mut self) {
        let is_for_one = |kept: &&Kept| kept.item.to.is_some();
        let mut taken = Taken::by(self.kept.iter().filter(is_for_one));
        while taken.items > 1 && (taken.items > MAX_FOR_ONE || taken.bytes > MAX_FOR_ONE_BYTES) {
            let oldest = self.kept.iter().position(|kept| kept.item.to.is_some());
            let Some(oldest) = oldest.and_then(|at| self.remove(at)) else { return };
            taken = Taken { items: taken.items - 1, bytes: taken.bytes - oldest.bytes() };
            // The two devices keep theirs.
            self.let_go = self.let_go.max(oldest.item.seq);
        }
    }

    fn make_room(&mut self) {
        if self.keeping == Keeping::All {
            return self.make_room_for_one();
        }
        while self.kept.len() > MAX_LIVE_ITEMS
            || self.bytes > MAX_LIVE_BYTES
            || self.reserve(0, 0).is_err()
        {
            let Some(oldest) = self.remove(0) else { return };
            self.dropped += 1;
            if self.recovery.is_earlier(oldest.item.seq) {
                self.recovery.drop_to(oldest.item.seq);
            } else {
                self.let_go = oldest.item.seq;
            }
        }
    }
}

/// Whether a device may see an item: everybody may see one without an addressee (S33).
pub(super) fn may_see(item: &LiveItem, device: DeviceId) -> bool {
    item.to.is_none_or(|to| to == device || item.from == device)
}

fn bytes_of(item: &LiveItem) -> usize {
    item.message.get().len() + item.extra.len()
}
