//! Many files as one item (F16): its bytes are a manifest, which lists the files, and then the bytes of the files one after
//! another in the order of the list. A folder is the same with paths of several parts, and with its empty folders.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bounded_json::{Bounded, Object, present, safe_integer, safe_size};
use crate::names::{display_name, length};
use crate::paths::add_above;

/// The most files and empty folders of a manifest.
pub const MAX_PACKED_FILES: usize = 50_000;
/// The most bytes of a manifest: it is held in memory, and received before anything is shown of it.
pub const MAX_MANIFEST_BYTES: u64 = 8 * 1024 * 1024;
/// The most UTF-16 units of a path.
pub const MAX_PATH_LENGTH: usize = 1024;
/// The most parts of a path.
pub const MAX_DEPTH: usize = 64;
/// The most folders that a manifest means: those that it lists, and those above files and folders.
pub const MAX_FOLDERS: usize = 100_000;
/// The most UTF-16 units of a media type.
const MAX_TYPE_LENGTH: usize = 255;

/// What the item's message says of its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFacts {
    /// How many files it lists.
    #[serde(deserialize_with = "safe_size")]
    pub files: u64,
    /// Bytes of the manifest.
    #[serde(deserialize_with = "safe_size")]
    pub bytes: u64,
    /// Whether the item is one folder, whose name it bears. Only for how it is shown.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub folder: Option<bool>,
}

impl ManifestFacts {
    /// Reads what a message says of a manifest. `None` when that cannot be, so that the item, of `size` bytes, is a plain
    /// file.
    #[must_use]
    pub fn parse(facts: &Value, size: u64) -> Option<Self> {
        let Object(facts) = Object::<Self>::deserialize(facts).ok()?;
        let has_few = facts.files <= MAX_PACKED_FILES as u64;
        let has_room = (2..=MAX_MANIFEST_BYTES.min(size)).contains(&facts.bytes);
        (has_few && has_room).then_some(facts)
    }
}

/// One of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Parts joined by `/`; the last one is the file's name.
    pub path: String,
    /// In bytes.
    #[serde(deserialize_with = "safe_size")]
    pub size: u64,
    /// Its media type; may be empty.
    #[serde(rename = "type")]
    pub media_type: String,
    /// When its bytes were changed last, in milliseconds since the Unix epoch.
    #[serde(deserialize_with = "safe_integer")]
    pub modified: i64,
}

/// What a manifest lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The files, in the order of their bytes.
    pub files: Vec<PlacedFile>,
    /// The paths of the folders without files. Those with files are told by the paths of these.
    pub folders: Vec<String>,
}

/// A file with its place among the item's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFile {
    /// The file.
    pub file: PackedFile,
    /// The offset of its first byte.
    pub start: u64,
}

#[derive(Serialize)]
struct Written<'a> {
    files: &'a [PackedFile],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    folders: &'a [String],
}

/// Writes the manifest of files, and of the folders without files, as UTF-8. Devices read it if the paths are those of
/// `pack_paths`, and it has as much as `packs_of` allows.
#[must_use]
pub fn write_manifest(files: &[PackedFile], folders: &[String]) -> Vec<u8> {
    // Nothing of it has a form that JSON lacks.
    serde_json::to_vec(&Written { files, folders }).unwrap_or_default()
}

#[derive(Deserialize)]
struct Claimed {
    files: Bounded<Object<PackedFile>, MAX_PACKED_FILES>,
    #[serde(default)]
    folders: Bounded<String, MAX_PACKED_FILES>,
}

impl Manifest {
    /// Reads a manifest that another device wrote, of an item of `size` bytes. `None` when anything of it is not as F16
    /// says: a list that lies in one place is not believed in another.
    #[must_use]
    pub fn read(bytes: &[u8], facts: &ManifestFacts, size: u64) -> Option<Self> {
        if bytes.len() as u64 != facts.bytes || facts.bytes > MAX_MANIFEST_BYTES {
            return None;
        }
        let text = str::from_utf8(bytes).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Object(claimed) = serde_json::from_str::<Object<Claimed>>(text).ok()?;
        let files: Vec<_> = claimed.files.0.into_iter().map(|Object(file)| file).collect();
        let folders = claimed.folders.0;
        let is_as_said = files.len() as u64 == facts.files
            && files.len() + folders.len() <= MAX_PACKED_FILES
            && files.iter().all(is_safe)
            && folders.iter().all(|folder| is_safe_path(folder))
            && have_place_for_each(&files, &folders);
        if !is_as_said {
            return None;
        }
        let mut end = facts.bytes;
        let mut placed = Vec::with_capacity(files.len());
        for file in files {
            let start = end;
            end = end.checked_add(file.size)?;
            placed.push(PlacedFile { file, start });
        }
        (end == size).then_some(Self { files: placed, folders })
    }
}

