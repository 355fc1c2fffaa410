//! Points in time. This crate has no clock: callers pass them.

use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};

/// A point in time: milliseconds since the Unix epoch. Arithmetic saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(i64);

impl Millis {
    /// Before all times.
    pub const MIN: Self = Self(i64::MIN);
    /// Never: after all times.
    pub const MAX: Self = Self(i64::MAX);

    /// The time this many milliseconds after the Unix epoch.
    #[must_use]
    pub const fn new(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The time from `earlier` to this; zero when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or_default())
    }
}

/// A duration in whole milliseconds, as the protocol and the database count it.
fn whole(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl Add<Duration> for Millis {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(whole(duration)))
    }
}

impl Sub<Duration> for Millis {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(whole(duration)))
    }
}

impl From<Millis> for i64 {
    fn from(time: Millis) -> Self {
        time.0
    }
}

/// A plain number in the bindings, as on the wire.
impl TS for Millis {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(config: &Config) -> String {
        i64::name(config)
    }

    fn inline(config: &Config) -> String {
        i64::inline(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_time_moves_by_durations_and_stops_at_both_ends() {
        assert_eq!(Millis::new(5) + SECOND, Millis::new(1_005));
        assert_eq!(Millis::new(5) - SECOND, Millis::new(-995));
        assert_eq!(Millis::MAX + SECOND, Millis::MAX);
        assert_eq!(Millis::MIN - Duration::MAX, Millis::MIN);
    }

    #[test]
    fn the_time_since_a_later_one_is_zero() {
        assert_eq!(Millis::new(1_005).since(Millis::new(5)), SECOND);
        assert_eq!(Millis::new(5).since(Millis::new(1_005)), Duration::ZERO);
        assert_eq!(Millis::MIN.since(Millis::MAX), Duration::ZERO);
    }

    #[test]
    fn a_time_is_a_plain_number_in_json() {
        assert_eq!(serde_json::to_string(&Millis::new(5)).unwrap(), "5");
        assert_eq!(serde_json::from_str::<Millis>("-5").unwrap(), Millis::new(-5));
    }
}
