//! The tables catch up with what the devices know already (S28, S35).

use std::mem;

use super::behind::Unstored;
use super::state::{BeamState, Output};
use super::terms::Status;
use super::write::{Pending, Write, Written};

impl BeamState {
    /// Asks to be told when to store, if there is something to store.
    pub(super) fn store_soon(&mut self) -> Option<Output> {
        if self.behind.is_expected || self.behind.is_due || !self.is_behind() {
            return None;
        }
        self.behind.is_expected = true;
        Some(Output::StoreSoon)
    }

    fn is_behind(&self) -> bool {
        match self.status {
            Status::Saved(_) => !self.behind.moved.is_empty(),
            Status::Unsaved { kept: Some(_), .. } => self.items.has_learnt(),
            Status::Unsaved { kept: None, .. } => {
                !self.behind.doubtful.is_empty() && !self.lingered
            }
            Status::Ended => false,
        }
    }

    /// It is time to store what is not stored yet, or as soon as the write under way has ended.
    pub(super) fn store_now(&mut self) -> Vec<Output> {
        self.behind.is_expected = false;
        self.behind.is_due = true;
        self.catch_up().into_iter().collect()
    }

    /// Stores what is due, or looks for the files of what is in memory only, unless something else is being stored.
    pub(super) fn catch_up(&mut self) -> Option<Output> {
        if self.writing.is_some() || !mem::take(&mut self.behind.is_due) || !self.is_behind() {
            return None;
        }
        if self.is_only_in_memory() {
            return self.look_for_doubtful();
        }
        let (write, unstored) = if matches!(self.status, Status::Saved(_)) {
            let places: Vec<_> = mem::take(&mut self.behind.moved).into_values().collect();
            (Write::Arrange { shared: true, places: places.clone() }, Unstored::Places(places))
        } else {
            self.items.set_learnt(false);
            (Write::Learnt(self.items.earlier()), Unstored::Learnt)
        };
        self.writing = Some(Pending::Behind(unstored));
        Some(Output::Write(write))
    }

    /// The write has ended. What could not be stored is stored later, unless the beam is about to sleep.
    pub(super) fn caught_up(&mut self, unstored: Unstored, written: &Written) {
        let is_over = matches!(written, Written::Done | Written::Refused) || self.lingered;
        match unstored {
            _ if is_over => {}
            Unstored::Learnt => self.items.set_learnt(true),
            Unstored::Places(places) => {
                for placed in places {
                    // A later move is the newer one.
                    self.behind.moved.entry(placed.id).or_insert(placed);
                }
            }
        }
    }
}
