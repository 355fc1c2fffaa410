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
    /// How often something has raised the doubt that notices were missed, and for how many of these nothing is remembered
    /// from before.
    doubts: u64,
    settled: u64,
}

/// What may have been missed until the node began to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    began: Moment,
    doubts: u64,
}

impl Trust {
    /// The node was heard then, and has missed nothing by that. Acts for a while from then on; `false` when a doubt from before
    /// is not settled.
    pub fn heard(&self, at: Moment) -> bool {
        let mut state = self.state();
        let is_settled = state.doubts == state.settled;
        if is_settled {
            self.extend(&mut state, at);
        }
        is_settled
    }

    /// Something may have been missed. The node is trusted no longer than so far until it has caught up.
    pub fn doubt(&self) {
        self.state().doubts += 1;
    }

    /// Others may have taken what this node has: it does not act until it has caught up.
    pub fn end(&self) {
        let mut state = self.state();
        state.doubts += 1;
        state.until = None;
    }

    /// The node looks now what it has missed.
    pub fn gap(&self) -> Gap {
        Gap { began: Moment::now(), doubts: self.state().doubts }
    }

    /// What this node remembered when it began to look is what is stored. A doubt that came meanwhile stays.
    pub fn caught_up(&self, gap: Gap) {
        let mut state = self.state();
        state.settled = state.settled.max(gap.doubts);
        if state.settled == state.doubts {
            self.extend(&mut state, gap.began);
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
        let gap = trust.gap();
        tokio::time::advance(SECOND).await;
        assert!(!trust.heard(Moment::now()));
        assert!(!trust.holds(now + TRUST));

        trust.caught_up(gap);
        // Counted is what was known when it began to look.
        assert!(!trust.holds(now + TRUST));
        assert!(trust.heard(Moment::now()));
        assert!(trust.holds(now + TRUST));
    }

    #[tokio::test(start_paused = true)]
    async fn a_doubt_that_comes_while_the_node_catches_up_stays() {
        let trust = Trust::default();
        trust.end();
        let first = trust.gap();
        trust.end();
        trust.caught_up(first);
        assert!(!trust.holds(Moment::now()) && !trust.heard(Moment::now()));
        trust.caught_up(trust.gap());
        assert!(trust.holds(Moment::now()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_given_up_stops_at_once() {
        let trust = Trust::default();
        trust.heard(Moment::now());
        trust.end();
        assert!(!trust.holds(Moment::now()));
    }
}
