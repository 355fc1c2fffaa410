//! What an unsaved beam remembers, on the bus: so it outlives the node that drives it. The state knows nothing of it: after
//! each input the task writes what has changed, before any device learns of it.

use std::collections::HashMap;
use std::time::Duration;

use heliograph_shared::ids::ItemId;
use heliograph_shared::socket::{LiveItem, Placed};
use heliograph_storage::accounts::AccountId;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use super::arrangement::Arrangement;
use super::items::{Items, Past};
use super::state::BeamState;
use crate::budget::Share;
use crate::bus::lease::{Lease, Lost};
use crate::bus::memory::{Change, Outcome, Remembered};

/// Pause between two tries to write what the bus lacks.
const RETRY: Duration = Duration::from_secs(1);

/// Everything but the items.
#[derive(Debug, Serialize, Deserialize)]
struct Rest {
    epoch: String,
    past: Past,
    places: Option<Vec<Placed>>,
}

/// An item with its author.
#[derive(Debug, Serialize, Deserialize)]
struct Entry<T> {
    item: T,
    author: Option<Uuid>,
}

/// A beam's memory, read.
#[derive(Debug)]
pub(super) struct Recalled {
    pub epoch: String,
    pub items: Items,
    pub arrangement: Arrangement,
}

/// Reads a memory; `None` when it is not one of ours, or an item of it cannot be read: under the same epoch, devices would
/// delete what is missing. The memory of the items is counted in this share, and the oldest ones go for which there is none (S17).
pub(super) fn recall(remembered: &Remembered, room: Share) -> Option<Recalled> {
    let Rest { epoch, past, places } = serde_json::from_str(&remembered.rest).ok()?;
    let read = |text: &String| {
        let Entry { item, author }: Entry<LiveItem> = serde_json::from_str(text).ok()?;
        Some((item, author.map(AccountId::from_uuid)))
    };
    let mut items = remembered.items.iter().map(read).collect::<Option<Vec<_>>>()?;
    items.sort_by_key(|(item, _)| item.seq);
    let items = Items::recalled(items, past, room);
    Some(Recalled { epoch, items, arrangement: Arrangement::stored(places) })
}

/// Follows what a beam remembers.
#[derive(Debug)]
pub(super) struct Memory {
    lease: Lease,
    /// What was written, if anything.
    written: Option<Written>,
    /// Whether the database says that the bus lacks something; `None` while it did not answer what it says now.
    marked: Option<bool>,
    /// When to try again to write what the bus lacks.
    retry_at: Instant,
}

#[derive(Debug)]
struct Written {
    revision: u64,
    past: Past,
    arrangement: Arrangement,
    items: HashMap<ItemId, u64>,
    /// What [`Lease::losses`] was.
    losses: u64,
    /// Whether the bus has all of it.
    is_there: bool,
}

/// What is to be written.
#[derive(Debug)]
pub(super) enum Behind {
    Nothing,
    /// The tables have it.
    Forget,
    Write(Change),
    /// The bus lacks it, and cannot take it now.
    Later,
}

impl Memory {
    /// Nothing is written yet.
    pub fn new(lease: Lease) -> Self {
        Self { lease, written: None, marked: Some(false), retry_at: Instant::now() }
    }

    /// What is to be written before the devices learn of the state.
    pub fn behind(&mut self, state: &BeamState) -> Behind {
        if !state.is_only_in_memory() {
            return if self.written.take().is_some() { Behind::Forget } else { Behind::Nothing };
        }
        let (losses, now) = (self.lease.losses(), Instant::now());
        let (revision, past) = (state.items.revision(), state.items.past());
        let known = self.written.as_ref();
        let known = known.filter(|written| written.losses == losses);
        if known.is_some_and(|written| {
            written.is_there
                && written.revision == revision
                && written.past == past
                && written.arrangement == state.arrangement
        }) {
            return Behind::Nothing;
        }
        let is_empty = state.items.is_empty() && !state.arrangement.is_shared();
        if is_empty && self.written.is_none() {
            // A beam in which nothing was shared has nothing to remember.
            return Behind::Nothing;
        }
        if self.lease.is_bus_gone() {
            self.retry_at = now + RETRY;
        }
        let is_later = now < self.retry_at;
        let change = (!is_later).then(|| change(state, known.filter(|written| written.is_there)));
        let items = match &change {
            Some(_) => state.items.all().map(|(item, _)| (item.id, item.seq)).collect(),
            None => HashMap::new(),
        };
        let arrangement = state.arrangement.clone();
        let is_there = false;
        self.written = Some(Written { revision, past, arrangement, items, losses, is_there });
        change.map_or(Behind::Later, Behind::Write)
    }

    /// When to look again what is to be written, although nothing has changed.
    pub fn due(&self) -> Option<Instant> {
        self.written.as_ref().filter(|written| !written.is_there).map(|_| self.retry_at)
    }

    /// What the bus lacks is to be written now.
    pub fn hurry(&mut self) {
        self.retry_at = Instant::now();
    }

