//! Who offers when: the first offer, and restarts of ICE (L4).

use std::time::Duration;

use tokio::time::Instant;

/// Pause between two restarts, so that a device that asks again and again costs little.
const RESTART_INTERVAL: Duration = Duration::from_secs(1);
/// Limit for the answer to an offer. One that is lost would be waited for forever, and keep back every later restart.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The offers of an initiator.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// When the last restart began.
    restarted: Option<Instant>,
    is_wanted: bool,
    /// When the offer was made that has no answer yet.
    offered: Option<Instant>,
}

impl Offers {
    /// Wants a restart. [`Offers::is_due`] says when.
    pub(super) fn want_restart(&mut self) {
        self.is_wanted = true;
    }

    /// Whether a restart is to begin now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.is_wanted && self.offered.is_none() && now >= self.earliest(now)
    }

    pub(super) fn restarts(&mut self, now: Instant) {
        self.is_wanted = false;
        self.restarted = Some(now);
    }

    pub(super) fn offers(&mut self, now: Instant) {
        self.offered = Some(now);
    }

    /// Whether an answer was waited for.
    pub(super) fn is_answered(&mut self) -> bool {
        self.offered.take().is_some()
    }

    /// Whether the answer is late.
    pub(super) fn is_lost(&self, now: Instant) -> bool {
        self.offered.is_some_and(|at| now >= at + ANSWER_LIMIT)
    }

    /// When to look again, if nothing happens before.
    pub(super) fn next(&self, now: Instant) -> Option<Instant> {
        match self.offered {
            Some(at) => Some(at + ANSWER_LIMIT),
            None => self.is_wanted.then(|| self.earliest(now)),
        }
    }

    fn earliest(&self, now: Instant) -> Instant {
        self.restarted.map_or(now, |at| at + RESTART_INTERVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l4_at_most_one_restart_a_second_begins() {
        let (mut offers, now) = (Offers::default(), Instant::now());
        offers.want_restart();
        assert!(offers.is_due(now));
        offers.restarts(now);
        offers.want_restart();
        assert!(!offers.is_due(now));
        assert_eq!(offers.next(now), Some(now + RESTART_INTERVAL));
        assert!(offers.is_due(now + RESTART_INTERVAL));
    }

    #[test]
    fn l4_no_restart_begins_while_an_answer_is_waited_for() {
        let (mut offers, now) = (Offers::default(), Instant::now());
        offers.offers(now);
        offers.want_restart();
        assert!(!offers.is_due(now));
        assert!(offers.is_answered());
        assert!(offers.is_due(now));
        assert!(!offers.is_answered(), "an answer that nobody asked for");
    }

    #[test]
    fn an_answer_that_is_lost_is_not_waited_for_forever() {
        let (mut offers, now) = (Offers::default(), Instant::now());
        offers.offers(now);
        assert_eq!(offers.next(now), Some(now + ANSWER_LIMIT));
        assert!(!offers.is_lost(now));
        assert!(offers.is_lost(now + ANSWER_LIMIT));
    }
}
