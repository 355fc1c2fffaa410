//! What an unsaved beam remembers, on the bus: so it outlives the node that drives it. The state knows nothing of it: after
//! each input the task writes what has changed, before any device learns of it.

use std::collections::HashMap;

use heliograph_shared::ids::ItemId;
use heliograph_shared::socket::{LiveItem, Placed};
use heliograph_storage::accounts::AccountId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::arrangement::Arrangement;
use super::items::{Items, Past};
use super::state::BeamState;
use crate::budget::{Share, Spent};
use crate::bus::lease::{Lease, Lost};
use crate::bus::memory::{Change, Outcome, Remembered};

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

/// Reads a memory; `None` when it is not one of ours. The memory of the items is counted in this share.
///
/// # Errors
/// [`Spent`] when there is no memory for them.
pub(super) fn recall(remembered: &Remembered, room: Share) -> Result<Option<Recalled>, Spent> {
    let Ok(Rest { epoch, past, places }) = serde_json::from_str(&remembered.rest) else {
        return Ok(None);
    };
    let read = |text: &String| {
        let Entry { item, author }: Entry<LiveItem> = serde_json::from_str(text).ok()?;
        Some((item, author.map(AccountId::from_uuid)))
    };
    let mut items: Vec<_> = remembered.items.iter().filter_map(read).collect();
    items.sort_by_key(|(item, _)| item.seq);
    let items = Items::recalled(items, past, room)?;
    Ok(Some(Recalled { epoch, items, arrangement: Arrangement::stored(places) }))
}

/// Follows what a beam remembers.
#[derive(Debug)]
pub(super) struct Memory {
    lease: Lease,
    /// What was written, if anything.
    written: Option<Written>,
}

#[derive(Debug)]
struct Written {
    revision: u64,
    arrangement: Arrangement,
    items: HashMap<ItemId, u64>,
    gaps: u64,
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
}

impl Memory {
    /// Nothing is written yet.
    pub fn new(lease: Lease) -> Self {
        Self { lease, written: None }
    }

    /// What is to be written before the devices learn of the state.
    pub fn behind(&mut self, state: &BeamState) -> Behind {
        if !state.is_only_in_memory() {
            return if self.written.take().is_some() { Behind::Forget } else { Behind::Nothing };
        }
        let gaps = self.lease.gaps();
        let revision = state.items.revision();
        let known = self.written.as_ref();
        let known = known.filter(|written| written.gaps == gaps);
        if known.is_some_and(|written| {
            written.revision == revision && written.arrangement == state.arrangement
        }) {
            return Behind::Nothing;
        }
        let is_empty = state.items.is_empty() && !state.arrangement.is_shared();
        if is_empty && self.written.is_none() {
            // A beam in which nothing was shared has nothing to remember.
            return Behind::Nothing;
        }
        let change = change(state, known.filter(|written| written.is_there));
        let items = state.items.all().map(|(item, _)| (item.id, item.seq)).collect();
        let arrangement = state.arrangement.clone();
        self.written = Some(Written { revision, arrangement, items, gaps, is_there: false });
        Behind::Write(change)
    }

    /// Writes that, and waits until it is on the bus. Without the bus the beam goes on: its devices have what they are told.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam. Nobody may be told of the change.
    pub async fn catch_up(&mut self, behind: Behind) -> Result<(), Lost> {
        match behind {
            Behind::Nothing => {}
            Behind::Forget => self.lease.forget().await,
            Behind::Write(change) => {
                let outcome = self.lease.remember(&change).await?;
                if let Some(written) = &mut self.written {
                    written.is_there = outcome == Outcome::Written;
                }
            }
        }
        Ok(())
    }

    /// The beam has ended, or everybody has left it: nothing is remembered.
    pub async fn forget(&self) {
        self.lease.forget().await;
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
    use heliograph_shared::ids::DeviceId;
    use heliograph_shared::time::Millis;
    use serde_json::value::RawValue;

    use super::*;
    use crate::budget::{Budget, Kind};

    #[test]
    fn s11_a_memory_comes_back_in_its_order_with_its_numbers() {
        let room = || Budget::unlimited().nothing(Kind::Items);
        let item = |number: u8, to| LiveItem {
            message: RawValue::from_string(format!(r#"{{"n":{number}}}"#)).unwrap(),
            extra: "text".to_owned(),
            id: ItemId::from_random([number; 16]),
            seq: 0,
            from: DeviceId::from_bytes([1; 16]),
            at: Millis::new(5),
            to,
        };
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
        let remembered = Remembered { rest: past.unwrap(), items: entries };
        let recalled = recall(&remembered, room()).unwrap().unwrap();

        assert_eq!(recalled.epoch, "e");
        let device = DeviceId::from_bytes([1; 16]);
        let (before, after) =
            (items.page("e", None, device), recalled.items.page("e", None, device));
        assert_eq!(serde_json::to_value(&after).unwrap(), serde_json::to_value(&before).unwrap());
        assert_eq!(recalled.items.next_seq(), items.next_seq());
    }

    #[test]
    fn what_is_no_memory_of_ours_is_none() {
        let room = Budget::unlimited().nothing(Kind::Items);
        let odd = Remembered { rest: "{}".to_owned(), items: vec!["x".to_owned()] };
        assert!(recall(&odd, room).unwrap().is_none());
    }
}
