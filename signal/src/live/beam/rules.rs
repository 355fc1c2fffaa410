//! The permissions of each role (B6, S21 to S26). Devices of a saved or kept beam learn of a change only after it is
//! stored.

use heliograph_shared::api::beams::Role;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::MAX_REMOVED_DEVICES;
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{LiveItem, ServerMessage};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;

use super::items::Shared;
use super::request::{Deletion, Request, Speaker};
use super::state::{BeamState, Output, refuse};
use super::terms::Status;
use super::write::{Effect, Pending, Write, note};
use crate::budget::Spent;
use crate::live::refusal::Refusal;

/// The specification's text for a refused deletion.
const NOT_YOURS: Refusal =
    Refusal::new("Cannot delete beam note from UI (Update Soon)", ErrorCode::Forbidden);
pub(super) const READ_ONLY: Refusal =
    Refusal::new("You may only read in this beam.", ErrorCode::Forbidden);
const BUSY: Refusal =
    Refusal::new("This beam cannot store that much at once. Try again.", ErrorCode::Unavailable);
pub(super) const NOT_TO_CHANGE: Refusal =
    Refusal::new("You cannot change this note.", ErrorCode::Forbidden);
pub(super) const BEAM_FULL: Refusal =
    Refusal::new("This beam is full. Delete something first.", ErrorCode::NoRoom);
pub(super) const SERVER_FULL: Refusal =
    Refusal::new("The server has no memory for this now. Try again later.", ErrorCode::Unavailable);
pub(super) const QUOTA_FULL: Refusal = Refusal::new(
    "The account of this beam's owner is full. Delete files or notes first.",
    ErrorCode::NoRoom,
);
const LOGIN_NEEDED: Refusal = Refusal::new("Log in to save this beam.", ErrorCode::Unauthorized);
const NOT_TO_RENAME: Refusal =
    Refusal::new("Only the owner and admins of this beam can rename it.", ErrorCode::Forbidden);
const NOT_CREATOR: Refusal =
    Refusal::new("Only the creator of this beam can save it.", ErrorCode::Forbidden);
const NOT_TO_REMOVE: Refusal =
    Refusal::new("Only the creator, owner and admins can remove devices.", ErrorCode::Forbidden);
const NEVER_SEEN: Refusal =
    Refusal::new("That device has not been in this beam lately.", ErrorCode::DeviceGone);
const REMOVED_TOO_MANY: Refusal = Refusal::new(
    "No more devices can be removed from this beam. Renew its link instead.",
    ErrorCode::NoRoom,
);
const REMOVED_TOO_MANY_UNSAVED: Refusal = Refusal::new(
    "No more devices can be removed from this beam. Make a new beam instead.",
    ErrorCode::NoRoom,
);

/// The result of an allowed request.
pub(super) enum Verdict {
    /// Done at once; these outputs tell the devices.
    Done(Vec<Output>),
    /// Done when it is stored.
    Store(Box<Write>, Effect),
}

impl BeamState {
    /// Handles a request: at once, or in its turn while something is being stored.
    pub(super) fn ask(&mut self, speaker: Speaker, request: Request, now: Millis) -> Vec<Output> {
        if self.writing.is_none() {
            return self.consider(speaker, request, now);
        }
        let subject = request.subject();
        let restored = match &request {
            Request::Restore(item) if !self.takes_back(item) => {
                return self.tell_if_deleted(speaker, item);
            }
            Request::Restore(item) => Some(item.id),
            _ => None,
        };
        match (self.waiting.push(speaker, request), restored) {
            (Ok(()), _) => Vec::new(),
            // It sends it again as fast as it is read (S15).
            (Err(Spent), Some(id)) => {
                let again = ServerMessage::Wanted { message: vec![id] };
                vec![Output::Send(vec![speaker.connection], again)]
            }
            (Err(Spent), None) => vec![refuse(speaker.connection, BUSY.about(subject))],
        }
    }

