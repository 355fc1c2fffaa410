//! The items of an unsaved beam, as they go on when another node drives it.

use heliograph_shared::socket::LiveItem;
use heliograph_storage::accounts::AccountId;
use serde::{Deserialize, Serialize};

use super::{Items, Recovery};
use crate::budget::Share;

/// What is to be known beside the items themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    last_seq: u64,
    let_go: u64,
    let_go_for_one: u64,
    dropped: u64,
    /// The last number of the memories before this one, and what is known of them (S28).
    start: u64,
    known: Vec<(u64, u64)>,
}

impl Items {
    /// What is to be known beside the items themselves.
    pub fn past(&self) -> Past {
        Past {
            last_seq: self.last_seq,
            let_go: self.let_go,
            let_go_for_one: self.let_go_for_one,
            dropped: self.dropped,
            start: self.recovery.start(),
            known: self.recovery.learnt(),
        }
    }

    /// The items of an unsaved beam, oldest first, and their past. The oldest ones go for which the server has no memory (S17).
    pub fn recalled(
        items: impl IntoIterator<Item = (LiveItem, Option<AccountId>)>,
        past: Past,
        room: Share,
    ) -> Self {
        let Past { last_seq, let_go, let_go_for_one, dropped, start, known } = past;
        let recovery = Recovery::after(start, known);
        let empty = Self::none(room);
        let mut recalled = Self { last_seq, let_go, let_go_for_one, dropped, recovery, ..empty };
        for (item, author) in items {
            recalled.push(item, author);
        }
        recalled.make_room();
        recalled
    }

    /// Is another number whenever an item has come, changed or gone.
    pub const fn revision(&self) -> u64 {
        self.revision
    }
}
