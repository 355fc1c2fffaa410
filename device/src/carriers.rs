//! Tells which links carry a transfer, in a way that a person can read: a link that joins or leaves is told once it has done so
//! for a moment, and a short pause between two chunks is none.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::receiver::LinkKey;

/// A link of which nothing is expected carries no more after so long without a chunk.
const QUIET: Duration = Duration::from_secs(1);
/// A change is told when it has lasted so long.
const STEADY: Duration = Duration::from_millis(750);

/// The links of one transfer.
#[derive(Debug, Default)]
pub struct Carriers {
    /// Those with chunks since the last look.
    fresh: BTreeSet<LinkKey>,
    /// When each was last seen to carry.
    carried_at: BTreeMap<LinkKey, Duration>,
    told: BTreeSet<LinkKey>,
    /// Since when other links carry than those that are told.
    differs_since: Option<Duration>,
}

impl Carriers {
    /// A chunk came or went over a link.
    pub fn carried(&mut self, link: LinkKey) {
        self.fresh.insert(link);
    }

    /// Nothing moves from now on, and nobody looks: what has carried since the last look did so by now, and not later.
    pub fn rests(&mut self, now: Duration) {
        self.carried_at.extend(std::mem::take(&mut self.fresh).into_iter().map(|link| (link, now)));
    }

    /// The links that carry. Called several times a second while anything moves. `is_busy` says whether anything of the transfer
    /// is still under way on a link.
    pub fn look(&mut self, is_busy: impl Fn(LinkKey) -> bool, now: Duration) -> &BTreeSet<LinkKey> {
        self.rests(now);
        self.carried_at.retain(|link, at| now.saturating_sub(*at) < QUIET || is_busy(*link));
        let carry: BTreeSet<_> = self.carried_at.keys().copied().collect();
        if carry.is_empty() || carry == self.told {
            self.differs_since = None;
        } else if self.is_due(&carry, now) {
            self.told = carry;
            self.differs_since = None;
        }
        &self.told
    }

    /// When none of the told links carries any more, there is nothing to wait for.
    fn is_due(&mut self, carry: &BTreeSet<LinkKey>, now: Duration) -> bool {
        let since = *self.differs_since.get_or_insert(now);
        carry.is_disjoint(&self.told) || now.saturating_sub(since) >= STEADY
    }
}