    pub(super) fn consider(&mut self, by: Speaker, request: Request, now: Millis) -> Vec<Output> {
        if self.removed.contains(&by.device) || matches!(self.status, Status::Ended) {
            return Vec::new();
        }
        let subject = request.subject();
        match self.decide(by, request, now) {
            Ok(Verdict::Done(outputs)) => outputs,
            Ok(Verdict::Store(write, effect)) => {
                self.writing = Some(Pending::Asked { by, subject, effect });
                vec![Output::Write(*write)]
            }
            Err(refusal) => vec![refuse(by.connection, refusal.about(subject))],
        }
    }

    fn decide(&mut self, by: Speaker, request: Request, now: Millis) -> Result<Verdict, Refusal> {
        match request {
            Request::Share { message, kind, id, to } => {
                let extra = kind.into_string();
                let item = LiveItem { message, extra, id, seq: 0, from: by.device, at: now, to };
                self.share(by, item)
            }
            Request::Delete(deletion) => self.delete(by, deletion),
            Request::Held(held) => Ok(self.compare(by, &held)),
            Request::Restore(item) => Ok(self.restore(by, item, now)),
            Request::Save(name) => self.save(by, name),
            Request::RemoveDevice(device) => self.remove(by, device),
            Request::Keep(time) => self.keep(by, time, now),
            Request::Arrange(change) => self.arrange(by, change),
        }
    }

    fn share(&mut self, by: Speaker, mut item: LiveItem) -> Result<Verdict, Refusal> {
        if self.is_for_one(&item) {
            let mut outputs = self.share_with_one(by, item)?;
            outputs.extend(self.record());
            return Ok(Verdict::Done(outputs));
        }
        let role = match &self.status {
            Status::Saved(access) => {
                let role = access.role(by.account).filter(|role| role.may_write());
                Some(role.ok_or(READ_ONLY)?)
            }
            Status::Unsaved { kept: Some(_), .. } => None,
            Status::Unsaved { .. } | Status::Ended => {
                let mut outputs = self.take(by, item);
                outputs.extend(self.record());
                return Ok(Verdict::Done(outputs));
            }
        };
        if self.items.has(&item) {
            return Ok(Verdict::Done(self.take(by, item)));
        }
        let old = self.items.find(item.id);
        let may_change =
            |item, author| role.is_none_or(|role| role.may_manage() || is_own(by, item, author));
        if old.is_some_and(|(old, author)| !may_change(old, author)) {
            return Err(NOT_TO_CHANGE);
        }
        let author = if let Some((old, author)) = old {
            item.at = old.at;
            author
        } else {
            self.items.date(&mut item, by.account)
        };
        if !self.items.has_room_for(&item) {
            return Err(BEAM_FULL);
        }
        self.items.reserve_for(&item).map_err(|Spent| SERVER_FULL)?;
        item.seq = self.items.next_seq();
        let note = note(&item, author);
        let put = if role.is_some() { Write::Put(note) } else { Write::PutKept(note) };
        Ok(Verdict::Store(Box::new(put), Effect::Shared(item)))
    }

    /// Records an unsaved beam, once: it holds something now.
    fn record(&mut self) -> Option<Output> {
        let Status::Unsaved { recorded: recorded @ false, expires_at, .. } = &mut self.status
        else {
            return None;
        };
        *recorded = true;
        Some(Output::Record(*expires_at))
    }

    /// Applies an item and returns the messages about it.
    pub(super) fn take(&mut self, by: Speaker, item: LiveItem) -> Vec<Output> {
        self.forgotten = false;
        self.doubt(&item);
        match self.items.share(item, by.account) {
            Shared::Again(item) => {
                vec![Output::Send(vec![by.connection], ServerMessage::RecClipboard(item))]
            }
            shared => self.tell_shared(shared),
        }
    }

