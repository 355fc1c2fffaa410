//! Receives files, and what earlier runs have begun.

use std::sync::Arc;

use heliograph_shared::ids::ItemId;

use super::super::files::received::Incoming;
use super::super::files::store::Found;
use super::super::files::target::Target;
use super::waiting::Searched;
use super::{FileDevice, Told};
use crate::engine::contract::{
    Earlier, FileFailure, IncomingFile, Input, JournalEntry, Progress, TransferFailure,
};
use crate::file_facts::FileFacts;
use crate::session::item::Item;

impl FileDevice {
    /// Receives a file into a folder, or goes on with what an earlier run has received of it. `facts` is what the item's message says.
    pub fn receive(&mut self, item: &Item, facts: &FileFacts, target: Arc<Target>) {
        let (id, size) = (item.id, facts.size);
        if self.coming.get(&id) == Some(&false) {
            return;
        }
        self.coming.insert(id, false);
        let described = Incoming {
            item: id,
            beam: self.beam,
            name: facts.name.clone(),
            size,
            modified: facts.modified,
            manifest: facts.manifest,
        };
        let incoming = IncomingFile {
            id,
            from: item.from,
            size,
            head: facts.manifest.map_or(0, |manifest| manifest.bytes),
            is_private: item.to.is_some(),
            seal: facts.seal.clone(),
            url: facts.url.clone(),
            earlier: Earlier::Nothing,
        };
        self.give(Input::Search(id));
        self.searching += 1;
        let (finding, searches) = (self.files.find(described.clone()), self.searches.clone());
        tokio::spawn(async move {
            let found = finding.await;
            // The device may have left meanwhile.
            let _ = searches.send(Searched { incoming, described, target, found });
        });
    }

    /// The item of a file that comes here has changed: the server may have a copy of it now (F9).
    pub(super) fn changed(&mut self, item: &Item) {
        self.is_there(item.id);
        if self.coming.get(&item.id) != Some(&false) {
            return;
        }
        if let Some(url) = FileFacts::read(&item.message).and_then(|facts| facts.url) {
            self.give(Input::Stored { id: item.id, url });
        }
    }

    pub(super) fn found(&mut self, searched: Searched) {
        let Searched { mut incoming, described, target, found } = searched;
        self.searching = self.searching.saturating_sub(1);
        let id = incoming.id;
        incoming.earlier = match found {
            Ok(Found::Nothing) => Earlier::Nothing,
            Ok(Found::Part(entry)) => Earlier::Part(JournalEntry {
                chunks: entry.durable(),
                // The person has asked for it again.
                is_paused: false,
                hashes: self.store.journal().hashes(id),
            }),
            Ok(Found::Whole { paths, .. }) => {
                self.told.push_back(Told::Placed { id, paths });
                Earlier::Whole
            }
            Err(why) => {
                let why = TransferFailure::Here(FileFailure::Failed(why.to_string()));
                self.give(Input::Leave(id));
                let progress = Progress::Failed { bytes: 0, why };
                return self.receives(id, progress);
            }
        };
        self.files.expect(described, target);
        self.give(Input::Receive(incoming));
    }

    pub(super) fn receives(&mut self, id: ItemId, progress: Progress) {
        let has_ended = matches!(
            progress,
            Progress::Done { .. }
                | Progress::Offered
                | Progress::Cancelled { .. }
                | Progress::Failed { .. }
        );
        self.coming.insert(id, has_ended);
        self.told.push_back(Told::Receiving { id, progress });
    }
}
