//! Changes of this device that the server has not yet confirmed. Each is kept and sent again on every new socket until the server echoes
//! it, refuses it, or a `sync` shows that it is done.

use std::time::Duration;

use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::{ClientMessage, LiveItem};

/// Pauses before a change is sent again that the server could not take at that moment. The last one repeats.
const RETRY_DELAYS: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_mins(1),
];

enum Change {
    Share {
        /// Another version arrived from the server and was not shown.
        hid_another: bool,
    },
    Deletion,
}

struct Pending {
    id: ItemId,
    told: ClientMessage,
    change: Change,
    failures: usize,
    /// When to send it again; `None` while an answer is waited for.
    due: Option<Duration>,
}

/// What an item that has come is to this device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// News.
    News,
    /// The server has what this device has shared.
    Echo,
    /// A change of this device is newer.
    Hidden,
}

/// What a refusal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is sent again.
    Later,
    /// It is given up.
    Final {
        /// Whether something else is shown than the server has.
        is_hidden: bool,
    },
}

#[derive(Default)]
pub(super) struct PendingChanges {
    /// At most one for each item.
    changes: Vec<Pending>,
}

impl PendingChanges {
    /// Notes that an item is shared or changed. Returns the message for the server.
    pub(super) fn share(
        &mut self,
        id: ItemId,
        message: Json,
        extra: String,
        to: Option<DeviceId>,
    ) -> ClientMessage {
        let told = ClientMessage::ShareClipboard { message, extra, id: Some(id), to };
        self.put(id, told, Change::Share { hid_another: false })
    }

    /// Notes that an item is deleted. Returns the message for the server.
    pub(super) fn delete(
        &mut self,
        id: ItemId,
        message: Json,
        extra: Option<String>,
    ) -> ClientMessage {
        let told = ClientMessage::DeleteNote { message, extra, id: Some(id) };
        self.put(id, told, Change::Deletion)
    }

    /// The newest change counts: an item that is shared again is no longer deleted.
    fn put(&mut self, id: ItemId, told: ClientMessage, change: Change) -> ClientMessage {
        self.drop(id);
        self.changes.push(Pending { id, told: told.clone(), change, failures: 0, due: None });
        told
    }

    fn drop(&mut self, id: ItemId) {
        self.changes.retain(|change| change.id != id);
    }

    fn find(&mut self, id: ItemId) -> Option<&mut Pending> {
        self.changes.iter_mut().find(|change| change.id == id)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(super) fn has(&self, id: ItemId) -> bool {
        self.changes.iter().any(|change| change.id == id)
    }

    /// Every message that the server may not have received, deletions first. They are to be sent now.
    pub(super) fn messages(&mut self) -> Vec<ClientMessage> {
        self.changes.sort_by_key(|change| matches!(change.change, Change::Share { .. }));
        self.changes.iter_mut().map(Pending::tell).collect()
    }

    /// The messages that are to be sent again by now.
    pub(super) fn due(&mut self, now: Duration) -> Vec<ClientMessage> {
        let is_due = |change: &&mut Pending| change.due.is_some_and(|due| due <= now);
        self.changes.iter_mut().filter(is_due).map(Pending::tell).collect()
    }

    pub(super) fn next_due(&self) -> Option<Duration> {
        self.changes.iter().filter_map(|change| change.due).min()
    }

    fn ids(&self, is_share: bool) -> Vec<ItemId> {
        let of = |change: &&Pending| matches!(change.change, Change::Share { .. }) == is_share;
        self.changes.iter().filter(of).map(|change| change.id).collect()
    }

    pub(super) fn shares(&self) -> Vec<ItemId> {
        self.ids(true)
    }

    pub(super) fn deletions(&self) -> Vec<ItemId> {
        self.ids(false)
    }

    /// The server has sent an item.
    pub(super) fn received(&mut self, item: &LiveItem) -> Received {
        let Some(pending) = self.find(item.id) else { return Received::News };
        let Change::Share { hid_another } = &mut pending.change else { return Received::Hidden };
        let ClientMessage::ShareClipboard { message, extra, .. } = &pending.told else {
            return Received::Hidden;
        };
        // The server sends a content back byte for byte (S7).
        if message.get() == item.message.get() && *extra == item.extra {
            self.drop(item.id);
            return Received::Echo;
        }
        *hid_another = true;
        Received::Hidden
    }

    /// The server says that an item is deleted. Returns whether that is news: not while this device shares it anew.
    pub(super) fn deleted(&mut self, id: ItemId) -> bool {
        match self.find(id).map(|pending| &pending.change) {
            Some(Change::Share { .. }) => false,
            Some(Change::Deletion) => {
                self.drop(id);
                true
            }
            None => true,
        }
    }

    /// The server has refused a change of an item (S14).
    pub(super) fn refused(&mut self, id: ItemId, why: ErrorCode, now: Duration) -> Refused {
        let Some(pending) = self.find(id) else { return Refused::Final { is_hidden: false } };
        if matches!(why, ErrorCode::Unavailable | ErrorCode::Internal) {
            let delay = RETRY_DELAYS.get(pending.failures).unwrap_or(&RETRY_DELAYS[4]);
            pending.failures += 1;
            pending.due = Some(now + *delay);
            return Refused::Later;
        }
        let is_hidden = match pending.change {
            Change::Share { hid_another } => hid_another,
            Change::Deletion => true,
        };
        self.drop(id);
        Refused::Final { is_hidden }
    }

    /// The server has sent all items. A deletion that was told before they were asked for is confirmed when they lack its item.
    pub(super) fn synced(&mut self, items: &[LiveItem], told_before: &[ItemId]) {
        self.changes.retain(|change| {
            let is_done = matches!(change.change, Change::Deletion)
                && told_before.contains(&change.id)
                && !items.iter().any(|item| item.id == change.id);
            !is_done
        });
    }
}

impl Pending {
    fn tell(&mut self) -> ClientMessage {
        self.due = None;
        self.told.clone()
    }
}
