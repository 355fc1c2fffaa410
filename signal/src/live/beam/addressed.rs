//! Items for one other device (S33). They stay in memory, in a saved beam too, and nobody but the two devices learns of
//! them.

use heliograph_shared::api::beams::Role;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::socket::LiveItem;

use super::items::may_see;
use super::request::{Deletion, Speaker};
use super::rules::{NOT_TO_CHANGE, READ_ONLY, SERVER_FULL};
use super::state::{BeamState, DEVICE_GONE, Output};
use super::terms::Status;
use crate::budget::Spent;
use crate::live::refusal::Refusal;

const SHARED_WITH_ALL: Refusal =
    Refusal::new("Every device here has this item already.", ErrorCode::BadRequest);

const TO_ITSELF: Refusal =
    Refusal::new("This device has this item already.", ErrorCode::BadRequest);

impl BeamState {
    /// Whether sharing this item concerns one other device only: it names one, or the item that it replaces does.
    pub(super) fn is_for_one(&self, item: &LiveItem) -> bool {
        item.to.is_some() || self.items.find(item.id).is_some_and(|(old, _)| old.to.is_some())
    }

    /// Adds or replaces such an item. An edit stays between the same two devices.
    pub(super) fn share_with_one(
        &mut self,
        by: Speaker,
        mut item: LiveItem,
    ) -> Result<Vec<Output>, Refusal> {
        let is_stored = match &self.status {
            Status::Saved(access) if !access.role(by.account).is_some_and(Role::may_write) => {
                return Err(READ_ONLY);
            }
            Status::Saved(_) | Status::Unsaved { kept: Some(_), .. } => true,
            Status::Unsaved { .. } | Status::Ended => false,
        };
        item.to = match self.items.find(item.id) {
            Some((LiveItem { to: None, .. }, _)) => return Err(SHARED_WITH_ALL),
            Some((old, _)) if !may_see(old, by.device) => return Err(NOT_TO_CHANGE),
            Some((old, _)) if old.from == by.device => old.to,
            Some((old, _)) => Some(old.from),
            None => Some(item.to.filter(|to| self.is_known(*to)).ok_or(DEVICE_GONE)?),
        };
        if item.to == Some(by.device) && self.is_new_here(&item) {
            return Err(TO_ITSELF);
        }
        if is_stored {
            self.items.reserve_for(&item).map_err(|Spent| SERVER_FULL)?;
        }
        Ok(self.take(by, item))
    }

    /// Whether the item is neither an edit nor one that was deleted and comes back, as it was, from its other device.
    fn is_new_here(&self, item: &LiveItem) -> bool {
        let mut before = item.clone();
        self.items.date(&mut before, None);
        self.items.find(item.id).is_none() && before.from == item.from
    }

    /// Whether a device is here, or was lately and may come back.
    fn is_known(&self, device: DeviceId) -> bool {
        self.seen.contains(device) && !self.removed.contains(&device)
    }

    /// Handles a deletion that concerns items for one device only: it names such an item, or no item for everybody has the
    /// content. `None` for any other deletion. Items that the device may not see are as good as absent.
    pub(super) fn delete_for_one(
        &mut self,
        by: Speaker,
        deletion: &Deletion,
    ) -> Option<Vec<Output>> {
        let named = self.named(deletion);
        let seen: Vec<_> = named.into_iter().filter(|item| may_see(item, by.device)).collect();
        if seen.is_empty() || seen.iter().any(|item| item.to.is_none()) {
            return None;
        }
        let ids: Vec<_> = seen.into_iter().map(|item| item.id).collect();
        Some(self.delete_hidden(ids, deletion.extra.as_ref()))
    }

    /// Deletes what is for a device that was removed: nobody but its sender could see it any more.
    pub(super) fn delete_items_for(&mut self, device: DeviceId) -> Vec<Output> {
        let is_for_it = |(item, _): &(&LiveItem, _)| item.to == Some(device);
        let ids: Vec<_> = self.items.all().filter(is_for_it).map(|(item, _)| item.id).collect();
        self.delete_hidden(ids, None)
    }

    /// Tells of the deletion of something that is not here. Who has it for itself is not told, because it would delete its
    /// own: nobody learns by a deletion what others have for themselves.
    pub(super) fn tell_of_absent(&self, by: Speaker, deletion: Deletion) -> Vec<Output> {
        let hidden = self.named(&deletion);
        let has_hidden =
            |device| hidden.iter().any(|item| may_see(item, device) && !may_see(item, by.device));
        self.tell_deletion(deletion, |device| !has_hidden(device))
    }

    fn named(&self, Deletion { message, id, .. }: &Deletion) -> Vec<&LiveItem> {
        let ids = id.map_or_else(|| self.items.with_content(message), |id| vec![id]);
        ids.into_iter().filter_map(|id| Some(self.items.find(id)?.0)).collect()
    }

    /// Deletes these items, and tells each to the devices that have it.
    fn delete_hidden(&mut self, ids: Vec<ItemId>, extra: Option<&String>) -> Vec<Output> {
        let deleted: Vec<_> = ids.into_iter().filter_map(|id| self.items.delete(id)).collect();
        let tell = |item: LiveItem| {
            let (message, id) = (item.message.clone(), Some(item.id));
            let deletion = Deletion { message, extra: extra.cloned(), id };
            self.tell_deletion(deletion, |device| may_see(&item, device))
        };
        deleted.into_iter().flat_map(tell).collect()
    }
}
