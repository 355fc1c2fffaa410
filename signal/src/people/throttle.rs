//! Slows down guessing of passwords: after a few free attempts, each pause is twice the one before.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_storage::accounts::AccountId;
use tokio::time::Instant;
use uuid::Uuid;

use super::known_devices::DeviceNonce;

/// Attempts without a pause, since everybody mistypes.
const FREE: u32 = 5;
/// Longest pause between two attempts.
const LONGEST: Duration = Duration::from_mins(15);
/// Time after which the attempts at a target are forgotten.
const FORGOTTEN: Duration = Duration::from_hours(24);
/// Largest number of remembered targets. It bounds the memory that a flood of names can take.
const TARGETS: usize = 16_384;

/// The unit by which attempts are counted. A renamed account keeps its attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// An account, from devices that are not known there.
    Account(AccountId),
    /// A known device of an account.
    Device(DeviceNonce),
    /// A username without an account, in lower case. It is throttled too, so that pauses do not reveal accounts.
    Nobody(String),
}

impl Target {
    /// As another node of the server reads it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Account(account) => format!("account {}", account.uuid()),
            Self::Device(nonce) => format!("device {}", Uuid::from_bytes(*nonce)),
            Self::Nobody(name) => format!("nobody {name}"),
        }
    }

    /// Reads it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, who) = text.split_once(' ')?;
        match kind {
            "account" => Some(Self::Account(AccountId::from_uuid(who.parse().ok()?))),
            "device" => Some(Self::Device(who.parse::<Uuid>().ok()?.into_bytes())),
            "nobody" => Some(Self::Nobody(who.to_owned())),
            _ => None,
        }
    }
}

/// The attempts by target.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<HashMap<Target, Tries>>);

#[derive(Clone, Copy, Debug)]
struct Tries {
    count: u32,
    last: Instant,
}

impl Tries {
    /// When the next attempt is allowed.
    fn next_at(&self) -> Instant {
        let pause = match self.count.checked_sub(FREE) {
            None => Duration::ZERO,
            Some(doublings) => Duration::from_secs(1 << doublings.min(10)).min(LONGEST),
        };
        self.last + pause
    }
}

impl Throttle {
    /// Counts an attempt before its outcome is known, so that concurrent attempts count too.
    ///
    /// # Errors
    /// The time until the next attempt is allowed.
    pub fn begin(&self, target: &Target, now: Instant) -> Result<(), Duration> {
        let mut targets = self.lock();
        if targets.len() >= TARGETS && !targets.contains_key(target) {
            make_room(&mut targets, now);
        }
        let tries = targets.entry(target.clone()).or_insert(Tries { count: 0, last: now });
        let wait = tries.next_at().saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        *tries = Tries { count: tries.count + 1, last: now };
        Ok(())
    }

    /// Takes an attempt back because the password could not be checked.
    pub fn take_back(&self, target: &Target) {
        let mut targets = self.lock();
        if let Some(tries) = targets.get_mut(target) {
            tries.count = tries.count.saturating_sub(1);
        }
    }

    /// Forgets the attempts at a target, because the password was right.
    pub fn succeeded(&self, target: &Target) {
        self.lock().remove(target);
    }

    /// Forgets old attempts.
    pub fn sweep(&self, now: Instant) {
        self.lock().retain(|_, tries| now < tries.last + FORGOTTEN);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Target, Tries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the targets with the fewest attempts, an eighth at once. So a flood of names neither frees a target under
/// attack nor scans all targets for each name.
fn make_room(targets: &mut HashMap<Target, Tries>, now: Instant) {
    targets.retain(|_, tries| now < tries.last + FORGOTTEN);
    let mut room = TARGETS / 8;
    let mut counts: Vec<_> = targets.values().map(|tries| tries.count).collect();
    if counts.len() < TARGETS - room {
        return;
    }
    let (_, most, _) = counts.select_nth_unstable(room);
    let most = *most;
    targets.retain(|_, tries| {
        let goes = room > 0 && tries.count <= most;
        room -= usize::from(goes);
        !goes
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str) -> Target {
        Target::Nobody(name.to_owned())
    }

    #[test]
    fn another_node_counts_tries_of_the_same_target() {
        let account = Target::Account(AccountId::from_random([1; 16]));
        for target in [account, Target::Device([7; 16]), at("ada"), at("a b")] {
            assert_eq!(Target::parse(&target.text()), Some(target));
        }
        assert_eq!(Target::parse("x"), None);
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn five_tries_are_free_and_then_the_pause_doubles_up_to_its_end() {
        let (throttle, mut now) = (Throttle::default(), Instant::now());
        for _ in 0..5 {
            assert_eq!(throttle.begin(&at("ada"), now), Ok(()));
        }
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900] {
            assert_eq!(throttle.begin(&at("ada"), now), Err(pause * SECOND));
            let just_before = now + pause * SECOND - Duration::from_millis(1);
            assert!(throttle.begin(&at("ada"), just_before).is_err());
            now += pause * SECOND;
            assert_eq!(throttle.begin(&at("ada"), now), Ok(()), "{pause}");
        }
        assert_eq!(throttle.begin(&at("bob"), now), Ok(()));
    }

    #[test]
    fn the_right_password_and_a_day_of_quiet_make_all_well() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        while throttle.begin(&at("ada"), now).is_ok() {}
        throttle.succeeded(&at("ada"));
        while throttle.begin(&at("ada"), now).is_ok() {}
        throttle.sweep(now + FORGOTTEN - SECOND);
        assert_eq!(throttle.lock().len(), 1);
        throttle.sweep(now + FORGOTTEN);
        assert_eq!(throttle.lock().len(), 0);
    }

    #[test]
    fn a_try_that_nobody_could_look_at_does_not_count() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..20 {
            assert_eq!(throttle.begin(&at("ada"), now), Ok(()));
            throttle.take_back(&at("ada"));
        }
        while throttle.begin(&at("ada"), now).is_ok() {}
        throttle.take_back(&at("nobody"));
    }

    #[test]
    fn a_flood_of_names_costs_bounded_memory_and_frees_nobody() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        while throttle.begin(&at("ada"), now).is_ok() {}
        for n in 0..TARGETS * 2 {
            let _ = throttle.begin(&at(&n.to_string()), now);
        }
        assert!(throttle.lock().len() <= TARGETS);
        assert!(throttle.begin(&at("ada"), now).is_err());
    }
}
