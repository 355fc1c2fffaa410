//! Shares files under items that whoever has the device remembers.

use heliograph_shared::ids::ItemId;

use super::FileDevice;
use crate::engine::contract::Input;
use crate::file_facts::FileFacts;
use crate::io::offering::NewFile;
use crate::session;

impl FileDevice {
    /// Shares a file under an id that was made for it. Returns false where it is too large for any device.
    pub fn offer_as(&mut self, id: ItemId, file: NewFile) -> bool {
        let Some(facts) = file.facts(self.fresh_seal()) else { return false };
        let Some(message) = facts.message() else { return false };
        let extra = facts.category().to_owned();
        self.files.offer(id, file.source);
        self.give(Input::Offer { id, size: facts.size, seal: facts.seal });
        self.device.tell(session::Input::Share { id, message, extra, to: None });
        true
    }

    /// Has a file again that an earlier run has shared as this item (F17). `facts` is what the item's message says. Returns false where
    /// they are other bytes. Whoever calls it has compared what tells files apart ([`NewFile::print`]): other bytes that were sealed with the
    /// same key would tell what both are.
    pub fn offer_again(&mut self, id: ItemId, facts: &FileFacts, file: NewFile) -> bool {
        let is_same = file.source.size() == facts.size.bytes()
            && file.modified == facts.modified
            && file.manifest == facts.manifest;
        if is_same {
            self.files.offer(id, file.source);
            self.give(Input::Offer { id, size: facts.size, seal: facts.seal.clone() });
        }
        is_same
    }
}
