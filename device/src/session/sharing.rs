//! What the person of a session shares and deletes, and what the server makes of it.

use std::time::Duration;

use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::ItemId;
use heliograph_shared::socket::ClientMessage;

use super::exchange::{Exchange, Waiting};
use super::opened_items::Shared;
use super::outbox::{News, json};
use super::pending_changes::Refused;

impl Exchange {
    /// Brings back what the server has lost (S28).
    pub(super) fn restore(&mut self, wanted: &[ItemId]) {
        for id in wanted {
            if let Some(item) = self.memory.find(*id) {
                let message = item.clone();
                self.out.send(&ClientMessage::Restore { message });
            }
        }
    }

    pub(super) fn refused(&mut self, id: ItemId, code: ErrorCode, why: String, now: Duration) {
        match self.pending.refused(id, code, now) {
            Refused::Later => {}
            Refused::Final { is_hidden } => {
                self.out.wants_sync |= is_hidden;
                self.out.tell(News::Refused { id, code, why });
            }
        }
    }

    /// The person shares an item. An older version that still waits counts no more.
    pub(super) fn shares(&mut self, shared: Waiting) {
        self.waiting.retain(|waiting| waiting.id != shared.id);
        self.share(shared);
    }

    /// Shares an item, or has it wait until this device can seal.
    pub(super) fn share(&mut self, shared: Waiting) {
        let Waiting { id, message, extra, to } = shared;
        let told = match &mut self.sealed {
            None => Some((message.clone(), extra.clone())),
            Some(sealed) => {
                let envelope = sealed.seal(Shared { id, message: &message, extra: &extra, to });
                envelope.map(|envelope| (envelope, "text".to_owned()))
            }
        };
        match told {
            None => self.waiting.push(Waiting { id, message, extra, to }),
            Some((message, extra)) => {
                let told = self.pending.share(id, message, extra, to);
                self.out.send(&told);
            }
        }
    }

    pub(super) fn delete(&mut self, id: ItemId) {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.id != id);
        let is_told = self.shown.contains_key(&id) || self.pending.has(id);
        // The server was never told of it, and its deletion would tell that it was.
        if before > self.waiting.len() && !is_told {
            return;
        }
        let (sealed, proof) = match &mut self.sealed {
            Some(sealed) => sealed.delete(id),
            None => (None, None),
        };
        let known = self.memory.find(id).map(|item| item.message.clone());
        // What is deleted by its id needs no content.
        let Some(message) = sealed.or(known).or_else(|| json("")) else { return };
        self.memory.deleted(id);
        let told = self.pending.delete(id, message, proof);
        self.out.send(&told);
        self.hide(id);
    }
}
