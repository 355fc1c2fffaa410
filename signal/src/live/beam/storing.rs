//! How a write ends, and what the devices are told of it (S14, S22).

use std::collections::HashMap;

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::socket::ServerMessage;
use heliograph_shared::time::Millis;
use heliograph_storage::saved_beams::Access;

use super::request::Speaker;
use super::state::{BeamState, Output, refuse};
use super::terms::{Status, Terms};
use super::write::{Effect, Pending, Written};
use crate::live::refusal::{Refusal, TOO_OFTEN};

const UNAVAILABLE: Refusal =
    Refusal::new("This could not be stored. Try again.", ErrorCode::Unavailable);
const OVERTAKEN: Refusal =
    Refusal::new("This beam has changed in the meantime.", ErrorCode::Forbidden);
const DISK_FULL: Refusal =
    Refusal::new("The server's disk is full. Try again later.", ErrorCode::NoRoom);

impl BeamState {
    /// Handles the end of a write: tells its effect and starts the next request.
    pub(super) fn written(&mut self, written: Written, now: Millis) -> Vec<Output> {
        let mut outputs = match self.writing.take() {
            Some(Pending::Asked { by, subject, effect }) => {
                self.answer(by, subject, effect, written, now)
            }
            Some(Pending::Behind(unstored)) => {
                self.caught_up(unstored, &written);
                match written {
                    Written::Reloaded(terms) => self.reload(*terms, now),
                    _ => Vec::new(),
                }
            }
            Some(Pending::Looking(files)) => {
                if let Written::Gone(gone) = written {
                    self.forget_files(&gone)
                } else {
                    self.behind.doubtful.extend(files);
                    Vec::new()
                }
            }
            None => return Vec::new(),
        };
        outputs.extend(self.end_keeping(now));
        outputs.extend(self.catch_up());
        while self.writing.is_none()
            && let Some((speaker, request)) = self.waiting.pop()
        {
            outputs.extend(self.consider(speaker, request, now));
        }
        outputs
    }

    /// Tells the effect of a write, or why there is none.
    fn answer(
        &mut self,
        by: Speaker,
        subject: Subject,
        effect: Effect,
        written: Written,
        now: Millis,
    ) -> Vec<Output> {
        let refused = |refusal: Refusal| vec![refuse(by.connection, refusal.about(subject))];
        match written {
            Written::Done => self.tell_stored(by, effect),
            // The time for which the beam was kept ended meanwhile: it goes on in memory.
            Written::Refused if effect.is_of_items() && self.is_kept_no_longer(now) => {
                self.tell_stored(by, effect)
            }
            Written::Refused | Written::Full | Written::DiskFull | Written::Unavailable
                if effect.is_recovery() =>
            {
                self.not_restored(&effect, &written);
                Vec::new()
            }
            Written::Refused => refused(OVERTAKEN),
            Written::Full => refused(self.full(&effect)),
            Written::DiskFull => refused(DISK_FULL),
            Written::TooFast => refused(TOO_OFTEN),
            Written::Unavailable | Written::Gone(_) => refused(UNAVAILABLE),
            Written::Reloaded(terms) => {
                let mut outputs = if effect.is_in(&terms) {
                    self.tell_stored(by, effect)
                } else if effect.is_recovery() {
                    Vec::new()
                } else {
                    refused(UNAVAILABLE)
                };
                outputs.extend(self.reload(*terms, now));
                outputs
            }
        }
    }

    /// Takes over the stored state, except what it does not have yet. An unsaved beam has none, so it stays as it is.
    fn reload(&mut self, terms: Terms, now: Millis) -> Vec<Output> {
        match terms.status {
            Status::Saved(access) => {
                self.items.take_over(terms.items);
                self.arrangement = terms.arrangement;
                if self.arrangement.is_shared() {
                    let moved: Vec<_> = self.behind.moved.values().copied().collect();
                    self.arrangement.change(true, &moved, &self.for_everybody());
                }
                self.change_access(Some(access), now)
            }
            Status::Ended => self.change_access(None, now),
            Status::Unsaved { .. } => Vec::new(),
        }
    }

    fn tell_stored(&mut self, by: Speaker, effect: Effect) -> Vec<Output> {
        match effect {
            Effect::Shared(item) => self.take(by, item),
            Effect::Deleted { ids, deletion } => self.forget(&ids, deletion),
            Effect::Restored(item) => self.take_back(item),
            Effect::Compared(findings) => self.conclude(by, findings),
            Effect::Saved { owner, name } => {
                self.items.keep_all();
                // A change over HTTP may have been applied first; it is the newer one.
                if !matches!(self.status, Status::Saved(_)) {
                    let (name, shares) = (name.as_str().to_owned(), HashMap::new());
                    let link_access = LinkAccess::default();
                    self.status = Status::Saved(Access { owner, name, link_access, shares });
                }
                self.tell_each(|message| ServerMessage::BeamSaved { message })
            }
            Effect::Renamed(name) => {
                let name = name.as_str().to_owned();
                if let Status::Saved(access) = &mut self.status {
                    access.name.clone_from(&name);
                }
                vec![self.tell_all(ServerMessage::BeamRenamed { message: name })]
            }
            Effect::Removed(device) => {
                self.removed.insert(device);
                let mut outputs = self.send_away(&[device]);
                outputs.extend(self.delete_items_for(device));
                outputs
            }
            Effect::Kept(kept) => self.set_kept(kept),
            Effect::Arranged { shared, places } => vec![self.rearrange(by, shared, places)],
        }
    }
}
