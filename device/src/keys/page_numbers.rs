//! The highest number that came from each page (E2): the server could bring back what it has forwarded before.

use std::collections::BTreeMap;

use heliograph_shared::e2ee::envelope::{Header, PAGE_BYTES};

/// More pages than devices of a beam begin in a day. Those that were heard of longest ago are forgotten first.
const MOST_PAGES: usize = 4_096;

/// What was heard last of each page.
#[derive(Default)]
pub struct PageNumbers {
    heard: BTreeMap<[u8; PAGE_BYTES], Heard>,
    count: u64,
}

struct Heard {
    number: u64,
    /// How many were heard before it.
    turn: u64,
}

impl PageNumbers {
    /// Takes note of an envelope that opens. Returns whether it is the newest of its page.
    pub fn is_newest(&mut self, header: &Header) -> bool {
        if self.heard.get(&header.page).is_some_and(|heard| header.number <= heard.number) {
            return false;
        }
        self.count += 1;
        self.heard.insert(header.page, Heard { number: header.number, turn: self.count });
        if self.heard.len() > MOST_PAGES {
            let oldest = self.heard.iter().min_by_key(|(_, heard)| heard.turn);
            if let Some(page) = oldest.map(|(page, _)| *page) {
                self.heard.remove(&page);
            }
        }
        true
    }
}
