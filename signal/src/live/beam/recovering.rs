//! Devices bring back the items of an unsaved beam that the server has lost (S28). In a kept beam each is stored before it is
//! told.

use heliograph_shared::ids::ItemId;
use heliograph_shared::socket::{Held, LiveItem, ServerMessage};
use heliograph_shared::time::Millis;
use serde_json::value::RawValue;

use super::recovery::Findings;
use super::request::{Deletion, Speaker};
use super::rules::Verdict;
use super::state::{BeamState, Output};
use super::write::{Effect, Write, Written, note};

impl BeamState {
    /// Compares what a device holds with what is here, and asks for what is missing.
    pub(super) fn compare(&mut self, by: Speaker, held: &Held) -> Verdict {
        if !self.is_unsaved() {
            return Verdict::Done(Vec::new());
        }
        let findings = self.items.compare(held);
        if self.kept().is_some() && !findings.deleted.is_empty() {
            let write = Write::Delete(findings.deleted.clone());
            return Verdict::Store(Box::new(write), Effect::Compared(findings));
        }
        Verdict::Done(self.conclude(by, findings))
    }

    /// Deletes what the device knows to be deleted, tells it what it does not know, and asks for what is missing.
    pub(super) fn conclude(&mut self, by: Speaker, findings: Findings) -> Vec<Output> {
        let Findings { wanted, outdated, deleted } = findings;
        let mut outputs = Vec::new();
        for id in deleted {
            outputs.extend(self.forget(&[id], self.deletion_of(id)));
        }
        let to_sender = |message| Output::Send(vec![by.connection], message);
        outputs.extend(outdated.into_iter().map(|id| to_sender(self.deletion_of(id).into())));
        if !wanted.is_empty() {
            outputs.push(to_sender(ServerMessage::Wanted { message: wanted }));
        }
        outputs
    }

    /// The deletion of an item that is not here, with what proves it.
    fn deletion_of(&self, id: ItemId) -> Deletion {
        let extra = self.items.proof(id).cloned();
        Deletion { message: RawValue::NULL.to_owned(), extra, id: Some(id) }
    }

    /// Tells a device that brings back what was deleted meanwhile: it would go on holding it.
    pub(super) fn tell_if_deleted(&self, by: Speaker, item: &LiveItem) -> Vec<Output> {
        if !self.is_unsaved() || item.to.is_some() || !self.items.was_deleted(item) {
            return Vec::new();
        }
        vec![Output::Send(vec![by.connection], self.deletion_of(item.id).into())]
    }

    /// Whether the item is missing here and a device was asked for it. One for one device does not come back: whoever
    /// brought it could say that it was for anybody (S33).
    pub(super) fn takes_back(&mut self, item: &LiveItem) -> bool {
        self.is_unsaved() && item.to.is_none() && self.items.wants(item)
    }

    /// Takes back an item that a device was asked for.
    pub(super) fn restore(&mut self, by: Speaker, mut item: LiveItem, now: Millis) -> Verdict {
        if !self.takes_back(&item) {
            return Verdict::Done(self.tell_if_deleted(by, &item));
        }
        item.at = item.at.min(now);
        if self.kept().is_none() {
            return Verdict::Done(self.take_back(item));
        }
        if !self.items.has_room_for(&item) || self.items.reserve_for(&item).is_err() {
            self.items.give_up(&item);
            return Verdict::Done(Vec::new());
        }
        let author = self.items.find(item.id).and_then(|(_, author)| author);
        let write = Write::PutKept(note(&item, author));
        Verdict::Store(Box::new(write), Effect::Restored(item))
    }

    /// Takes the item and tells everybody.
    pub(super) fn take_back(&mut self, item: LiveItem) -> Vec<Output> {
        self.forgotten = false;
        self.doubt(&item);
        let shared = self.items.restore(item);
        self.tell_shared(shared)
    }

    /// What came back could not be stored. Without room for it, it stays where it is; otherwise it is wanted again when a
    /// device tells of it.
    pub(super) fn not_restored(&mut self, effect: &Effect, written: &Written) {
        if let (Effect::Restored(item), Written::Full | Written::DiskFull) = (effect, written) {
            self.items.give_up(item);
        }
    }
}
