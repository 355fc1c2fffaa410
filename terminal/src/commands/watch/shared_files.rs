//! What a watched folder has that the beam has too: what was sent from it, and what has come into it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use heliograph_shared::ids::ItemId;
use serde::{Deserialize, Serialize};

use crate::watched::Looks;

/// A file or folder at the top of the watched one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    name: OsString,
    /// How it looked.
    pub(super) look: String,
    /// The items it was sent as; none for what was there at first or came from the beam.
    pub(super) items: Vec<ItemId>,
    /// By what the file of each is known to be the same.
    #[serde(default)]
    pub(super) prints: Vec<String>,
    /// Those of them that the server may not have.
    pub(super) unconfirmed: Vec<ItemId>,
}

/// All of them, by their names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Entry>", into = "Vec<Entry>")]
pub(super) struct SharedFiles(BTreeMap<OsString, Entry>);

impl From<Vec<Entry>> for SharedFiles {
    fn from(entries: Vec<Entry>) -> Self {
        Self(entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect())
    }
}

impl From<SharedFiles> for Vec<Entry> {
    fn from(files: SharedFiles) -> Self {
        files.0.into_values().collect()
    }
}

impl SharedFiles {
    /// Something is in both that was not sent from here.
    pub(super) fn came(&mut self, name: OsString, look: String) {
        self.sends(name, look, Vec::new());
    }

    /// Something is sent as these items, each with what its file is known by.
    pub(super) fn sends(&mut self, name: OsString, look: String, items: Vec<(ItemId, String)>) {
        let (items, prints): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let unconfirmed = items.clone();
        self.0.insert(name.clone(), Entry { name, look, items, prints, unconfirmed });
    }

    /// How everything looked.
    pub(super) fn looks(&self) -> Looks {
        self.0.values().map(|entry| (entry.name.clone(), entry.look.clone())).collect()
    }

    pub(super) fn get(&self, name: &OsStr) -> Option<&Entry> {
        self.0.get(name)
    }

    /// What was sent and looks as it did then.
    pub(super) fn sent(&self, looks: &Looks) -> Vec<OsString> {
        let is_same =
            |entry: &&Entry| !entry.items.is_empty() && looks.get(&entry.name) == Some(&entry.look);
        self.0.values().filter(is_same).map(|entry| entry.name.clone()).collect()
    }

    /// What came from the beam or was there at first is forgotten once it is away: it is new when it appears again. What was sent is not:
    /// it is in the beam.
    pub(super) fn sees(&mut self, looks: &Looks) -> bool {
        let before = self.0.len();
        self.0.retain(|name, entry| !entry.items.is_empty() || looks.contains_key(name));
        self.0.len() < before
    }

    /// Something is another file than the one that was sent.
    pub(super) fn differs(&mut self, name: &OsStr) {
        if let Some(entry) = self.0.get_mut(name) {
            entry.look.clear();
        }
    }

    /// The server has an item, or has refused it for good.
    pub(super) fn settled(&mut self, item: ItemId) -> bool {
        let entry = self.0.values_mut().find(|entry| entry.unconfirmed.contains(&item));
        let Some(entry) = entry else { return false };
        entry.unconfirmed.retain(|one| *one != item);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_remembered_when_its_file_is_away_and_what_came_is_not() {
        let mut files = SharedFiles::default();
        let item = ItemId::from_random([7; 16]);
        files.sends("sent".into(), "1".to_owned(), vec![(item, "print".to_owned())]);
        files.came("came".into(), "2".to_owned());
        let both = files.looks();
        assert!(!files.sees(&both));
        assert_eq!(files.sent(&both), [OsString::from("sent")]);
        assert!(files.sees(&Looks::new()));
        assert_eq!(files.looks().len(), 1);

        assert!(files.settled(item));
        assert!(!files.settled(item));
        let written = serde_json::to_string(&files).unwrap();
        let read: SharedFiles = serde_json::from_str(&written).unwrap();
        assert_eq!(read.get(OsStr::new("sent")).unwrap().items, [item]);
        assert!(read.get(OsStr::new("sent")).unwrap().unconfirmed.is_empty());
    }
}
