//! What a beam finds in the tables after an uncertain write: it takes over what is stored, and an unsaved beam whose
//! save has happened after all stores what has changed since (S21, S22).

use heliograph_shared::socket::ServerMessage;
use heliograph_shared::time::Millis;
use heliograph_storage::saved_beams::Access;

use super::items::Items;
use super::rules::note;
use super::state::{BeamState, Output};
use super::terms::{Status, Terms};
use super::write::{Pending, Write};

impl BeamState {
    /// Takes over what is stored.
    pub(super) fn find(&mut self, terms: Terms, now: Millis) -> Vec<Output> {
        let was_unsaved = self.is_unsaved();
        let mut outputs = Vec::new();
        if was_unsaved {
            let removed: Vec<_> = terms.removed.difference(&self.removed).copied().collect();
            self.removed.extend(&removed);
            outputs.extend(self.send_away(&removed));
        }
        match terms.status {
            Status::Saved(access) if was_unsaved => {
                outputs.extend(self.turn_out_saved(&access, terms.items));
            }
            Status::Saved(access) => {
                self.items.take_over(terms.items);
                outputs.extend(self.change_access(Some(access), now));
            }
            Status::Ended => {
                self.status = Status::Ended;
                outputs.extend(self.end(now));
            }
            // Its items are in memory only, so they stay as they are.
            Status::Unsaved { .. } => {}
        }
        outputs
    }

    fn turn_out_saved(&mut self, access: &Access, stored: Items) -> Vec<Output> {
        self.status = Status::Saved(access.clone());
        let mut outputs = self.send_away_who_is_shut_out(access);
        outputs.extend(
            self.members
                .iter()
                .map(|member| Output::AllowChunks(member.connection, self.may_write(member))),
        );
        outputs.extend(self.tell_each(|message| ServerMessage::BeamSaved { message }));
        let (changed, deleted) = self.items.take_over_and_keep_changes(stored);
        if !(changed.is_empty() && deleted.is_empty()) {
            let notes = changed.iter().map(|(item, author)| note(item, *author)).collect();
            self.writing = Some(Pending::CatchUp);
            outputs.push(Output::Write(Write::CatchUp { notes, deleted }));
        }
        outputs
    }
}