    /// Writes that, and waits until it is on the bus. Without the bus the beam goes on, when the database knows that the bus
    /// is behind: its devices have what they are told.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam. Nobody may be told of the change.
    pub async fn catch_up(&mut self, behind: Behind) -> Result<(), Lost> {
        match behind {
            Behind::Nothing => {}
            Behind::Forget => self.forget().await?,
            Behind::Later => self.fall_behind().await?,
            Behind::Write(change) => match self.lease.remember(&change).await? {
                Outcome::Written => {
                    let is_there = self.is_whole().await?;
                    if let Some(written) = &mut self.written {
                        written.is_there = is_there;
                    }
                }
                Outcome::BusGone => {
                    self.retry_at = Instant::now() + RETRY;
                    self.fall_behind().await?;
                }
            },
        }
        Ok(())
    }

    /// The beam has ended, or everybody has left it, or the tables have it: nothing is remembered.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam.
    pub async fn forget(&mut self) -> Result<(), Lost> {
        if self.lease.forget().await {
            self.is_whole().await?;
            return Ok(());
        }
        self.fall_behind().await
    }

    /// Has the database say that the bus lacks something, once.
    async fn fall_behind(&mut self) -> Result<(), Lost> {
        if self.marked != Some(true) {
            self.marked = None;
            self.lease.falls_behind().await?;
            self.marked = Some(true);
        }
        Ok(())
    }

    /// The bus lacks nothing; `false` when that could not be said. While the database may say that it does, each change is the
    /// whole, as it is while [`Written::is_there`] is `false`.
    async fn is_whole(&mut self) -> Result<bool, Lost> {
        if self.marked != Some(false) {
            // Without an answer it may have been said all the same.
            self.marked = None;
            if self.lease.is_whole().await? {
                self.marked = Some(false);
            } else {
                self.retry_at = Instant::now() + RETRY;
            }
        }
        Ok(self.marked == Some(false))
    }
}