fn is_safe(file: &PackedFile) -> bool {
    is_safe_path(&file.path) && length(&file.media_type) <= MAX_TYPE_LENGTH
}

/// Whether every part of a path can be shown and saved as it is. `.`, `..`, an empty part and one with `\` cannot.
fn is_safe_path(path: &str) -> bool {
    length(path) <= MAX_PATH_LENGTH
        && path.split('/').count() <= MAX_DEPTH
        && path.split('/').all(|part| display_name(part) == part)
}

/// Whether no two files, and no two folders, have one path, no file has the path of a folder, and the folders are not too
/// many.
fn have_place_for_each(files: &[PackedFile], empty: &[String]) -> bool {
    let paths: HashSet<&str> = files.iter().map(|file| &*file.path).collect();
    let mut folders: HashSet<&str> = empty.iter().map(|folder| &**folder).collect();
    if paths.len() < files.len() || folders.len() < empty.len() {
        return false;
    }
    for path in paths.iter().copied().chain(empty.iter().map(|folder| &**folder)) {
        add_above(path, &mut folders);
        if folders.len() > MAX_FOLDERS {
            return false;
        }
    }
    folders.is_disjoint(&paths)
}

/// Files and empty folders that go into one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack<'a> {
    /// The files.
    pub files: &'a [PackedFile],
    /// The folders without files.
    pub folders: &'a [String],
}

/// Divides files and empty folders into items that each have a manifest within its bounds, in their order, the folders
/// first. Every part but the last is as large as it may be.
#[must_use]
pub fn packs_of<'a>(files: &'a [PackedFile], folders: &'a [String]) -> Vec<Pack<'a>> {
    let mut packs = Vec::new();
    let mut rest = Pack { files, folders };
    while !(rest.files.is_empty() && rest.folders.is_empty()) {
        let mut manifest = Filling::default();
        let fitting = rest.folders.iter().take_while(|folder| manifest.takes(folder, folder, true));
        let (folders, more_folders) = rest.folders.split_at(fitting.count());
        let fitting = rest.files.iter().take_while(|file| manifest.takes(file, &file.path, false));
        let fitting = if more_folders.is_empty() { fitting.count() } else { 0 };
        let (files, more_files) = rest.files.split_at(fitting);
        packs.push(Pack { files, folders });
        rest = Pack { files: more_files, folders: more_folders };
    }
    packs
}

/// A manifest while it is filled.
struct Filling<'a> {
    bytes: u64,
    entries: usize,
    folders: HashSet<&'a str>,
}

impl Default for Filling<'_> {
    fn default() -> Self {
        // Those of a manifest that lists nothing.
        let bytes = r#"{"files":[],"folders":[]}"#.len() as u64;
        Self { bytes, entries: 0, folders: HashSet::new() }
    }
}

impl<'a> Filling<'a> {
    /// Takes one entry more, if there is room for it. There always is for the first one.
    fn takes(&mut self, entry: &impl Serialize, path: &'a str, is_folder: bool) -> bool {
        // With the comma behind it.
        let bytes = serde_json::to_vec(entry).map_or(0, |json| json.len() as u64 + 1);
        // Its own folders are at most as many as a path has parts.
        let has_room = self.entries < MAX_PACKED_FILES
            && self.bytes + bytes <= MAX_MANIFEST_BYTES
            && self.folders.len() + MAX_DEPTH <= MAX_FOLDERS;
        if self.entries > 0 && !has_room {
            return false;
        }
        self.bytes += bytes;
        self.entries += 1;
        self.folders.extend(is_folder.then_some(path));
        add_above(path, &mut self.folders);
        true
    }
}
