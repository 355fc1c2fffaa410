//! The ends of transfers with one device that it has not answered yet: each is said again until it is (F7).

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::ids::ItemId;

use crate::frames::{CancelReason, ControlFrame};
use crate::stall_clock::STALL;

/// How often an end is said on one link without an answer.
const MOST_SAID: u32 = 5;
/// Pause between two answers to chunks of transfers that are not known here.
const REFUSE_INTERVAL: Duration = Duration::from_secs(1);

/// How a transfer ends between two devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every chunk is durable at the receiver.
    Done,
    /// One of the two devices wants or has no more of it.
    Cancel(CancelReason),
}

impl End {
    /// The frame that says so.
    #[must_use]
    pub const fn frame(self, transfer: ItemId) -> ControlFrame {
        match self {
            Self::Done => ControlFrame::Done { transfer },
            Self::Cancel(reason) => ControlFrame::Cancel { transfer, reason },
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Unheard {
    end: End,
    said_at: Duration,
    /// How often it was said on the current link.
    times: u32,
    /// It is said once more when it is answered. The answer may be to an end before this one; or the device has sent chunks since:
    /// it may have heard a `want` after this, which was faster on another link.
    is_said_again: bool,
}

/// What one device has not answered. The frames that its methods return are to be sent at once, on the best link; they are
/// lost where there is none.
#[derive(Debug, Default)]
pub struct UnheardEnds {
    ends: BTreeMap<ItemId, Unheard>,
    /// When chunks of an unknown transfer were last answered.
    refused_at: Option<Duration>,
}

impl UnheardEnds {
    /// A transfer ends. A later end of the same one counts in place of the first, and is said once more after the first answer,
    /// which may be that to the first.
    pub fn ends(&mut self, transfer: ItemId, end: End, now: Duration) -> ControlFrame {
        let is_said_again = self.ends.contains_key(&transfer);
        self.ends.insert(transfer, Unheard { end, said_at: now, times: 1, is_said_again });
        end.frame(transfer)
    }

    /// The device goes on with a transfer whose end it has not answered.
    pub fn contradicts(&mut self, transfer: ItemId) {
        if let Some(unheard) = self.ends.get_mut(&transfer) {
            unheard.is_said_again = true;
        }
    }

    /// Whether the end of a transfer is still unanswered, and will be said again on this link. Meanwhile a sender ignores each
    /// `want` for a transfer that it cancelled, and a receiver wants nothing of it.
    #[must_use]
    pub fn is_ending(&self, transfer: ItemId) -> bool {
        self.ends.get(&transfer).is_some_and(|unheard| unheard.times < MOST_SAID)
    }

    /// Whether any end remains to be said again on this link.
    #[must_use]
    pub fn are_left(&self) -> bool {
        self.ends.values().any(|unheard| unheard.times < MOST_SAID)
    }

    /// `ended` came. Returns the end where it is said once more.
    pub fn heard(&mut self, transfer: ItemId, now: Duration) -> Option<ControlFrame> {
        let heard = self.ends.remove(&transfer).filter(|unheard| unheard.is_said_again)?;
        Some(self.ends(transfer, heard.end, now))
    }

    /// The ends that have waited for an answer for more than 8 s.
    pub fn say_again(&mut self, now: Duration) -> Vec<ControlFrame> {
        let is_due = |unheard: &Unheard| {
            unheard.times < MOST_SAID && now.saturating_sub(unheard.said_at) > STALL
        };
        let due = self.ends.iter_mut().filter(|(_, unheard)| is_due(unheard));
        due.map(|(transfer, unheard)| unheard.say(*transfer, now)).collect()
    }

    /// A link opened: every end that was not answered.
    pub fn say_on_new_link(&mut self, now: Duration) -> Vec<ControlFrame> {
        let all = self.ends.iter_mut().map(|(transfer, unheard)| {
            unheard.times = 0;
            unheard.say(*transfer, now)
        });
        all.collect()
    }

    /// Chunks came of a transfer that is not known here. Nothing of it is remembered: the device may send any number of them.
    /// `None` while the answer of a moment ago holds for it.
    pub fn refuses(&mut self, transfer: ItemId, now: Duration) -> Option<ControlFrame> {
        let is_soon = self.refused_at.is_some_and(|at| now.saturating_sub(at) < REFUSE_INTERVAL);
        if is_soon || self.is_ending(transfer) {
            return None;
        }
        self.refused_at = Some(now);
        Some(End::Cancel(CancelReason::Person).frame(transfer))
    }
}

impl Unheard {
    fn say(&mut self, transfer: ItemId, now: Duration) -> ControlFrame {
        self.said_at = now;
        self.times += 1;
        self.end.frame(transfer)
    }
}
