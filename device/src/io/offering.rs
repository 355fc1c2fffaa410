//! Makes items of the files and folders that a person has named: a file is one item, and so is a folder with all that is in it (F16).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use heliograph_shared::limits::MAX_BATCH_FILES;
use uuid::Uuid;

use super::files::error::FileError;
use super::files::packed::packed_sources;
use super::files::shared_files::FilePrint;
use super::files::source::Source;
use super::files::source_file::{OpenFolders, SourceFile};
use super::files::target::Target;
use super::files::walk::{LeftOut, Walked, WalkedFile, WhyLeftOut, walk, walk_in};
use super::system_random::SystemRandom;
use crate::engine::contract::FileSeal;
use crate::file_facts::{BatchPart, FileFacts};
use crate::file_size::FileSize;
use crate::manifest::ManifestFacts;
use crate::names::display_name;

/// The media type of bytes that only a device of a beam can read.
const PACK_TYPE: &str = "application/octet-stream";

/// A file, or files that are one item, to be offered.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// Its name, safe to show.
    pub name: String,
    /// Its media type; may be empty.
    pub media_type: String,
    /// When its bytes were changed last, in milliseconds since the Unix epoch; `None` where that is not known.
    pub modified: Option<i64>,
    /// What its bytes are read from.
    pub source: Source,
    /// Its place among the files that were named together.
    pub batch: Option<BatchPart>,
    /// What is said of its manifest; `None` for a single file.
    pub manifest: Option<ManifestFacts>,
    print: FilePrint,
}

impl NewFile {
    /// It blocks: it looks at each file.
    fn new(
        name: String,
        media_type: String,
        modified: Option<i64>,
        source: Source,
        manifest: Option<ManifestFacts>,
    ) -> Self {
        let print = print(&name, &source);
        Self { name, media_type, modified, source, batch: None, manifest, print }
    }

    /// What its item says of it; `None` where it is too large for any device.
    #[must_use]
    pub fn facts(&self, seal: Option<FileSeal>) -> Option<FileFacts> {
        Some(FileFacts {
            name: self.name.clone(),
            size: FileSize::new(self.source.size())?,
            media_type: self.media_type.clone(),
            modified: self.modified,
            batch: self.batch,
            manifest: self.manifest,
            seal,
            url: None,
        })
    }

    /// By what a later run knows it again (F17): its name, its size, when it was changed last, and the same of each file in it. Other bytes
    /// that were sealed with the same key would tell what both are.
    #[must_use]
    pub const fn print(&self) -> FilePrint {
        self.print
    }
}

fn print(name: &str, source: &Source) -> FilePrint {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(&source.size().to_le_bytes());
    match source {
        Source::File(file) => times(file, &mut hasher),
        Source::Packed(packed) => {
            hasher.update(packed.manifest());
            packed.files().for_each(|file| times(file, &mut hasher));
        }
        Source::Memory(bytes) => drop(hasher.update(bytes)),
    }
    FilePrint(hasher.finalize().into())
}

/// A text as a file, because it is too long for a message. It blocks for a moment where the text is very long.
#[must_use]
pub fn text_file(name: &str, text: &str) -> NewFile {
    let source = Source::Memory(text.as_bytes().into());
    NewFile::new(display_name(name), "text/plain".to_owned(), None, source, None)
}

fn times(file: &SourceFile, hasher: &mut blake3::Hasher) {
    let since = file.stamp().modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    hasher.update(&since.unwrap_or_default().as_nanos().to_le_bytes());
    if let Some((seconds, nanoseconds)) = file.changed() {
        hasher.update(&seconds.to_le_bytes());
        hasher.update(&nanoseconds.to_le_bytes());
    }
}

/// What was found where a person has named it.
#[derive(Debug, Default)]
pub struct Chosen {
    /// What is to be offered.
    pub files: Vec<NewFile>,
    /// What is not offered, and why.
    pub left_out: Vec<LeftOut>,
}