fn change(state: &BeamState, known: Option<&Written>) -> Change {
    let arrangement = &state.arrangement;
    let places = arrangement.is_shared().then(|| arrangement.places());
    let rest = Rest { epoch: state.epoch.clone(), past: state.items.past(), places };
    let mut change = Change {
        rest: serde_json::to_string(&rest).unwrap_or_default(),
        is_whole: known.is_none(),
        ..Change::default()
    };
    let mut gone = known.map(|known| known.items.clone()).unwrap_or_default();
    for (item, author) in state.items.all() {
        if gone.remove(&item.id) == Some(item.seq) {
            continue;
        }
        let entry = Entry { item, author: author.map(AccountId::uuid) };
        if let Ok(text) = serde_json::to_string(&entry) {
            change.put.push((item.id.uuid(), text));
        }
    }
    change.gone = gone.into_keys().map(ItemId::uuid).collect();
    change
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use heliograph_shared::ids::{BeamId, DeviceId};
    use heliograph_shared::socket::Held;
    use heliograph_shared::time::Millis;
    use heliograph_storage::{Location, Storage};
    use serde_json::value::RawValue;

    use super::*;
    use crate::budget::tests::budget;
    use crate::budget::{Budget, Kind};
    use crate::bus::lease;
    use crate::live::beam::terms::{Status, Terms};

    /// The right to drive the beam, and the one of whoever drives it next.
    const TOKEN: Uuid = Uuid::from_bytes([1; 16]);
    const NEXT: Uuid = Uuid::from_bytes([2; 16]);

    fn item(number: u8, to: Option<DeviceId>) -> LiveItem {
        LiveItem {
            message: RawValue::from_string(format!(r#"{{"n":{number}}}"#)).unwrap(),
            extra: "text".to_owned(),
            id: ItemId::from_random([number; 16]),
            seq: 0,
            from: DeviceId::from_bytes([1; 16]),
            at: Millis::new(5),
            to,
        }
    }

    fn beam() -> BeamId {
        BeamId::from_random([1; 16])
    }

    /// An empty database, in a folder of its own.
    async fn opened() -> (tempfile::TempDir, Storage) {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().to_owned());
        let (storage, _writer) = Storage::open(&location).await.unwrap();
        (folder, storage)
    }

    /// A beam with an item, after a memory with ten.
    fn state() -> BeamState {
        let mut items = Items::none_after(10, Budget::unlimited().nothing(Kind::Items));
        items.share(item(1, None), None);
        BeamState::new(Terms {
            epoch: "e".to_owned(),
            status: Status::Unsaved { expires_at: Millis::MAX, recorded: true, kept: None },
            items,
            arrangement: Arrangement::default(),
            removed: HashSet::new(),
            forgotten: false,
        })
    }

    #[tokio::test]
    async fn s11_what_the_bus_did_not_take_is_written_again_and_the_database_knows_until_then() {
        let (_folder, storage) = opened().await;
        storage.drive_beam(beam(), TOKEN, TOKEN, Millis::new(0)).await.unwrap();
        let mut memory = Memory::new(lease::unheard(storage.clone(), beam(), TOKEN));
        let state = state();

        let behind = memory.behind(&state);
        memory.catch_up(behind).await.unwrap();

        assert!(memory.due().is_some());
        assert!(matches!(memory.behind(&state), Behind::Later));
        memory.hurry();
        assert!(matches!(memory.behind(&state), Behind::Write(Change { is_whole: true, .. })));
        let then = storage.drive_beam(beam(), NEXT, NEXT, Millis::new(0)).await.unwrap();
        assert!(then.is_behind);
        // Whoever has lost the beam tells nobody.
        let mut late = Memory::new(lease::unheard(storage, beam(), TOKEN));
        let behind = late.behind(&state);
        assert_eq!(late.catch_up(behind).await, Err(Lost));
    }

    #[tokio::test]
    async fn s11_whether_the_database_knows_is_said_again_where_the_answer_of_before_was_lost() {
        let (_folder, storage) = opened().await;
        storage.drive_beam(beam(), TOKEN, TOKEN, Millis::new(0)).await.unwrap();
        let mut memory = Memory::new(lease::unheard(storage.clone(), beam(), TOKEN));
        let state = state();
        let behind = memory.behind(&state);
        memory.catch_up(behind).await.unwrap();
        // The bus has all of it for a moment, and the database was told so and did not answer in time.
        memory.marked = None;
        storage.set_behind(beam(), TOKEN, false).await.unwrap();

        let behind = memory.behind(&state);
        assert!(matches!(behind, Behind::Later));
        memory.catch_up(behind).await.unwrap();

        let then = storage.drive_beam(beam(), NEXT, NEXT, Millis::new(0)).await.unwrap();
        assert!(then.is_behind);
    }

    #[tokio::test]
    async fn s28_what_devices_knew_of_earlier_memories_is_written_too() {
        let (_folder, storage) = opened().await;
        let mut memory = Memory::new(lease::unheard(storage, beam(), Uuid::nil()));
        let mut state = state();
        assert!(matches!(memory.behind(&state), Behind::Write(_)));
        memory.written.as_mut().unwrap().is_there = true;
        assert!(matches!(memory.behind(&state), Behind::Nothing));

        state.items.compare(&Held { known: vec![(1, 10)], items: Vec::new() });

        assert!(matches!(memory.behind(&state), Behind::Write(Change { is_whole: false, .. })));
    }

    #[test]
    fn s11_a_memory_comes_back_in_its_order_with_its_numbers() {
        let room = || Budget::unlimited().nothing(Kind::Items);
        let author = AccountId::from_random([9; 16]);
        let mut items = Items::none(room());
        items.share(item(1, None), Some(author));
        items.share(item(2, Some(DeviceId::from_bytes([7; 16]))), None);
        items.share(item(3, None), None);
        items.delete(item(1, None).id);
        items.share(item(2, None), None);

        let past = serde_json::to_string(&Rest {
            epoch: "e".to_owned(),
            past: items.past(),
            places: None,
        });
        let entries = items.all().map(|(item, author)| {
            let author = author.map(AccountId::uuid);
            serde_json::to_string(&Entry { item, author }).unwrap()
        });
        // A hash has no order.
        let entries: Vec<_> = entries.collect::<Vec<_>>().into_iter().rev().collect();
        let mut remembered = Remembered { rest: past.unwrap(), items: entries };
        let recalled = recall(&remembered, room()).unwrap();

        assert_eq!(recalled.epoch, "e");
        let device = DeviceId::from_bytes([1; 16]);
        let (before, after) =
            (items.page("e", None, device), recalled.items.page("e", None, device));
        assert_eq!(serde_json::to_value(&after).unwrap(), serde_json::to_value(&before).unwrap());
        assert_eq!(recalled.items.next_seq(), items.next_seq());

        // Under the same epoch, devices would delete the item that cannot be read.
        remembered.items[0] = "x".to_owned();
        assert!(recall(&remembered, room()).is_none());
    }

    #[test]
    fn s17_a_node_without_memory_for_all_items_goes_on_with_the_newest() {
        let mut items = Items::none(Budget::unlimited().nothing(Kind::Items));
        for number in 1..=10 {
            items.share(item(number, None), None);
        }
        let rest = Rest { epoch: "e".to_owned(), past: items.past(), places: None };
        let entries = items.all().map(|(item, _)| Entry { item, author: None });
        let items = entries.map(|entry| serde_json::to_string(&entry).unwrap()).collect();
        let remembered = Remembered { rest: serde_json::to_string(&rest).unwrap(), items };
        let small = budget(&["--memory-items", "1000"]);

        let recalled = recall(&remembered, small.nothing(Kind::Items)).unwrap();

        let page = recalled.items.page("e", None, DeviceId::from_bytes([1; 16]));
        let numbers: Vec<_> = page.items.iter().map(|item| item.seq).collect();
        assert!(numbers.ends_with(&[10]) && numbers.len() < 10, "{numbers:?}");
        assert_eq!(page.oldest, numbers[0]);
    }

    #[test]
    fn what_is_no_memory_of_ours_is_none() {
        let room = Budget::unlimited().nothing(Kind::Items);
        let odd = Remembered { rest: "{}".to_owned(), items: vec!["x".to_owned()] };
        assert!(recall(&odd, room).is_none());
    }
}
