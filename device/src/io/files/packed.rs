//! Many files that are offered as one item (F16).

use std::sync::Arc;

use super::error::FileError;
use super::source_file::{OpenFiles, SourceFile};
use super::walk::Walked;
use crate::manifest::{ManifestFacts, PackedFile, packs_of, write_manifest};
use crate::pack_paths::pack_paths;

/// The bytes of an item that is many files: its manifest, and theirs.
#[derive(Debug)]
pub struct PackedSource {
    facts: ManifestFacts,
    manifest: Vec<u8>,
    /// In the order of the manifest, with the offset of each in the item. Those without bytes are left out.
    files: Vec<(u64, SourceFile)>,
    size: u64,
}

/// Makes items of what was found, each with a manifest within its bounds.
///
/// `media_type` tells the type of a file by its path; it may be empty. `is_folder` says that all was found in one folder.
#[must_use]
pub fn packed_sources(
    walked: &Walked,
    media_type: impl Fn(&str) -> String,
    is_folder: bool,
) -> Vec<Arc<PackedSource>> {
    let paths: Vec<_> = walked.files.iter().map(|file| file.path.clone()).collect();
    let paths = pack_paths(&paths, &walked.empty_folders);
    let described = |(path, file): (String, &super::walk::WalkedFile)| {
        let stamp = file.source.stamp();
        PackedFile {
            media_type: media_type(&path),
            path,
            size: stamp.size,
            modified: stamp.modified_ms().unwrap_or_default(),
        }
    };
    let files: Vec<_> = paths.files.into_iter().zip(&walked.files).map(described).collect();
    let mut sources = walked.files.iter().map(|file| &file.source);
    let packs = packs_of(&files, &paths.folders);
    let packed = packs.into_iter().map(|pack| {
        let manifest = write_manifest(pack.files, pack.folders);
        let sources = sources.by_ref().take(pack.files.len()).cloned();
        Arc::new(PackedSource::new(manifest, sources, is_folder))
    });
    packed.collect()
}

impl PackedSource {
    pub(super) fn new(
        manifest: Vec<u8>,
        sources: impl IntoIterator<Item = SourceFile>,
        is_folder: bool,
    ) -> Self {
        let bytes = manifest.len() as u64;
        let (mut size, mut count, mut files) = (bytes, 0, Vec::new());
        for source in sources {
            count += 1;
            let start = size;
            size = size.saturating_add(source.size());
            if source.size() > 0 {
                files.push((start, source));
            }
        }
        let facts = ManifestFacts { files: count, bytes, folder: is_folder.then_some(true) };
        Self { facts, manifest, files, size }
    }

    /// What the item's message says of the manifest.
    #[must_use]
    pub const fn facts(&self) -> ManifestFacts {
        self.facts
    }

    /// The manifest (F16).
    #[must_use]
    pub fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    /// The files with bytes, in the order of the manifest.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().map(|(_, file)| file)
    }

    /// In bytes, with the manifest.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Reads `length` bytes from a position on.
    ///
    /// # Errors
    /// Where one of the files there cannot be read, or is not what it was: then the item is gone (F17).
    pub fn read(
        &self,
        open: &OpenFiles,
        position: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        let end = position.saturating_add(length as u64);
        if end > self.size {
            return Err(FileError::Changed);
        }
        let mut bytes = Vec::with_capacity(length);
        if let Ok(from) = usize::try_from(position) {
            let manifest = self.manifest.get(from..).unwrap_or_default();
            bytes.extend_from_slice(manifest.get(..length).unwrap_or(manifest));
        }
        let first = self.files.partition_point(|(start, file)| start + file.size() <= position);
        for (start, file) in self.files.iter().skip(first).take_while(|(start, _)| *start < end) {
            let from = position.max(*start) - start;
            let to = (end - start).min(file.size());
            let part = usize::try_from(to - from).unwrap_or(usize::MAX);
            bytes.extend(file.read(open, from, part)?);
        }
        Ok(bytes)
    }
}
