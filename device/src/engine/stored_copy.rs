//! The last way of a transfer: the copy of the file that the server has (F22). It is read in ranges while no device can give the
//! file, and no longer once one can.

use std::time::Duration;

use super::contract::CopyId;
use crate::chunk_set::ChunkRange;
use crate::stall_clock::STALL;

/// A request.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) copy: CopyId,
    pub(super) chunks: ChunkRange,
    /// Its bytes, and those of them that were handed on.
    pub(super) bytes: u64,
    pub(super) taken: u64,
    /// What came of a chunk that is not whole yet.
    pub(super) rest: Vec<u8>,
    pub(super) waits_for_disk: bool,
}

#[derive(Debug)]
pub struct StoredCopy {
    pub(super) url: String,
    /// What it gave is wrong, or it is gone: it is not read again.
    pub(super) is_banned: bool,
    pub(super) not_before: Duration,
    /// Since when no device can give anything; `None` while one can.
    pub(super) alone_since: Option<Duration>,
    /// Whether it has been read since then.
    pub(super) has_begun: bool,
    /// When bytes last came, or the disk last took some.
    pub(super) heard_at: Duration,
    pub(super) reading: Option<Reading>,
}

impl StoredCopy {
    pub const fn new(url: String) -> Self {
        Self {
            url,
            is_banned: false,
            not_before: Duration::ZERO,
            alone_since: None,
            has_begun: false,
            heard_at: Duration::ZERO,
            reading: None,
        }
    }

    pub(super) fn is_read_by(&self, copy: CopyId) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.copy == copy)
    }

    /// Whether it may be read now.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        !self.is_banned && now >= self.not_before
    }

    /// Whether a connection that was cut without a word would look like this.
    pub(super) fn is_silent(&self, now: Duration) -> bool {
        let expects = self.reading.as_ref().is_some_and(|reading| !reading.waits_for_disk);
        expects && now.saturating_sub(self.heard_at) >= STALL
    }

    /// Takes bytes, and returns the whole chunks that are here now, from the first of them on; `None` where more came than was asked
    /// for.
    pub(super) fn takes(&mut self, bytes: &[u8], chunk_bytes: usize) -> Option<(u32, Vec<u8>)> {
        let reading = self.reading.as_mut()?;
        reading.rest.extend_from_slice(bytes);
        let left = (reading.bytes - reading.taken).checked_sub(reading.rest.len() as u64)?;
        let part = if left == 0 { 0 } else { reading.rest.len() % chunk_bytes };
        let rest = reading.rest.split_off(reading.rest.len() - part);
        let whole = std::mem::replace(&mut reading.rest, rest);
        let before = u32::try_from(reading.taken / chunk_bytes as u64).ok()?;
        reading.taken += whole.len() as u64;
        Some((reading.chunks.first.saturating_add(before), whole))
    }

    /// Whether all of a request has come.
    pub(super) fn is_all_here(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.taken == reading.bytes)
    }
}
