//! Shares files.

use heliograph_shared::ids::ItemId;

use super::super::offering::NewFile;
use super::super::system_random::SystemRandom;
use super::FileDevice;
use crate::engine::contract::{FileSeal, Input};
use crate::file_facts::FileFacts;
use crate::file_size::FileSize;
use crate::random;
use crate::session;

impl FileDevice {
    /// Shares a file, sealed where the beam is (E7). Returns its item; `None` where it is too large for any device.
    pub fn offer(&mut self, file: NewFile) -> Option<ItemId> {
        let NewFile { name, media_type, modified, source, batch, manifest } = file;
        let size = FileSize::new(source.size())?;
        let id = ItemId::from_random(SystemRandom::bytes());
        let seal = self.session().keys().map(|_| FileSeal {
            key: random::secret(&mut SystemRandom),
            salt: SystemRandom::bytes(),
        });
        let facts = FileFacts {
            name,
            size,
            media_type,
            modified,
            batch,
            manifest,
            seal: seal.clone(),
            url: None,
        };
        let (message, extra) = (facts.message()?, facts.category().to_owned());
        self.files.offer(id, source);
        self.give(Input::Offer { id, size, seal });
        self.device.tell(session::Input::Share { id, message, extra, to: None });
        Some(id)
    }
}
