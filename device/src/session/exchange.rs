//! What a session does with what the server sends, and with what its person shares and deletes, whichever socket it is.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::device::Device;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::{
    ClientMessage, LiveItem, ServerMessage, SyncFrom, SyncPage, Welcome,
};

use super::beam_memory::BeamMemory;
use super::item::envelope_of;
use super::item_comparison::{Event, MissingItems};
use super::moment::Moment;
use super::opened_items::{Opening, clear_item};
use super::outbox::{Encryption, News, Outbox};
use super::pending_changes::{PendingChanges, Received};
use super::sealed_beam::SealedBeam;
use super::sync_pages::SyncPages;
use crate::random::Random;

/// What a device has of a beam, and says and hears there.
pub(super) struct Exchange {
    pub(super) sealed: Option<Box<SealedBeam>>,
    pub(super) random: Box<dyn Random>,
    pub(super) out: Outbox,
    pub(super) me: Option<DeviceId>,
    devices: Vec<Device>,
    is_saved: bool,
    pub(super) memory: BeamMemory,
    pub(super) missing: MissingItems,
    pub(super) pending: PendingChanges,
    /// The changes since the items were requested; `None` while no `sync` is under way.
    sync: Option<SyncPages>,
    /// What was shared before this device could seal, in its order.
    pub(super) waiting: Vec<Waiting>,
    /// What was told of each item: its message as the server has it.
    pub(super) shown: BTreeMap<ItemId, Json>,
    encryption: Option<Encryption>,
}

/// An item as its person shares it.
pub(super) struct Waiting {
    pub(super) id: ItemId,
    pub(super) message: Json,
    pub(super) extra: String,
    pub(super) to: Option<DeviceId>,
}

impl Exchange {
    pub(super) fn new(sealed: Option<Box<SealedBeam>>, random: Box<dyn Random>) -> Self {
        Self {
            sealed,
            random,
            out: Outbox::default(),
            me: None,
            devices: Vec::new(),
            is_saved: false,
            memory: BeamMemory::default(),
            missing: MissingItems::default(),
            pending: PendingChanges::default(),
            sync: None,
            waiting: Vec::new(),
            shown: BTreeMap::new(),
            encryption: None,
        }
    }

    /// Whether something was shared or deleted that the server has neither confirmed nor refused.
    pub(super) const fn has_unconfirmed(&self) -> bool {
        !self.pending.is_empty() || !self.waiting.is_empty()
    }

    /// Does what follows of what has changed.
    pub(super) fn look(&mut self, now: Duration) {
        let is_openable = self.with_sealed(now, SealedBeam::look);
        self.look_at_neighbours(now);
        self.out.wants_sync |= is_openable == Some(true);
        let encryption = self.sealed.as_ref().map_or(Encryption::Clear, |one| one.encryption());
        if self.encryption.as_ref() != Some(&encryption) {
            self.out.tell(News::Encryption(encryption.clone()));
            self.encryption = Some(encryption);
        }
        for waiting in std::mem::take(&mut self.waiting) {
            self.share(waiting);
        }
        if let Some((id, message)) = self.with_sealed(now, SealedBeam::gives_keys).flatten() {
            let told = self.pending.share(id, message, "text".to_owned(), None);
            self.out.send(&told);
        }
        if self.out.wants_sync && self.out.is_live && self.sync.is_none() {
            self.ask_for_everything();
        }
    }

