//! Until when a node may act on what it remembers. A node that stands still, as one does whose machine is suspended, has
//! missed what the others said meanwhile, and another one may drive its beams. So a node acts only for a while after it
//! was last heard, by clocks of which one goes on while it stands.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::moment::Moment;

/// For so long a node acts after it was heard. Shorter than [`super::keys::NODE_LIFE`], so that it has stopped before another one
/// begins.
pub(super) const TRUST: Duration = Duration::from_secs(3);

/// The end of that time, and whether it may be put off.
#[derive(Debug, Default)]
pub(super) struct Trust {
    state: Mutex<State>,
    longer: Notify,
}

#[derive(Debug, Default)]
struct State {
    until: Option<Moment>,
    /// When it was said last that the node is there: in Redis, or in the database, in which whoever takes its beams then finds it.
    said: Option<Moment>,
    /// How often something has raised the doubt that notices were missed, and for how many of these nothing is remembered
    /// from before.
    doubts: u64,
    settled: u64,
    /// How many of them were that others may have taken what this node has.
    ends: u64,
    /// How often the node has looked what it has missed.
    gaps: u64,
}

/// What may have been missed until the node began to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// When it was said last that the node is there.
    said: Moment,
    doubts: u64,
    ends: u64,
}

impl Trust {
    /// The node was heard then, and has missed nothing by that. Acts for a while from then on; `false` when a doubt from before
    /// is not settled.
    pub fn heard(&self, at: Moment) -> bool {
        let mut state = self.state();
        state.said = Some(at);
        let is_settled = state.doubts == state.settled;
        if is_settled {
            self.extend(&mut state, at);
        }
        is_settled
    }

    /// Then it was about to be said in the database that the node is there, and now it is.
    pub fn said(&self, at: Moment) {
        self.state().said = Some(at);
    }

    /// Something may have been missed. The node is trusted no longer than so far until it has caught up.
    pub fn doubt(&self) {
        self.state().doubts += 1;
    }

    /// Others may have taken what this node has: it does not act until it has caught up.
    pub fn end(&self) {
        let mut state = self.state();
        state.doubts += 1;
        state.ends += 1;
        state.until = None;
    }

    /// The node looks now what it has missed. `None` while nobody was told that it is there.
    pub fn gap(&self) -> Option<Gap> {
        let mut state = self.state();
        state.gaps += 1;
        let State { said, doubts, ends, .. } = *state;
        said.map(|said| Gap { said, doubts, ends })
    }

    /// How often that was.
    pub fn gaps(&self) -> u64 {
        self.state().gaps
    }

    /// What this node remembered when it began to look is what is stored. A doubt that came meanwhile stays: whoever raised it
    /// waits until what was read before has no effect any more. Whoever took what this node has does not.
    pub fn caught_up(&self, gap: Gap) {
        let mut state = self.state();
        state.settled = state.settled.max(gap.doubts);
        if state.ends == gap.ends {
            self.extend(&mut state, gap.said);
        }
    }

    fn extend(&self, state: &mut State, heard: Moment) {
        let until = heard + TRUST;
        if state.until.is_none_or(|before| before.steady < until.steady) {
            state.until = Some(until);
        }
        self.longer.notify_waiters();
    }

    pub fn holds(&self, at: Moment) -> bool {
        self.state().until.is_some_and(|until| at.is_before(until))
    }

    /// Waits until it holds.
    pub async fn held(&self) {
        loop {
            let longer = self.longer.notified();
            if self.holds(Moment::now()) {
                return;
            }
            longer.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_node_that_stood_still_waits_until_it_is_heard_again() {
        let trust = Trust::default();
        assert_eq!(trust.held().now_or_never(), None);
        assert!(trust.heard(Moment::now()));
        assert_eq!(trust.held().now_or_never(), Some(()));

        tokio::time::advance(TRUST).await;
        let mut held = Box::pin(trust.held());
        assert_eq!(held.as_mut().now_or_never(), None);
        assert!(trust.heard(Moment::now()));

        assert_eq!(held.now_or_never(), Some(()));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_comes_late_makes_the_time_no_shorter() {
        let (trust, now) = (Trust::default(), Moment::now());
        assert!(trust.heard(now + SECOND) && trust.heard(now));
        assert!(trust.holds(now + TRUST));
    }

    #[tokio::test(start_paused = true)]
    async fn in_doubt_a_node_acts_no_longer_than_so_far_until_it_has_caught_up() {
        let (trust, now) = (Trust::default(), Moment::now());
        trust.heard(now);
        trust.doubt();
        tokio::time::advance(SECOND).await;
        assert!(!trust.heard(Moment::now()));
        let gap = trust.gap().unwrap();
        assert!(!trust.holds(now + TRUST));
        tokio::time::advance(SECOND).await;
        assert!(!trust.heard(Moment::now()));

        trust.caught_up(gap);
        // It counts from when the node was heard before it began to look.
        assert!(trust.holds(now + TRUST) && !trust.holds(now + TRUST + SECOND));
        assert!(trust.heard(Moment::now()));
        assert!(trust.holds(now + TRUST + SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn a_doubt_that_comes_while_the_node_catches_up_stays_and_stops_nothing() {
        let trust = Trust::default();
        let now = Moment::now();
        trust.heard(now);
        trust.doubt();
        let first = trust.gap().unwrap();
        trust.doubt();
        trust.caught_up(first);
        assert!(trust.holds(now) && !trust.heard(now));
        trust.caught_up(trust.gap().unwrap());
        assert!(trust.heard(now));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_is_given_up_while_it_catches_up_catches_up_again() {
        let (trust, now) = (Trust::default(), Moment::now());
        trust.end();
        trust.heard(now);
        let first = trust.gap().unwrap();
        trust.end();
        trust.caught_up(first);
        assert!(!trust.holds(now) && !trust.heard(now));
        trust.caught_up(trust.gap().unwrap());
        assert!(trust.holds(now));
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_node_reads_counts_for_nothing_while_nobody_was_told_that_it_is_there() {
        let trust = Trust::default();
        assert_eq!(trust.gap(), None);
        trust.said(Moment::now());
        tokio::time::advance(TRUST).await;
        trust.caught_up(trust.gap().unwrap());
        assert!(!trust.holds(Moment::now()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_given_up_stops_at_once() {
        let trust = Trust::default();
        trust.heard(Moment::now());
        trust.end();
        assert!(!trust.holds(Moment::now()));
    }
}
