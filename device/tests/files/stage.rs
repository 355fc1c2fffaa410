//! A device with a disk: a folder for its state and one for what it receives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::FileSize;
use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::received::{Incoming, Received};
use heliograph_device::io::files::source_file::{OpenFiles, OpenFolders, SourceFile};
use heliograph_device::io::files::store::Store;
use heliograph_device::io::files::target::Target;
use heliograph_device::manifest::ManifestFacts;
use heliograph_shared::ids::{BeamId, ItemId};

/// A moment and a day, in milliseconds since the Unix epoch.
pub const NOW: i64 = 1_763_740_800_000;
pub const DAY: i64 = 24 * 60 * 60 * 1_000;

pub struct Disk {
    pub store: Store,
    pub target: Arc<Target>,
    pub open: OpenFiles,
    root: PathBuf,
}

impl Disk {
    /// That of a program, which finds there what an earlier one has left.
    pub fn at(root: &Path) -> Self {
        let received = root.join("received");
        std::fs::create_dir_all(&received).unwrap();
        Self {
            store: Store::open(&root.join("state")).unwrap(),
            target: Arc::new(Target::open(&received).unwrap()),
            open: OpenFiles::default(),
            root: root.to_owned(),
        }
    }

    pub fn receive(&self, incoming: &Incoming) -> Received {
        self.store.receive(&self.target, incoming, NOW).unwrap()
    }

    /// Receives all of a file at once. Returns the names that it gets.
    pub fn receives(&self, incoming: &Incoming, bytes: &[u8]) -> Vec<String> {
        let mut received = self.receive(incoming);
        received.write(0, bytes).unwrap();
        received.keep(&[incoming.size.chunks()], false, NOW).unwrap();
        names_of(received.finish(NOW).unwrap())
    }

    /// Receives the first chunks of a file, enters them, and ends there.
    pub fn begins(&self, incoming: &Incoming, count: u32) {
        let mut received = self.receive(incoming);
        let first = chunks(0, count);
        let bytes = usize::try_from(incoming.size.range_bytes(first)).unwrap();
        received.write(0, &sample(bytes)).unwrap();
        received.keep(&[first], false, NOW).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join("received").join(name)
    }

    /// Everything in the folder for received files, and in the folders there, in order.
    pub fn list(&self) -> Vec<String> {
        list(&self.root.join("received"))
    }

    /// The same in the folder of the state, without the lock that is always there.
    pub fn state(&self) -> Vec<String> {
        list(&self.root.join("state")).into_iter().filter(|name| name != "lock").collect()
    }
}

pub fn list(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            let below = list(&entry.path());
            names.extend(below.into_iter().map(|below| format!("{name}/{below}")));
        }
        names.push(name);
    }
    names.sort();
    names
}

pub fn names_of(paths: Vec<PathBuf>) -> Vec<String> {
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.into_iter().map(name).collect()
}

pub fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

pub fn incoming(name: &str, bytes: u64) -> Incoming {
    Incoming {
        item: item(1),
        beam: BeamId::from_random([9; 16]),
        name: name.to_owned(),
        size: FileSize::new(bytes).unwrap(),
        modified: None,
        manifest: None,
    }
}

/// An item that is many files.
pub fn incoming_pack(facts: ManifestFacts, bytes: u64) -> Incoming {
    Incoming { manifest: Some(facts), ..incoming("many", bytes) }
}

/// Bytes that differ from chunk to chunk.
pub fn sample(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at / 7 + at / 16_384) as u8).collect()
}

pub fn chunks(first: u32, count: u32) -> ChunkRange {
    ChunkRange::new(first, count)
}

/// A file that a person has named.
pub fn named(path: &Path) -> Result<SourceFile, FileError> {
    SourceFile::named(path, &mut OpenFolders::default())
}
