//! Decides how often devices without the link may try to be let in (E8).

use std::time::Duration;

use heliograph_shared::ids::DeviceId;

/// So many tries that nobody has let in, and no other is answered for so long: who stands between two devices has one chance in 2^24
/// with each.
const MOST_TRIES: usize = 3;
pub(super) const LOCKED: Duration = Duration::from_mins(10);

#[derive(Default)]
pub(super) struct LettingIn {
    /// The tries that led to nothing yet, with the time of each. A device may have several.
    tries: Vec<(DeviceId, Duration)>,
}

impl LettingIn {
    /// Whether a joiner may begin.
    pub(super) fn may_begin(&mut self, now: Duration) -> bool {
        self.tries.retain(|(_, at)| now.saturating_sub(*at) < LOCKED);
        self.tries.len() < MOST_TRIES
    }

    pub(super) fn begins(&mut self, device: DeviceId, now: Duration) {
        self.tries.push((device, now));
    }

    /// A joiner was let in: its tries do not count.
    pub(super) fn lets_in(&mut self, device: DeviceId) {
        self.tries.retain(|(one, _)| *one != device);
    }
}