    fn delete(&mut self, by: Speaker, deletion: Deletion) -> Result<Verdict, Refusal> {
        if let Some(outputs) = self.delete_for_one(by, &deletion) {
            return Ok(Verdict::Done(outputs));
        }
        let Status::Saved(access) = &self.status else {
            let ids = self.for_all(&deletion);
            if ids.is_empty() {
                if let Some(id) = deletion.id {
                    self.items.delete_absent(id, deletion.extra.as_deref());
                }
                return Ok(Verdict::Done(self.tell_of_absent(by, deletion)));
            }
            if self.kept().is_none() {
                return Ok(Verdict::Done(self.forget(&ids, deletion)));
            }
            return Ok(delete_stored(ids, deletion));
        };
        // With the link alone nobody deletes stored notes, and nothing is looked for.
        let role = access.named_role(by.account).filter(|role| role.may_write());
        let role = role.ok_or(NOT_YOURS)?;
        let ids = self.for_all(&deletion);
        let is_own = |id: &ItemId| {
            self.items.find(*id).is_some_and(|(item, author)| is_own(by, item, author))
        };
        if !role.may_manage() && !ids.iter().all(is_own) {
            return Err(NOT_YOURS);
        }
        if ids.is_empty() {
            return Ok(Verdict::Done(Vec::new()));
        }
        Ok(delete_stored(ids, deletion))
    }

    /// The items for everybody that a deletion names by id or by content.
    fn for_all(&self, Deletion { message, id, .. }: &Deletion) -> Vec<ItemId> {
        let ids = id.map_or_else(|| self.items.with_content(message), |id| vec![id]);
        let is_for_all =
            |id: &ItemId| self.items.find(*id).is_some_and(|(item, _)| item.to.is_none());
        ids.into_iter().filter(is_for_all).collect()
    }

    pub(super) fn forget(&mut self, ids: &[ItemId], deletion: Deletion) -> Vec<Output> {
        let Deletion { message, id, .. } = deletion;
        let deleted = ids.iter().filter_map(|id| self.items.delete(*id)).last();
        // Plain devices delete by content, so they get the content that the item really had.
        let message = deleted.filter(|_| id.is_some()).map_or(message, |item| item.message);
        self.tell_deletion(Deletion { message, ..deletion }, |_| true)
    }

    fn save(&self, by: Speaker, name: BeamName) -> Result<Verdict, Refusal> {
        let account = by.account.ok_or(LOGIN_NEEDED)?;
        match &self.status {
            Status::Saved(access) => {
                if !access.role(by.account).is_some_and(Role::may_manage) {
                    return Err(NOT_TO_RENAME);
                }
                let rename = Write::Rename { actor: account, name: name.clone() };
                Ok(Verdict::Store(Box::new(rename), Effect::Renamed(name)))
            }
            _ if !by.creator => Err(NOT_CREATOR),
            _ => {
                let for_all = self.items.all().filter(|(item, _)| item.to.is_none());
                let notes = for_all.map(|(item, author)| note(item, author)).collect();
                let places = self.arrangement.is_shared().then(|| self.arrangement.places());
                let earlier = self.items.earlier();
                let write =
                    Write::Save { owner: account, name: name.clone(), notes, places, earlier };
                Ok(Verdict::Store(Box::new(write), Effect::Saved { owner: account, name }))
            }
        }
    }

    fn remove(&self, by: Speaker, device: DeviceId) -> Result<Verdict, Refusal> {
        let may = match &self.status {
            Status::Saved(access) => access.role(by.account).is_some_and(Role::may_manage),
            Status::Unsaved { .. } | Status::Ended => by.creator,
        };
        if !may {
            return Err(NOT_TO_REMOVE);
        }
        if self.removed.contains(&device) {
            return Ok(Verdict::Done(Vec::new()));
        }
        if !self.seen.contains(device) && !self.items.all().any(|(item, _)| item.from == device) {
            return Err(NEVER_SEEN);
        }
        if self.removed.len() >= MAX_REMOVED_DEVICES {
            // Only a saved beam's link can be renewed.
            let is_saved = matches!(self.status, Status::Saved(_));
            return Err(if is_saved { REMOVED_TOO_MANY } else { REMOVED_TOO_MANY_UNSAVED });
        }
        let write = Write::RemoveDevice { device, client: by.client };
        Ok(Verdict::Store(Box::new(write), Effect::Removed(device)))
    }
}

fn delete_stored(ids: Vec<ItemId>, deletion: Deletion) -> Verdict {
    Verdict::Store(Box::new(Write::Delete(ids.clone())), Effect::Deleted { ids, deletion })
}

/// Whether a note is the speaker's own: shared by their account, or, without a login, by their device.
fn is_own(by: Speaker, item: &LiveItem, author: Option<AccountId>) -> bool {
    if author.is_some() { author == by.account } else { item.from == by.device }
}