/// Looks at the files and folders that a person has named. Nothing of their content is read. What cannot be read, or is no file, is left
/// out: among many names, as of `*`, it keeps nothing else back. It blocks.
///
/// `media_type` tells the type of a file by its name; it may be empty.
pub fn choose(named: &[PathBuf], media_type: impl Fn(&str) -> String) -> Chosen {
    let mut chosen = Chosen::default();
    let (mut single, mut folders) = (Walked::default(), OpenFolders::default());
    for path in named {
        let choices = (&mut chosen, &mut single, &mut folders);
        if let Err(why) = choose_one(path, &media_type, choices) {
            let (path, why) = (path.to_string_lossy().into_owned(), WhyLeftOut::Unreadable(why));
            chosen.left_out.push(LeftOut { path, why });
        }
    }
    let count = single.files.len();
    if count > MAX_BATCH_FILES {
        chosen.files.extend(packed(&single, &format!("{count} files"), &media_type, false));
        return chosen;
    }
    let id = uuid::Builder::from_random_bytes(SystemRandom::bytes()).into_uuid();
    let singles = single.files.into_iter().enumerate();
    chosen.files.extend(singles.map(|(index, file)| NewFile {
        batch: part(id, count, index),
        ..alone(file, &media_type)
    }));
    chosen
}

fn choose_one(
    path: &Path,
    media_type: impl Fn(&str) -> String,
    (chosen, single, folders): (&mut Chosen, &mut Walked, &mut OpenFolders),
) -> Result<(), FileError> {
    let name = path.canonicalize()?;
    let name = path.file_name().or(name.file_name()).unwrap_or(name.as_os_str());
    let name = display_name(&name.to_string_lossy());
    if path.is_dir() {
        let mut walked = walk(&[path.to_owned()])?;
        chosen.left_out.append(&mut walked.left_out);
        chosen.files.extend(packed(&walked, &name, media_type, true));
    } else {
        single.files.push(WalkedFile { path: name, source: SourceFile::named(path, folders)? });
    }
    Ok(())
}

/// Looks at one file or folder of an open folder, without what is named so that it is left. No symbolic link leads there. It blocks.
///
/// `media_type` is as for [`choose`].
///
/// # Errors
/// Where it cannot be read; [`FileError::Special`] where it is neither a file nor a folder.
pub fn choose_in(
    target: &Target,
    name: &OsStr,
    media_type: impl Fn(&str) -> String,
    is_left: impl Fn(&OsStr) -> bool,
) -> Result<Chosen, FileError> {
    let mut walked = walk_in(target.folder(), name, &is_left)?;
    let name = display_name(&name.to_string_lossy());
    let left_out = std::mem::take(&mut walked.left_out);
    // A folder has its own name before those of its files.
    let is_single = walked.empty_folders.is_empty()
        && matches!(&walked.files[..], [file] if !file.path.contains('/'));
    let files = match walked.files.pop() {
        Some(file) if is_single => vec![alone(WalkedFile { path: name, ..file }, &media_type)],
        last => {
            walked.files.extend(last);
            packed(&walked, &name, &media_type, true)
        }
    };
    Ok(Chosen { files, left_out })
}

fn alone(file: WalkedFile, media_type: impl Fn(&str) -> String) -> NewFile {
    let WalkedFile { path: name, source } = file;
    let (media_type, modified) = (media_type(&name), source.stamp().modified_ms());
    NewFile::new(name, media_type, modified, Source::File(source), None)
}

fn part(id: Uuid, count: usize, index: usize) -> Option<BatchPart> {
    (count > 1).then_some(BatchPart { id, count, index })
}

fn packed(
    walked: &Walked,
    name: &str,
    media_type: impl Fn(&str) -> String,
    is_folder: bool,
) -> Vec<NewFile> {
    let modified = walked.files.iter().filter_map(|file| file.source.stamp().modified_ms()).max();
    let sources = packed_sources(walked, media_type, is_folder).into_iter();
    let made = sources.map(|source| {
        let (name, facts) = (name.to_owned(), Some(source.facts()));
        NewFile::new(name, PACK_TYPE.to_owned(), modified, Source::Packed(source), facts)
    });
    made.collect()
}
