//! Shares files, and goes on to share those of an earlier run (F17).

use heliograph_shared::ids::ItemId;
use tokio::task::spawn_blocking;

use super::super::files::shared_files::SharedFiles;
use super::super::offering::NewFile;
use super::super::system_clock::now_ms;
use super::super::system_random::SystemRandom;
use super::waiting::Resumed;
use super::{FileDevice, Told};
use crate::engine::contract::{FileSeal, Input};
use crate::file_facts::FileFacts;
use crate::random;
use crate::session::{self, News};

impl FileDevice {
    /// Shares a file, sealed where the beam is (E7), or goes on with one that an earlier run has shared. Returns its item; `None` where it
    /// is too large for any device.
    pub fn offer(&mut self, file: NewFile) -> Option<ItemId> {
        let print = file.print();
        let is_sealed = self.session().keys().is_some();
        let earlier = self.shared.as_mut().and_then(|shared| shared.take(print));
        // An item is never sealed one time and clear another.
        let earlier = earlier.filter(|(_, seal)| seal.is_some() == is_sealed);
        let is_resumed = earlier.is_some();
        let (id, seal) = earlier
            .unwrap_or_else(|| (ItemId::from_random(SystemRandom::bytes()), self.fresh_seal()));
        let facts = file.facts(seal)?;
        let (message, extra) = (facts.message()?, facts.category().to_owned());
        let share = session::Input::Share { id, message, extra, to: None };
        let FileFacts { size, seal, .. } = facts;
        if let Some(shared) = self.shared.as_mut().filter(|_| !is_resumed) {
            shared.add(id, print, seal.as_ref());
        }
        self.files.offer(id, file.source);
        // Others may want what an earlier run has shared before this one knows whether it is still there.
        self.give(Input::Offer { id, size, seal });
        if is_resumed {
            let is_there = self.session().shows(id);
            self.resumed.push(Resumed { id, share, is_there });
            if self.is_synced {
                self.share_resumed();
            }
        } else {
            self.device.tell(share);
        }
        Some(id)
    }

    /// Whether an earlier run has shared files that were not offered again yet.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.shared.as_ref().is_some_and(SharedFiles::has_earlier)
    }

    /// What a new file is sealed with; `None` where the beam is not sealed.
    pub(super) fn fresh_seal(&self) -> Option<FileSeal> {
        self.session().keys().map(|_| FileSeal {
            key: random::secret(&mut SystemRandom),
            salt: SystemRandom::bytes(),
        })
    }

    /// All was received that is shared here, or nobody is to receive it any more: a later run shares the same files as new ones.
    pub fn forget_shared(&mut self) {
        if let Some(shared) = self.shared.take() {
            shared.done();
        }
    }

    /// The beam has an item.
    pub(super) fn is_there(&mut self, id: ItemId) {
        for resumed in self.resumed.iter_mut().filter(|resumed| resumed.id == id) {
            resumed.is_there = true;
        }
    }

    /// All items of the beam are known: shares again which it has lost.
    pub(super) fn share_resumed(&mut self) {
        // Before it is let in, this device could open none.
        if self.session().keys().is_some_and(|keys| !keys.is_keyed()) {
            return;
        }
        for Resumed { id, share, is_there } in std::mem::take(&mut self.resumed) {
            if is_there {
                self.told.push_back(Told::News(News::Confirmed(id)));
            } else {
                self.device.tell(share);
            }
        }
    }

    /// An item is gone: its file is shared no more.
    pub(super) fn unshare(&mut self, id: ItemId) {
        self.resumed.retain(|resumed| resumed.id != id);
        if let Some(shared) = &mut self.shared {
            shared.forget(id);
        }
    }

    /// Begins to write what a later run has to know, where that has changed and nothing is being written. Nothing is before it is let in:
    /// it would not be the same device.
    pub(super) fn remember(&mut self) {
        let inputs = self.device.inputs();
        let session = self.device.session();
        let keys = session.keys();
        let Some(shared) = self.shared.as_mut().filter(|_| self.remembering.is_none()) else {
            return;
        };
        let may_have_changed = shared.is_changed() || self.remembered != inputs;
        if !may_have_changed || keys.is_some_and(|keys| !keys.is_keyed()) {
            return;
        }
        self.remembered = inputs;
        if let Some(unwritten) = shared.unwritten(session.token(), keys, now_ms()) {
            self.remembering = Some(spawn_blocking(move || unwritten.write()));
        }
    }
}
