//! The disk of a device in a test: what it shares, receives, and remembers.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::engine::contract::{FileFailure, Input, JournalEntry, Output, ReadOf};
use heliograph_device::file_size::CHUNK_BYTES;
use heliograph_shared::ids::ItemId;

use super::world::content;

/// What one device has on its disk.
#[derive(Default)]
pub struct Disk {
    pub offered: BTreeMap<ItemId, Vec<u8>>,
    pub parts: BTreeMap<ItemId, Vec<u8>>,
    pub journal: BTreeMap<ItemId, JournalEntry>,
    pub finished: BTreeMap<ItemId, Vec<u8>>,
    /// The finished files that were what their device shares, when they were finished.
    pub right: BTreeSet<ItemId>,
    /// Bytes that may still be written, and why no more; `None` for any number.
    pub takes: Option<(u64, FileFailure)>,
    /// A place in parts of files that cannot be read, until it is written again.
    pub unreadable: Option<u64>,
    /// Why the next file cannot be finished.
    pub finishes_not: Option<FileFailure>,
}

impl Disk {
    /// Does what an engine asks for, and returns the answer.
    pub fn does(&mut self, output: Output) -> Option<Input> {
        match output {
            Output::Open { id, place } => {
                self.parts.entry(id).or_default();
                return Some(Input::Opened { id, place, result: Ok(()) });
            }
            Output::Write { id, place, chunks, bytes } => {
                let result = self.writes(id, chunks, &bytes);
                return Some(Input::Wrote { id, place, chunks, result });
            }
            Output::Read { read, of: ReadOf::Received(_), start, bytes }
                if self
                    .unreadable
                    .is_some_and(|at| (start..start + bytes as u64).contains(&at)) =>
            {
                return Some(Input::Read { read, bytes: None });
            }
            Output::Read { read, of, start, bytes } => {
                let (start, end) = (usize::try_from(start).unwrap(), bytes);
                let of = match of {
                    ReadOf::Offered(id) => self.offered.get(&id),
                    ReadOf::Received(id) => self.finished.get(&id).or(self.parts.get(&id)),
                };
                let bytes = of.and_then(|file| file.get(start..start + end)).map(<[u8]>::to_vec);
                return Some(Input::Read { read, bytes });
            }
            Output::Keep { id, chunks, is_paused, .. } => {
                let entry = self.journal.entry(id).or_default();
                (entry.chunks, entry.is_paused) = (chunks, is_paused);
            }
            Output::KeepHashes { id, hashes, .. } => {
                self.journal.entry(id).or_default().hashes = hashes;
            }
            Output::KeepPause { id, is_paused } => {
                self.journal.entry(id).or_default().is_paused = is_paused;
            }
            Output::Finish { id, place } => {
                if let Some(why) = self.finishes_not.take() {
                    return Some(Input::Finished { id, place, result: Err(why) });
                }
                let whole = self.parts.remove(&id).unwrap_or_default();
                if whole == content(id, whole.len()) {
                    self.right.insert(id);
                }
                self.finished.insert(id, whole);
                self.journal.remove(&id);
                return Some(Input::Finished { id, place, result: Ok(()) });
            }
            Output::Discard(id) => {
                self.parts.remove(&id);
                self.journal.remove(&id);
            }
            Output::Release(_) => {}
            other => panic!("{other:?}"),
        }
        None
    }

    fn writes(&mut self, id: ItemId, chunks: ChunkRange, bytes: &[u8]) -> Result<(), FileFailure> {
        if let Some((room, why)) = &mut self.takes {
            *room = room.checked_sub(bytes.len() as u64).ok_or(why.clone())?;
        }
        let part = self.parts.get_mut(&id).expect("the place is open");
        let start = usize::try_from(u64::from(chunks.first) * CHUNK_BYTES).unwrap();
        self.unreadable.take_if(|at| (start as u64..(start + bytes.len()) as u64).contains(at));
        part.resize(part.len().max(start + bytes.len()), 0);
        part[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}
