//! A time by which a machine that was suspended knows that it was.

use std::ops::Add;
use std::time::Duration;

use tokio::time::Instant;

/// By so much the difference of two clocks that are read one after the other may be off.
const SLACK: Duration = Duration::from_millis(100);

/// A time by a clock that stands while the machine is suspended, and for how long it has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub steady: Instant,
    suspended: Duration,
}

impl Moment {
    pub fn now() -> Self {
        Self { steady: Instant::now(), suspended: suspended() }
    }

    /// Whether it is before this one, and the machine was not suspended in between.
    pub fn is_before(self, end: Self) -> bool {
        self.steady < end.steady && self.suspended <= end.suspended + SLACK
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self { steady: self.steady + time, ..self }
    }
}

/// For how long this machine has been suspended since it was started (`clock_gettime(2)`).
#[cfg(target_os = "linux")]
fn suspended() -> Duration {
    use rustix::time::{ClockId, Timespec, clock_gettime};
    let time = |clock| -> Duration {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
        let [seconds, nanos] = [tv_sec, tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
        Duration::from_secs(seconds) + Duration::from_nanos(nanos)
    };
    let awake = time(ClockId::Monotonic);
    time(ClockId::Boottime).saturating_sub(awake)
}

/// No other system tells it in a way that is known here.
#[cfg(not(target_os = "linux"))]
fn suspended() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_awake_says_twice_the_same() {
        let first = Moment::now();
        std::thread::sleep(Duration::from_millis(20));
        assert!(Moment::now().is_before(first + Duration::from_mins(1)));
        assert!(!Moment::now().is_before(first));
    }

    #[test]
    fn what_is_later_by_the_clock_that_goes_on_is_not_before() {
        let heard = Moment::now();
        let woken = Moment { suspended: heard.suspended + Duration::from_mins(1), ..heard };
        assert!(!woken.is_before(heard + Duration::from_secs(3)));
    }
}
