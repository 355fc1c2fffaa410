//! How a beam changes: what each role may (B6, S21 to S26), and that in a saved beam nothing is told before it is stored.

use std::collections::HashMap;
use std::mem;

use heliograph_shared::api::beams::{LinkAccess, Role};
use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::MAX_WAITING_CHANGES;
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{Json, LiveItem, SavedBeam, ServerMessage};
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::NewNote;
use heliograph_storage::saved_beams::Access;

use super::change::{Change, Pending, Speaker, Stored, Unwritten, Write};
use super::items::Shared;
use super::state::{BeamState, Life, Newcomer, Output, refuse};

/// Longest name of a kind that is stored; the specification's longest has nine characters.
const LONGEST_KIND: usize = 64;
/// The specification's sentence for a note that is not yours to delete.
const NOT_YOURS: &str = "Cannot delete beam note from UI (Update Soon)";
const READ_ONLY: &str = "You may only read in this beam.";

/// Why a change is not made: a sentence and its code.
type Refusal = (&'static str, ErrorCode);

/// What a change comes to, once it is allowed.
enum Verdict {
    /// It is so; these are told.
    Done(Vec<Output>),
    /// It is so when the tables have it.
    Store(Write, Stored),
}

impl BeamState {
    /// Takes a wish: at once, or in its turn when something is being stored.
    pub(super) fn ask(&mut self, speaker: Speaker, change: Change, now: i64) -> Vec<Output> {
        if self.writing.is_none() {
            return self.consider(speaker, change, now);
        }
        if self.waiting.len() >= MAX_WAITING_CHANGES {
            let busy = "This beam cannot store that much at once. Try again.";
            return vec![refuse(speaker.connection, busy, ErrorCode::Unavailable)];
        }
        self.waiting.push_back((speaker, change));
        Vec::new()
    }

    fn consider(&mut self, by: Speaker, change: Change, now: i64) -> Vec<Output> {
        if self.removed.contains(&by.device) {
            return Vec::new();
        }
        match self.decide(by, change, now) {
            Ok(Verdict::Done(outputs)) => outputs,
            Ok(Verdict::Store(write, change)) => {
                self.writing = Some(Pending { by, change });
                vec![Output::Write(write)]
            }
            Err((detail, code)) => vec![refuse(by.connection, detail, code)],
        }
    }

    fn decide(&mut self, by: Speaker, change: Change, now: i64) -> Result<Verdict, Refusal> {
        match change {
            Change::Share { message, extra, id } => {
                let item = LiveItem { message, extra, id, seq: 0, from: by.device, at: now };
                self.share(by, item)
            }
            Change::Delete { message, id } => self.delete(by, message, id),
            Change::Save(name) => self.save(by, name),
            Change::RemoveDevice(device) => self.remove(by, device),
        }
    }

    fn share(&mut self, by: Speaker, mut item: LiveItem) -> Result<Verdict, Refusal> {
        let Life::Saved(access) = &self.life else {
            let mut outputs = self.take(by, item);
            if let Life::Unsaved { recorded: recorded @ false, expires_at } = &mut self.life {
                *recorded = true;
                outputs.push(Output::Record(*expires_at));
            }
            return Ok(Verdict::Done(outputs));
        };
        let role = access.role(by.account).filter(|role| role.may_write());
        let role = role.ok_or((READ_ONLY, ErrorCode::Forbidden))?;
        if self.items.has(&item) {
            return Ok(Verdict::Done(self.take(by, item)));
        }
        let old = self.items.find(item.id);
        if old.is_some_and(|(old, author)| !(role.may_manage() || is_own(by, old, author))) {
            return Err(("This note is not yours to change.", ErrorCode::Forbidden));
        }
        let author = old.map_or(by.account, |(_, author)| author);
        if item.extra.len() > LONGEST_KIND || item.extra.chars().any(char::is_control) {
            return Err(("This kind of item cannot be stored.", ErrorCode::BadRequest));
        }
        if !self.items.has_room_for(&item) {
            return Err(("This beam is full. Delete something first.", ErrorCode::NoRoom));
        }
        item.seq = self.items.next_seq();
        let note = note(&item, author);
        Ok(Verdict::Store(Write::Put(note), Stored::Shared(item)))
    }

    /// Puts an item into its place and says who is told what.
    fn take(&mut self, by: Speaker, item: LiveItem) -> Vec<Output> {
        match self.items.share(item, by.account) {
            Shared::Again(item) => {
                vec![Output::Send(vec![by.connection], ServerMessage::RecClipboard(item))]
            }
            Shared::New(item) => vec![self.tell_all(ServerMessage::RecClipboard(item))],
            Shared::Replaced { old, new } => self.tell_of_change(old, new),
        }
    }

    fn delete(
        &mut self,
        by: Speaker,
        message: Json,
        id: Option<ItemId>,
    ) -> Result<Verdict, Refusal> {
        let Life::Saved(access) = &self.life else {
            let ids = id.map_or_else(|| self.items.with_content(&message), |id| vec![id]);
            return Ok(Verdict::Done(self.forget(&ids, message, id)));
        };
        let role = access.named_role(by.account);
        let mut ids = id.map_or_else(|| self.items.with_content(&message), |id| vec![id]);
        ids.retain(|id| self.items.find(*id).is_some());
        let is_own = |id: &ItemId| {
            self.items.find(*id).is_some_and(|(item, author)| is_own(by, item, author))
        };
        let may = match role {
            Some(role) if role.may_manage() => true,
            Some(Role::Write) => ids.iter().all(is_own),
            // Who has only the link deletes nothing that is stored.
            _ => ids.is_empty(),
        };
        if !may {
            return Err((NOT_YOURS, ErrorCode::Forbidden));
        }
        if ids.is_empty() {
            return Ok(Verdict::Done(Vec::new()));
        }
        Ok(Verdict::Store(Write::Delete(ids.clone()), Stored::Deleted { ids, message, id }))
    }

    fn forget(&mut self, ids: &[ItemId], message: Json, id: Option<ItemId>) -> Vec<Output> {
        let deleted = ids.iter().filter_map(|id| self.items.delete(*id)).last();
        // Plain devices delete by content, so they are told the content that it really had.
        let message = deleted.filter(|_| id.is_some()).map_or(message, |item| item.message);
        vec![self.tell_all(ServerMessage::DeleteNote { message, id })]
    }

    fn save(&self, by: Speaker, name: BeamName) -> Result<Verdict, Refusal> {
        let account = by.account.ok_or(("Log in to save this beam.", ErrorCode::Unauthorized))?;
        match &self.life {
            Life::Saved(access) => {
                let may = access.role(by.account).is_some_and(Role::may_manage);
                let refusal = ("Only its owner and admins rename a beam.", ErrorCode::Forbidden);
                if !may {
                    return Err(refusal);
                }
                let rename = Write::Rename { actor: account, name: name.clone() };
                Ok(Verdict::Store(rename, Stored::Renamed(name)))
            }
            _ if !by.creator => Err(("Only who made this beam can save it.", ErrorCode::Forbidden)),
            _ => {
                let notes = self.items.all().map(|(item, author)| note(item, author)).collect();
                let write = Write::Save { owner: account, name: name.clone(), notes };
                Ok(Verdict::Store(write, Stored::Saved { owner: account, name }))
            }
        }
    }

    fn remove(&self, by: Speaker, device: DeviceId) -> Result<Verdict, Refusal> {
        let may = match &self.life {
            Life::Saved(access) => access.role(by.account).is_some_and(Role::may_manage),
            Life::Unsaved { .. } | Life::Ended => by.creator,
        };
        if !may {
            return Err(("Only those who manage a beam remove devices.", ErrorCode::Forbidden));
        }
        Ok(Verdict::Store(Write::RemoveDevice(device), Stored::Removed(device)))
    }

    /// The tables have it, or do not: now it is told, and the next wish has its turn.
    pub(super) fn written(&mut self, result: Result<(), Unwritten>, now: i64) -> Vec<Output> {
        let Some(Pending { by, change }) = self.writing.take() else { return Vec::new() };
        let mut outputs = match result {
            Ok(()) => self.tell_stored(by, change, now),
            Err(Unwritten::Refused) => {
                let changed = "This beam has changed in the meantime.";
                vec![refuse(by.connection, changed, ErrorCode::Forbidden)]
            }
            Err(Unwritten::Unavailable) => {
                let failed = "This could not be stored. Try again.";
                vec![refuse(by.connection, failed, ErrorCode::Unavailable)]
            }
        };
        while self.writing.is_none()
            && let Some((speaker, change)) = self.waiting.pop_front()
        {
            outputs.extend(self.consider(speaker, change, now));
        }
        outputs
    }

    fn tell_stored(&mut self, by: Speaker, change: Stored, now: i64) -> Vec<Output> {
        match change {
            Stored::Shared(item) => self.take(by, item),
            Stored::Deleted { ids, message, id } => self.forget(&ids, message, id),
            Stored::Saved { owner, name } => {
                self.items.keep_all();
                // A change by REST may have been quicker than this news.
                if !matches!(self.life, Life::Saved(_)) {
                    let (name, shares) = (name.as_str().to_owned(), HashMap::new());
                    let link_access = LinkAccess::default();
                    self.life = Life::Saved(Access { owner, name, link_access, shares });
                }
                self.tell_each(|message| ServerMessage::BeamSaved { message })
            }
            Stored::Renamed(name) => {
                let name = name.as_str().to_owned();
                if let Life::Saved(access) = &mut self.life {
                    access.name.clone_from(&name);
                }
                vec![self.tell_all(ServerMessage::BeamRenamed { message: name })]
            }
            Stored::Removed(device) => {
                self.removed.insert(device);
                self.send_away(now, |member| member.device.device_id == device)
            }
        }
    }

    /// Who may do what is different from now on (H31).
    pub(super) fn change_access(&mut self, access: Option<Access>, now: i64) -> Vec<Output> {
        let Some(access) = access else {
            // An unsaved beam has no access that could change.
            if matches!(self.life, Life::Saved(_)) {
                self.life = Life::Ended;
            }
            return self.end(now);
        };
        let Life::Saved(old) = mem::replace(&mut self.life, Life::Saved(access.clone())) else {
            // Saved a moment ago: whoever is here learns it from `beam_saved`.
            return Vec::new();
        };
        let mut outputs = self.send_away(now, |member| access.role(member.account).is_none());
        if old.name != access.name {
            outputs
                .push(self.tell_all(ServerMessage::BeamRenamed { message: access.name.clone() }));
        }
        let touched = |member: &&Newcomer| {
            old.link_access != access.link_access
                || old.role(member.account) != access.role(member.account)
        };
        for member in self.members.iter().filter(touched) {
            outputs.push(Output::AllowChunks(member.connection, self.may_write(member)));
            if let Some(message) = self.saved_for(member) {
                let changed = ServerMessage::AccessChanged { message };
                outputs.push(Output::Send(vec![member.connection], changed));
            }
        }
        outputs
    }

    /// Closes the sockets of those who may not stay (4403), and tells the others.
    fn send_away(&mut self, now: i64, whom: impl Fn(&Newcomer) -> bool) -> Vec<Output> {
        let (gone, stay) = mem::take(&mut self.members).into_iter().partition(|m| whom(m));
        self.members = stay;
        let gone: Vec<Newcomer> = gone;
        if gone.is_empty() {
            return Vec::new();
        }
        let close = |member: &Newcomer| Output::Close(member.connection, CloseCode::Forbidden);
        let mut outputs: Vec<_> = gone.iter().map(close).collect();
        outputs.extend(self.after_leaving(now));
        outputs
    }

    /// The same news to every device, each with its own role.
    fn tell_each(&self, news: impl Fn(SavedBeam) -> ServerMessage) -> Vec<Output> {
        let to = |member: &Newcomer| {
            let message = news(self.saved_for(member)?);
            Some(Output::Send(vec![member.connection], message))
        };
        self.members.iter().filter_map(to).collect()
    }

    /// The beam as a device sees it, if it is a saved one.
    pub(super) fn saved_for(&self, member: &Newcomer) -> Option<SavedBeam> {
        let Life::Saved(access) = &self.life else { return None };
        let role = access.role(member.account)?;
        let beam_name = access.name.clone();
        Some(SavedBeam { beam_name, role, link_access: access.link_access })
    }

    /// Whether somebody may not even come in.
    pub(super) fn is_shut_to(&self, newcomer: &Newcomer) -> bool {
        match &self.life {
            Life::Saved(access) => access.role(newcomer.account).is_none(),
            Life::Unsaved { .. } | Life::Ended => false,
        }
    }

    /// Whether a device shares: in an unsaved beam every device does.
    pub(super) fn may_write(&self, member: &Newcomer) -> bool {
        match &self.life {
            Life::Saved(access) => access.role(member.account).is_some_and(Role::may_write),
            Life::Unsaved { .. } | Life::Ended => true,
        }
    }
}

/// Whether a note is one's own: of one's account, or, shared by nobody who was logged in, of this very device.
fn is_own(by: Speaker, item: &LiveItem, author: Option<AccountId>) -> bool {
    if author.is_some() { author == by.account } else { item.from == by.device }
}

fn note(item: &LiveItem, author: Option<AccountId>) -> NewNote {
    NewNote {
        id: item.id,
        seq: item.seq,
        content: item.message.get().to_owned(),
        kind: item.extra.clone(),
        device: item.from,
        author,
        created_at: item.at,
    }
}
