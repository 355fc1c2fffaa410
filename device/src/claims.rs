//! The pieces that other devices get from the one that shared the file, as far as what they say may be believed (F20).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use crate::chunk_set::ChunkRange;

/// A claim that is not repeated is void after so long.
const CLAIM: Duration = Duration::from_secs(8);
/// A piece that a device claims for longer does not reach it: it is not left to it.
const LONGEST_CLAIM: Duration = Duration::from_secs(30);
/// Pieces that a device may claim: those of the largest window (F4), each begun or half done.
const MOST_CLAIMED: usize = 64;

#[derive(Debug)]
struct Claimed {
    /// Since when each piece is claimed.
    pieces: BTreeMap<u32, Duration>,
    /// When the device said so last.
    at: Duration,
}

/// The claims of all other devices on one file.
#[derive(Debug)]
pub struct Claims {
    /// Pieces of the file.
    total: u32,
    by: BTreeMap<DeviceId, Claimed>,
    held: BTreeSet<u32>,
}

impl Claims {
    /// No claims on a file of so many pieces.
    #[must_use]
    pub const fn new(total: u32) -> Self {
        Self { total, by: BTreeMap::new(), held: BTreeSet::new() }
    }

    /// The pieces that were claimed at the last look.
    #[must_use]
    pub const fn held(&self) -> &BTreeSet<u32> {
        &self.held
    }

    /// A device claims pieces. These are all of them: what it claimed before is void.
    pub fn said(&mut self, device: DeviceId, claimed: &[ChunkRange], now: Duration) {
        let before = self.by.remove(&device).map(|before| before.pieces).unwrap_or_default();
        let claimed = claimed.iter().flat_map(|range| range.first..range.end().min(self.total));
        let since = |piece: u32| before.get(&piece).copied().unwrap_or(now);
        let pieces = claimed.take(MOST_CLAIMED).map(|piece| (piece, since(piece))).collect();
        self.by.insert(device, Claimed { pieces, at: now });
    }

    /// A device is gone. Its claims are void from the next look on.
    pub fn end(&mut self, device: DeviceId) {
        self.by.remove(&device);
    }

    /// Finds what is claimed now, and forgets claims that were not repeated. `is_lacking` says whether this device still has to ask
    /// for a piece: others may get whatever else, as nobody waits for it.
    pub fn look(&mut self, is_lacking: impl Fn(u32) -> bool, now: Duration) {
        self.by.retain(|_, claimed| now.saturating_sub(claimed.at) <= CLAIM);
        let claims = self.by.values().flat_map(|claimed| &claimed.pieces);
        let is_fresh = |since: &Duration| now.saturating_sub(*since) <= LONGEST_CLAIM;
        let held = claims.filter(|(piece, since)| is_fresh(since) && is_lacking(**piece));
        self.held = held.map(|(piece, _)| *piece).collect();
    }
}
