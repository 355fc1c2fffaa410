//! Devices bring back the items of an unsaved beam whose memory the server has lost (S28).

use heliograph_shared::socket::{Held, LiveItem, ServerMessage};
use heliograph_shared::time::Millis;
use serde_json::value::RawValue;

use super::recovery::Findings;
use super::request::Speaker;
use super::state::{BeamState, Output};

impl BeamState {
    /// Compares what a device holds with what is here, and asks for what is missing.
    pub(super) fn compare(&mut self, by: Speaker, held: &Held) -> Vec<Output> {
        if !self.is_only_in_memory() {
            return Vec::new();
        }
        let Findings { wanted, outdated, deleted } = self.items.compare(held);
        let nothing = || RawValue::NULL.to_owned();
        let mut outputs = Vec::new();
        for id in deleted {
            outputs.extend(self.forget(&[id], nothing(), Some(id)));
        }
        let to_sender = |message| Output::Send(vec![by.connection], message);
        outputs.extend(
            outdated.into_iter().map(|id| {
                to_sender(ServerMessage::DeleteNote { message: nothing(), id: Some(id) })
            }),
        );
        if !wanted.is_empty() {
            outputs.push(to_sender(ServerMessage::Wanted { message: wanted }));
        }
        outputs
    }

    /// Takes back an item that a device was asked for, and tells everybody. One for one device does not come back: whoever
    /// brought it could say that it was for anybody (S33).
    pub(super) fn restore(&mut self, mut item: LiveItem, now: Millis) -> Vec<Output> {
        if !self.is_only_in_memory() || item.to.is_some() {
            return Vec::new();
        }
        item.at = item.at.min(now);
        match self.items.restore(item) {
            Some(shared) => {
                self.forgotten = false;
                self.tell_shared(shared)
            }
            None => Vec::new(),
        }
    }
}
