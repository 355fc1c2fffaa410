//! Guessing passwords: a few tries for nothing, then each one costs twice the time of the one before.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Tries that cost nothing: everybody mistypes.
const FREE: u32 = 5;
/// Longest pause between two tries.
const LONGEST: Duration = Duration::from_mins(15);
/// Quiet after which the tries at a name are forgotten.
const FORGOTTEN: Duration = Duration::from_hours(24);
/// Names that are remembered at a time: what a flood of names may cost in memory.
const NAMES: usize = 16_384;

/// Tries by name, whether anybody has that name or not.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<HashMap<String, Tries>>);

#[derive(Clone, Copy, Debug)]
struct Tries {
    count: u32,
    last: Instant,
}

impl Tries {
    /// From when on the next one is allowed.
    fn next_at(&self) -> Instant {
        let pause = match self.count.checked_sub(FREE) {
            None => Duration::ZERO,
            Some(doublings) => Duration::from_secs(1 << doublings.min(10)).min(LONGEST),
        };
        self.last + pause
    }
}

impl Throttle {
    /// Counts a try before its outcome is known: many at once must not all be the first.
    ///
    /// # Errors
    /// How long to wait.
    pub fn begin(&self, name: &str, now: Instant) -> Result<(), Duration> {
        let mut names = self.lock();
        if names.len() >= NAMES && !names.contains_key(name) {
            make_room(&mut names, now);
        }
        let tries = names.entry(name.to_owned()).or_insert(Tries { count: 0, last: now });
        let wait = tries.next_at().saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        *tries = Tries { count: tries.count + 1, last: now };
        Ok(())
    }

    /// Nobody could look at the password: the try does not count.
    pub fn take_back(&self, name: &str) {
        let mut names = self.lock();
        if let Some(tries) = names.get_mut(name) {
            tries.count = tries.count.saturating_sub(1);
        }
    }

    /// It was the right password: nothing is held against the name.
    pub fn succeeded(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Forgets what is long ago.
    pub fn sweep(&self, now: Instant) {
        self.lock().retain(|_, tries| now < tries.last + FORGOTTEN);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Tries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names with the fewest tries go first, an eighth at once, so that a flood of names neither frees the one that is
/// being guessed at nor looks through all of them each time.
fn make_room(names: &mut HashMap<String, Tries>, now: Instant) {
    names.retain(|_, tries| now < tries.last + FORGOTTEN);
    let mut room = NAMES / 8;
    let mut counts: Vec<_> = names.values().map(|tries| tries.count).collect();
    if counts.len() < NAMES - room {
        return;
    }
    let (_, most, _) = counts.select_nth_unstable(room);
    let most = *most;
    names.retain(|_, tries| {
        let goes = room > 0 && tries.count <= most;
        room -= usize::from(goes);
        !goes
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn five_tries_are_free_and_then_the_pause_doubles_up_to_its_end() {
        let (throttle, mut now) = (Throttle::default(), Instant::now());
        for _ in 0..5 {
            assert_eq!(throttle.begin("ada", now), Ok(()));
        }
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900] {
            assert_eq!(throttle.begin("ada", now), Err(pause * SECOND));
            let just_before = now + pause * SECOND - Duration::from_millis(1);
            assert!(throttle.begin("ada", just_before).is_err());
            now += pause * SECOND;
            assert_eq!(throttle.begin("ada", now), Ok(()), "{pause}");
        }
        assert_eq!(throttle.begin("bob", now), Ok(()));
    }

    #[test]
    fn the_right_password_and_a_day_of_quiet_make_all_well() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        while throttle.begin("ada", now).is_ok() {}
        throttle.succeeded("ada");
        while throttle.begin("ada", now).is_ok() {}
        throttle.sweep(now + FORGOTTEN - SECOND);
        assert_eq!(throttle.lock().len(), 1);
        throttle.sweep(now + FORGOTTEN);
        assert_eq!(throttle.lock().len(), 0);
    }

    #[test]
    fn a_try_that_nobody_could_look_at_does_not_count() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..20 {
            assert_eq!(throttle.begin("ada", now), Ok(()));
            throttle.take_back("ada");
        }
        while throttle.begin("ada", now).is_ok() {}
        throttle.take_back("nobody");
    }

    #[test]
    fn a_flood_of_names_costs_bounded_memory_and_frees_nobody() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        while throttle.begin("ada", now).is_ok() {}
        for n in 0..NAMES * 2 {
            let _ = throttle.begin(&n.to_string(), now);
        }
        assert!(throttle.lock().len() <= NAMES);
        assert!(throttle.begin("ada", now).is_err());
    }
}
