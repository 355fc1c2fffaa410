//! Keeping an unsaved beam: on request, for a while (S30).

use std::collections::HashSet;
use std::mem;

use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::MAX_LIVE_ITEMS;
use heliograph_shared::socket::{KeepTime, Kept, LiveItem, ServerMessage};
use heliograph_shared::time::Millis;
use heliograph_storage::blobs::BlobId;

use super::content;
use super::request::Speaker;
use super::rules::{QUOTA_FULL, Verdict};
use super::state::{BeamState, Output};
use super::terms::Status;
use super::write::{Effect, Pending, Write, note};
use crate::live::refusal::Refusal;

const SAVED_ALREADY: Refusal =
    Refusal::new("This beam is saved, so all of it is kept.", ErrorCode::BadRequest);
const NOT_TO_END: Refusal = Refusal::new(
    "Only the device that asked to keep this beam and the beam's creator can end that earlier.",
    ErrorCode::Forbidden,
);
const NO_ROOM_TO_KEEP: Refusal =
    Refusal::new("The server has no room to keep this beam.", ErrorCode::NoRoom);
const KEPT_FULL: Refusal = Refusal::new(
    "The server has no room to keep more of this beam. Delete something first.",
    ErrorCode::NoRoom,
);

impl BeamState {
    /// How the beam is kept, if it is.
    pub(super) fn kept(&self) -> Option<Kept> {
        match self.status {
            Status::Unsaved { kept, .. } => kept,
            Status::Saved(_) | Status::Ended => None,
        }
    }

    pub(super) fn kept_until(&self) -> Option<Millis> {
        self.kept().map(|kept| kept.until)
    }

    /// Whether the time for which it was kept is over, although nobody was told yet.
    pub(super) fn is_kept_no_longer(&self, now: Millis) -> bool {
        self.kept_until().is_some_and(|until| until <= now)
    }

    /// Decides a wish to keep the beam for so long from now, or no longer.
    pub(super) fn keep(
        &self,
        by: Speaker,
        time: Option<KeepTime>,
        now: Millis,
    ) -> Result<Verdict, Refusal> {
        let Status::Unsaved { expires_at, kept, .. } = self.status else {
            return Err(SAVED_ALREADY);
        };
        let until = time.map(|time| now + time.duration());
        // It stays with the device that asked first.
        let first = kept.map_or(by.device, |kept| kept.by);
        let is_longer = kept.is_none_or(|kept| until >= Some(kept.until));
        if !is_longer && !by.creator && by.device != first {
            return Err(NOT_TO_END);
        }
        let wish = until.map(|until| Kept { until, by: first });
        let write = match wish {
            None if kept.is_none() => return Ok(Verdict::Done(Vec::new())),
            None => Write::StopKeeping,
            Some(wish) => {
                // An item for one device stays in memory (S33).
                let for_all = self.items.all().filter(|(item, _)| item.to.is_none());
                let notes = for_all.map(|(item, author)| note(item, author)).collect();
                let earlier = self.items.earlier();
                Write::Keep { kept: wish, client: by.client, expires_at, notes, earlier }
            }
        };
        Ok(Verdict::Store(Box::new(write), Effect::Kept(wish)))
    }

    /// Ends the keeping if its time has come. The sweeper removes what was stored.
    pub(super) fn end_keeping(&mut self, now: Millis) -> Vec<Output> {
        if self.writing.is_none() && self.is_kept_no_longer(now) {
            self.set_kept(None)
        } else {
            Vec::new()
        }
    }

    /// Changes how the beam is kept, and tells the devices. What is live stays live.
    pub(super) fn set_kept(&mut self, to: Option<Kept>) -> Vec<Output> {
        let Status::Unsaved { expires_at, recorded, kept } = &mut self.status else {
            return Vec::new();
        };
        *kept = to;
        match to {
            Some(to) => {
                (*expires_at, *recorded) = (to.until.max(*expires_at), true);
                self.items.keep_all();
            }
            None => self.items.keep_newest(),
        }
        let ours = self.connections(|member| !member.plain).collect();
        let mut outputs = vec![Output::Send(ours, ServerMessage::Kept { message: to })];
        if to.is_none() {
            outputs.extend(self.look_for_files());
        }
        outputs
    }

    /// Finds out which stored files have gone with the keeping. Those that accounts had uploaded before stay.
    fn look_for_files(&mut self) -> Option<Output> {
        let files = self.items.all().filter_map(|(item, _)| content::upload(&item.message));
        self.behind.doubtful = files.collect();
        self.look_for_doubtful()
    }

    /// An item was taken that may name a file of an earlier keeping. The beam looks for it soon.
    pub(super) fn doubt(&mut self, item: &LiveItem) {
        // There are no more items that could name one.
        if self.is_only_in_memory() && self.behind.doubtful.len() < MAX_LIVE_ITEMS {
            self.behind.doubtful.extend(content::upload(&item.message));
        }
    }

    /// Finds out which of the doubtful files are gone, if there are any.
    pub(super) fn look_for_doubtful(&mut self) -> Option<Output> {
        let files: Vec<_> = mem::take(&mut self.behind.doubtful).into_iter().collect();
        if files.is_empty() {
            return None;
        }
        self.writing = Some(Pending::Looking(files.clone()));
        Some(Output::Write(Write::FindGone(files)))
    }

    /// Replaces the items that name these files by ones that do not, so that nobody is sent to an address where nothing
    /// is (F9). The device that shared a file may still have it.
    pub(super) fn forget_files(&mut self, gone: &HashSet<BlobId>) -> Vec<Output> {
        let names_one = |(item, _): &(&LiveItem, _)| {
            content::upload(&item.message).is_some_and(|file| gone.contains(&file))
        };
        let ids: Vec<_> = self.items.all().filter(names_one).map(|(item, _)| item.id).collect();
        ids.into_iter().flat_map(|id| self.forget_file_of(id).unwrap_or_default()).collect()
    }

    fn forget_file_of(&mut self, id: ItemId) -> Option<Vec<Output>> {
        let (item, author) = self.items.find(id)?;
        let bare = LiveItem { message: content::without_upload(&item.message)?, ..item.clone() };
        let shared = self.items.share(bare, author);
        Some(self.tell_shared(shared))
    }

    /// The refusal of a change for which a quota has no room.
    pub(super) fn full(&self, effect: &Effect) -> Refusal {
        match effect {
            Effect::Kept(_) => NO_ROOM_TO_KEEP,
            Effect::Shared(_) if self.is_unsaved() => KEPT_FULL,
            _ => QUOTA_FULL,
        }
    }
}