    pub(super) fn with_sealed<T>(
        &mut self,
        now: Duration,
        run: impl FnOnce(&mut SealedBeam, &mut Moment<'_>) -> T,
    ) -> Option<T> {
        let sealed = self.sealed.as_mut()?;
        let mut moment = Moment { now, random: &mut *self.random, out: &mut self.out };
        Some(run(sealed, &mut moment))
    }

    pub(super) fn ask_for_everything(&mut self) {
        self.out.wants_sync = false;
        self.sync = Some(SyncPages::new(self.pending.deletions()));
        self.out.send_at_once(&ClientMessage::Sync { message: SyncFrom { after: None } });
    }

    /// The socket is gone.
    pub(super) fn cut(&mut self) {
        self.out.is_live = false;
        self.sync = None;
        if let Some(sealed) = &mut self.sealed {
            sealed.kept.cut();
        }
    }

    pub(super) fn hear(&mut self, message: ServerMessage, now: Duration) {
        match message {
            ServerMessage::Welcome { message } => self.welcomed(message, now),
            ServerMessage::AuthedUsers { message } => self.listed(message),
            ServerMessage::RecClipboard(item) => self.received(item, now),
            ServerMessage::DeleteNote { message, extra, id } => {
                self.deleted(id, &message, extra.as_deref(), now);
            }
            ServerMessage::Sync { message } => self.page(&message, now),
            ServerMessage::Wanted { message } => self.restore(&message),
            ServerMessage::Signal { message, extra } => {
                let opened = match self.sealed {
                    Some(_) => self.with_sealed(now, |sealed, moment| {
                        sealed.signalled(extra.from, &message, moment)
                    }),
                    None => Some(Some(message)),
                };
                if let Some(message) = opened.flatten()
                    && !self.hears_comparison(extra.from, &message, now)
                {
                    self.out.tell(News::Signal { from: extra.from, message });
                }
            }
            ServerMessage::E2e { message, extra } => {
                let heard = self
                    .with_sealed(now, |sealed, moment| sealed.heard(extra.from, &message, moment));
                if heard == Some(true) {
                    self.tell_devices();
                }
            }
            ServerMessage::Error { message, extra, id: Some(id), .. } => {
                self.refused(id, extra, message, now);
            }
            other => {
                self.is_saved |= matches!(other, ServerMessage::BeamSaved { .. });
                if let (ServerMessage::Kept { message }, Some(sealed)) = (&other, &mut self.sealed)
                {
                    sealed.kept.turned(message.is_some());
                }
                self.out.tell(News::Server(Box::new(other)));
            }
        }
    }

    /// The server has answered to `auth`.
    pub(super) fn authenticated(&mut self) {
        self.out.is_live = true;
        for message in self.pending.messages() {
            self.out.send(&message);
        }
        self.out.wants_sync |= self.sync.is_none();
    }

    fn welcomed(&mut self, welcome: Welcome, now: Duration) {
        let me = welcome.device_id;
        let is_other = self.me.is_some_and(|before| before != me);
        self.me = Some(me);
        self.is_saved = welcome.saved.is_some();
        if let Some(sealed) = &mut self.sealed {
            sealed.welcomed(me, welcome.join_policy);
            sealed.kept.welcomed(welcome.kept.is_some() && !self.is_saved);
            if is_other {
                self.share_as_other();
            }
        }
        self.compare(Event::Connected, now);
        self.out.tell(News::Welcome(Box::new(welcome)));
    }

    /// This device has another id now (S5), and what the server has not confirmed must not come from the one that is gone (E3).
    fn share_as_other(&mut self) {
        for id in self.pending.shares() {
            let version = self.sealed.as_ref().and_then(|one| one.items.versions.find(id));
            if let Some(content) = version.map(|version| version.content.clone()) {
                let (message, extra, to) = (content.message, content.extra, content.to);
                self.share(Waiting { id, message, extra, to });
            }
        }
    }

    fn listed(&mut self, devices: Vec<Device>) {
        if let Some(sealed) = &mut self.sealed {
            sealed.listed(&devices);
        }
        self.devices = devices;
        self.tell_devices();
    }

    fn tell_devices(&mut self) {
        let mut devices = self.devices.clone();
        if let Some(sealed) = &self.sealed {
            sealed.changes.name(&mut devices);
        }
        self.out.tell(News::Devices(devices));
    }

    fn received(&mut self, item: LiveItem, now: Duration) {
        self.with_sealed(now, |sealed, moment| sealed.came(&item, moment));
        let received = self.pending.received(&item);
        if received == Received::Echo {
            self.out.tell(News::Confirmed(item.id));
        }
        if received != Received::Hidden {
            self.show(&item, now);
        }
        match &mut self.sync {
            Some(pages) => pages.received(item),
            None => self.memory.received(&item),
        }
        self.compare(Event::Changed, now);
    }

    /// Tells of an item, once for each version.
    fn show(&mut self, item: &LiveItem, now: Duration) {
        let opening = match &mut self.sealed {
            Some(sealed) => sealed.open(item, now),
            // Only devices that seal can read it.
            None if envelope_of(&item.message).is_some() => Opening::Closed,
            None => Opening::Item(clear_item(item)),
        };
        match opening {
            Opening::Nothing => {}
            Opening::Closed => self.out.tell(News::Closed),
            Opening::Item(opened) => {
                let before = self.shown.insert(item.id, item.message.clone());
                if before.is_none_or(|before| before.get() != item.message.get()) {
                    self.out.tell(News::Item(Box::new(opened)));
                }
            }
        }
    }

    pub(super) fn hide(&mut self, id: ItemId) {
        if self.shown.remove(&id).is_some() {
            self.out.tell(News::Gone(id));
        }
    }

    fn deleted(&mut self, id: Option<ItemId>, message: &Json, proof: Option<&str>, now: Duration) {
        let named = self.memory.named(id, message);
        if let Some(pages) = &mut self.sync {
            pages.deleted(id, message);
        }
        self.memory.taken(&named);
        self.compare(Event::Changed, now);
        if id.is_some_and(|id| !self.pending.deleted(id)) {
            return;
        }
        for one in named {
            if let Some(sealed) = &mut self.sealed {
                sealed.kept.deleted(one);
            }
            let is_of_sealed =
                self.sealed.as_ref().is_some_and(|sealed| sealed.is_of_sealed(one, message));
            if !is_of_sealed {
                self.hide(one);
                continue;
            }
            // Without an id, only items that were not sealed are deleted (E4).
            let proof = proof.filter(|_| id.is_some());
            let is_proven =
                self.with_sealed(now, |sealed, moment| sealed.is_proven(one, proof, moment.now));
            // Where nothing that counts is known here, there is nothing to keep.
            if is_proven == Some(true) || !self.shown.contains_key(&one) {
                self.memory.confirmed(one);
                self.hide(one);
            } else {
                self.out.wants_sync = true;
            }
        }
    }

    fn page(&mut self, page: &SyncPage, now: Duration) {
        let Some(pages) = &mut self.sync else { return };
        pages.add(page);
        if let Some(after) = page.next {
            let message = SyncFrom { after: Some(after) };
            return self.out.send(&ClientMessage::Sync { message });
        }
        let pages = std::mem::take(pages);
        self.sync = None;
        let told_before = pages.told_before.clone();
        self.synced(page, &pages.into_items(), &told_before, now);
    }

    fn synced(
        &mut self,
        page: &SyncPage,
        items: &[LiveItem],
        told_before: &[ItemId],
        now: Duration,
    ) {
        self.memory.synced(&page.epoch, page.oldest, items);
        self.pending.synced(items, told_before);
        self.with_sealed(now, |sealed, moment| sealed.synced(items, moment));
        for item in items {
            // What this device has changed comes as the server's echo.
            if !self.pending.has(item.id) {
                self.show(item, now);
            }
        }
        let gone = self.shown.keys().filter(|id| self.memory.is_deleted(**id)).copied();
        for id in gone.collect::<Vec<_>>() {
            self.hide(id);
        }
        self.compare(Event::Synced, now);
        self.out.tell(News::Synced { dropped: page.dropped });
        let deletions = self.pending.deletions();
        // What the server may have lost (S28). What this device is about to delete stays away.
        if !self.is_saved
            && let Some(message) = self.memory.held(&deletions)
        {
            self.out.send(&ClientMessage::Held { message });
        }
    }
}
