//! Takes an item that is many files (F16) apart, once all of it is here. The files are unpacked from the last to the first,
//! and the item gets shorter meanwhile, so that a folder needs little more room than its own size. They come into a folder
//! that only this program knows, and from there to their names, so that nothing that lies in the way can lead them elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

use super::error::FileError;
use super::journal::{Entry, Journal, Stage};
use super::packed::PackedSource;
use super::source_file::SourceFile;
use super::system;
use super::target::{Target, unfinished_name, unpacked_name};
use crate::manifest::{Manifest, PlacedFile};
use crate::paths::above;

/// So many bytes, or files, are unpacked before they are made durable and the item is cut.
const BATCH_BYTES: u64 = 64 * 1024 * 1024;
const BATCH_FILES: usize = 256;

/// The folder with the files, in that which only this program knows.
const FILES: &str = "files";
/// A folder beside it, in which the disk is tried.
const TRIAL: &str = "trial";

/// What is needed to unpack an item.
pub(super) struct Unpacking<'a> {
    pub journal: &'a Journal,
    pub target: &'a Target,
    pub entry: &'a mut Entry,
    /// The bytes of the item.
    pub part: &'a File,
}

/// The files of an item are in their folder.
pub(super) struct Unpacked {
    /// The names at the top that this run gave them.
    pub names: Vec<String>,
    /// What reads them as the item; `None` where it cannot be told where each of them is.
    pub source: Option<Arc<PackedSource>>,
}

impl Unpacking<'_> {
    /// Unpacks the item, and goes on where an earlier run was interrupted. `None` where it is a single file, because it has no
    /// manifest or one that is not to be believed.
    pub fn run(mut self) -> Result<Option<Unpacked>, FileError> {
        let Some(facts) = self.entry.manifest else { return Ok(None) };
        let length = usize::try_from(facts.bytes).unwrap_or_default();
        let bytes = system::read_at(self.part, 0, length)?;
        let Some(manifest) = Manifest::read(&bytes, &facts, self.entry.size) else {
            return Ok(None);
        };
        let own = unpacked_name(self.entry.item);
        let begun = matches!(self.entry.stage, Stage::Unpacking(_) | Stage::PlacingAll);
        if !begun {
            self.check_room(&manifest)?;
            let _ = self.target.folder().remove_dir_all(&own);
            self.target.folder().create_dir(&own)?;
        }
        let own_folder = match self.target.folder().open_dir(&own) {
            // What was unpacked is gone, and cut off from the item.
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Err(FileError::Changed),
            opened => opened?,
        };
        own_folder.create_dir_all(FILES)?;
        own_folder.create_dir_all(TRIAL)?;
        let rules = system::name_rules(&own_folder.open_dir(TRIAL)?);
        let paths = rules.saved_paths(&manifest);
        let files = own_folder.open_dir(FILES)?;
        if self.entry.stage != Stage::PlacingAll {
            self.unpack(&manifest, &paths.files, &files)?;
            for folder in &paths.folders {
                files.create_dir_all(folder)?;
            }
            self.entry.stage = Stage::PlacingAll;
            self.journal.write(self.entry)?;
        }
        let names = self.place(&files)?;
        let source = self.source(bytes, &manifest, &paths.files, &names);
        let _ = self.target.folder().remove_dir_all(&own);
        let _ = self.target.folder().remove_file(unfinished_name(self.entry.item));
        Ok(Some(Unpacked { names: names.into_values().collect(), source }))
    }

    /// Before the item is cut: what cannot be unpacked stays as it came.
    fn check_room(&self, manifest: &Manifest) -> Result<(), FileError> {
        let largest = manifest.files.iter().map(|placed| placed.file.size).max();
        let needed = largest.unwrap_or_default().saturating_add(BATCH_BYTES);
        let all = manifest.files.iter().map(|placed| placed.file.size).sum();
        let is_enough = self.target.free_bytes().is_none_or(|free| free >= needed.min(all));
        if is_enough { Ok(()) } else { Err(FileError::DiskFull) }
    }

    fn unpack(
        &mut self,
        manifest: &Manifest,
        paths: &[String],
        files: &Dir,
    ) -> Result<(), FileError> {
        let left = match self.entry.stage {
            Stage::Unpacking(left) => left.min(manifest.files.len()),
            _ => manifest.files.len(),
        };
        let mut folders = HashSet::new();
        let mut batch = Batch::default();
        let rest = manifest.files.iter().zip(paths).enumerate().take(left);
        for (at, (placed, path)) in rest.rev() {
            let folder = above(path);
            if !folder.is_empty() && folders.insert(folder) {
                files.create_dir_all(folder)?;
            }
            batch.files.push(self.unpack_one(placed, path, files)?);
            batch.bytes += placed.file.size;
            if batch.bytes >= BATCH_BYTES || batch.files.len() >= BATCH_FILES || at == 0 {
                system::sync_files(&std::mem::take(&mut batch).files)?;
                self.entry.stage = Stage::Unpacking(at);
                self.journal.write(self.entry)?;
                self.part.set_len(placed.start)?;
            }
        }
        Ok(())
    }

    fn unpack_one(&self, placed: &PlacedFile, path: &str, files: &Dir) -> Result<File, FileError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).follow(FollowSymlinks::No);
        let mut file = files.open_with(path, &options)?.into_std();
        let mut part = self.part;
        part.seek(SeekFrom::Start(placed.start))?;
        let copied = io::copy(&mut part.take(placed.file.size), &mut file)?;
        if copied != placed.file.size {
            return Err(FileError::Changed);
        }
        system::set_modified(&file, placed.file.modified);
        Ok(file)
    }

    /// Moves what is unpacked to its names in the folder, in their order. Returns each name at the top with the one that it
    /// has now.
    fn place(&self, files: &Dir) -> Result<BTreeMap<String, String>, FileError> {
        let names = files.entries()?.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        let mut placed = BTreeMap::new();
        for name in names {
            let Some(name) = name.to_str() else { continue };
            let now = self.target.place((files, name), name, |_| ())?;
            placed.insert(name.to_owned(), now);
        }
        Ok(placed)
    }

    fn source(
        &self,
        bytes: Vec<u8>,
        manifest: &Manifest,
        paths: &[String],
        names: &BTreeMap<String, String>,
    ) -> Option<Arc<PackedSource>> {
        let sources = manifest.files.iter().zip(paths).map(|(placed, path)| {
            let (top, rest) = path.split_once('/').unwrap_or((path, ""));
            let top = names.get(top)?;
            let path = if rest.is_empty() { top.clone() } else { format!("{top}/{rest}") };
            let source = SourceFile::within(self.target.folder(), Path::new(&path)).ok()?;
            (source.size() == placed.file.size).then_some(source)
        });
        let sources = sources.collect::<Option<Vec<_>>>()?;
        Some(Arc::new(PackedSource::new(bytes, sources, false)))
    }
}

#[derive(Default)]
struct Batch {
    files: Vec<File>,
    bytes: u64,
}
