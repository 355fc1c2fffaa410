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
        self.give(Input::Search { id, from: item.from });
        self.searching += 1;
        self.searches_made += 1;
        let number = self.searches_made;
        self.searched_for.insert(id, number);
        let (finding, searches) = (self.files.find(described.clone()), self.searches.clone());
        tokio::spawn(async move {
            let found = finding.await;
            // The device may have left meanwhile.
            let _ = searches.send(Searched { number, incoming, described, target, found });
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
        let Searched { number, mut incoming, described, target, found } = searched;
        self.searching = self.searching.saturating_sub(1);
        let id = incoming.id;
        // Also one that is not wanted any more may have got its place by the search.
        if let Ok(Found::Whole { paths, .. }) = &found {
            self.told.push_back(Told::Placed { id, paths: paths.clone() });
        }
        // Its person has given it up meanwhile, or it is gone.
        if self.searched_for.get(&id) != Some(&number) {
            return;
        }
        self.searched_for.remove(&id);
        incoming.earlier = match found {
            Ok(Found::Nothing) => Earlier::Nothing,
            Ok(Found::Part(entry)) => Earlier::Part(JournalEntry {
                chunks: entry.durable(),
                // The person has asked for it again.
                is_paused: false,
                hashes: self.store.journal().hashes(id),
            }),
            Ok(Found::Whole { .. }) => Earlier::Whole,
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
        self.coming.insert(id, progress.has_ended());
        self.told.push_back(Told::Receiving { id, progress });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use std::path::Path;

    use heliograph_shared::ids::{BeamId, DeviceId, DeviceToken};
    use heliograph_shared::time::Millis;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::engine::contract::End;
    use crate::file_size::FileSize;
    use crate::io::file_device::FileSettings;
    use crate::io::server::Server;
    use crate::session::{News, Settings};

    /// A test fails after that.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

    fn file() -> ItemId {
        ItemId::from_random([3; 16])
    }

    fn device(folder: &Path) -> FileDevice {
        // Nothing listens there.
        let server = Server::at(&"http://127.0.0.1:9".parse().unwrap()).unwrap();
        let settings = Settings {
            beam: BeamId::from_random([1; 16]),
            beam_key: None,
            name: "Ada".to_owned(),
            caps: Vec::new(),
            token: DeviceToken::from_random([2; 32]),
            keys: None,
        };
        let (state, addresses) = (folder.join("state"), Vec::new());
        FileDevice::join(server, settings, FileSettings { state, addresses, shared: None }).unwrap()
    }

    fn receives(device: &mut FileDevice, folder: &Path) {
        let facts = FileFacts {
            name: "a".to_owned(),
            size: FileSize::new(40_000).unwrap(),
            media_type: String::new(),
            modified: None,
            batch: None,
            manifest: None,
            seal: None,
            url: None,
        };
        let item = Item {
            id: file(),
            seq: 1,
            from: DeviceId::from_bytes([4; 16]),
            at: Millis::new(1),
            extra: "file".to_owned(),
            message: to_raw_value(&()).unwrap(),
            to: None,
            is_clear: true,
        };
        device.receive(&item, &facts, Arc::new(Target::open(folder).unwrap()));
    }

    /// Waits until the disk has answered. Returns what was told of the file last.
    async fn told(device: &mut FileDevice) -> Option<Progress> {
        while device.searching > 0 {
            device.step().await;
        }
        let mut told = device.told.drain(..).rev();
        told.find_map(|told| match told {
            Told::Receiving { progress, .. } => Some(progress),
            _ => None,
        })
    }

    #[tokio::test]
    async fn a_device_joins_while_another_program_has_the_folder_of_the_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        std::fs::create_dir(&path).unwrap();
        let other = std::fs::File::create(path.join("lock")).unwrap();
        other.lock().unwrap();
        let path = folder.path().to_owned();
        let joining = tokio::task::spawn_blocking(move || device(&path));
        let joined = tokio::time::timeout(PATIENCE, joining).await;
        other.unlock().unwrap();
        assert!(joined.is_ok());
    }

    #[tokio::test]
    async fn nothing_follows_of_a_search_whose_file_was_cancelled_or_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let mut device = device(folder.path());
        receives(&mut device, folder.path());
        device.cancel(file(), None);
        assert_eq!(told(&mut device).await, Some(Progress::Cancelled { by: End::Here }));
        receives(&mut device, folder.path());
        device.hears(News::Gone(file()));
        assert_eq!(told(&mut device).await, None);
    }

    #[tokio::test]
    async fn f18_a_file_that_was_paused_while_it_was_searched_for_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut device = device(folder.path());
        receives(&mut device, folder.path());
        device.pause(file(), None);
        let paused = Progress::Paused { bytes: 0, by: End::Here };
        assert_eq!(told(&mut device).await, Some(paused));
    }

    #[tokio::test]
    async fn a_file_that_is_taken_again_is_searched_for_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut device = device(folder.path());
        receives(&mut device, folder.path());
        device.cancel(file(), None);
        receives(&mut device, folder.path());
        let parked = Progress::Parked { bytes: 0, needs_direct: false };
        assert_eq!(told(&mut device).await, Some(parked));
    }
}
