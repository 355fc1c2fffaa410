//! Decides whether the server's relay carries beside the direct links to a device (R6). It is one connection of TCP, which on some
//! paths carries many times what data channels do: where packets are lost, and in networks that slow UDP down. On a narrow line it
//! only takes from them, and what it carries goes over the operator's line twice. So trials show what it brings.

use std::time::Duration;

use heliograph_shared::relay::RelayUse;

use crate::measures::bytes as float;

/// A direct way that carries less is a very slow one, in bytes a millisecond. It is 1 Mbit/s, to which networks that slow UDP down
/// commonly hold it. What a bundle carries on a distant path that loses packets is far above.
const SLOW_RATE: f64 = 128.0;
/// A way that is no longer so slow carries this many times as much: it does not come and go at the bound.
const RECOVERED: f64 = 2.0;
/// On shorter ways data channels carry as much as both devices can handle.
const SHORTEST_ROUND_TRIP: Duration = Duration::from_millis(4);
/// A trial with the relay has to bring this many times the rate of before, and one without it has to keep this part.
const GAIN: f64 = 1.25;
const KEPT: f64 = 0.9;
/// A relay that carries this part of the whole is not tried without, and one that carries less than the second is useless.
const MAIN_SHARE: f64 = 0.5;
const LEAST_SHARE: f64 = 0.1;
/// The links are measured for so long before a trial, and in it. They begin slowly.
const MEASURED: Duration = Duration::from_secs(2);
const TRIAL: Duration = Duration::from_secs(3);
/// A trial is made when at least so much is left to come, in milliseconds: it has to pay.
const WORTH_MS: f64 = 5_000.0;
/// Pause after a trial that changed nothing. It doubles with each, up to the second.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(8);
/// A round trip that is so many times longer or shorter is that of another path, on which nothing was tried yet.
const OTHER_PATH: u32 = 3;
/// Weight of the newest rate in the average.
const NEWEST: f64 = 0.25;

/// What is seen of the links to a device.
#[derive(Clone, Copy, Debug)]
pub struct RelayView {
    /// Where the operator wants the relay; `None` while the server cannot be reached.
    pub relay_use: Option<RelayUse>,
    /// Bytes that are still to come; 0 when nothing is under way.
    pub left: u64,
    /// Bytes a millisecond over the direct links together.
    pub direct: f64,
    /// Bytes a millisecond over the relay.
    pub relay: f64,
    /// Round trip of the direct links when nothing waits on them; `None` while it is not known.
    pub round_trip: Option<Duration>,
    /// Whether the bundle tries another number of connections, whose gain or loss would be taken for the relay's.
    pub is_trying: bool,
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    since: Duration,
    /// Bytes a millisecond that everything together has to carry.
    at_least: f64,
}

/// The relay beside the direct links to one device.
#[derive(Debug)]
pub struct RelayJoining {
    is_joined: bool,
    /// Averages, in bytes a millisecond.
    direct: f64,
    relay: f64,
    /// Whether the links are being measured for this transfer.
    has_begun: bool,
    trial: Option<Trial>,
    /// No trial before the first time, nor before the second unless the path has become another one.
    measured_at: Duration,
    paused_until: Duration,
    pause: Duration,
    /// The round trip of the path on which the last trial was.
    tried_at: Option<Duration>,
}

impl Default for RelayJoining {
    fn default() -> Self {
        Self {
            is_joined: false,
            direct: 0.0,
            relay: 0.0,
            has_begun: false,
            trial: None,
            measured_at: Duration::ZERO,
            paused_until: Duration::ZERO,
            pause: PAUSE,
            tried_at: None,
        }
    }
}

impl RelayJoining {
    /// Whether the relay carries.
    #[must_use]
    pub const fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Whether it tries to carry, or to do without.
    #[must_use]
    pub const fn is_trying(&self) -> bool {
        self.trial.is_some()
    }

    /// Whether the relay carries the most, or may soon. More direct links would then cost both devices more than they bring.
    #[must_use]
    pub fn is_main(&self, now: Duration) -> bool {
        self.is_joined && (now < self.measured_at || self.share() >= MAIN_SHARE)
    }

    /// Whether the relay is to carry from now on. Called several times a second while anything moves.
    pub fn next(&mut self, view: &RelayView, now: Duration) -> bool {
        if view.left == 0 || !self.is_wanted(view) {
            self.is_joined = false;
            self.has_begun = false;
            self.trial = None;
        } else if let Some(round_trip) = view.round_trip {
            self.looks(view, round_trip, now);
        }
        self.is_joined
    }

    fn is_wanted(&self, view: &RelayView) -> bool {
        match view.relay_use {
            Some(RelayUse::Boost) => {
                let shortest = SHORTEST_ROUND_TRIP / if self.has_begun { 2 } else { 1 };
                view.round_trip.is_some_and(|round_trip| round_trip >= shortest)
            }
            Some(RelayUse::Fallback) if self.has_begun => {
                let is_beside = self.is_joined || self.is_trying();
                self.direct < SLOW_RATE * if is_beside { RECOVERED } else { 1.0 }
            }
            Some(RelayUse::Fallback) => view.direct < SLOW_RATE,
            Some(RelayUse::Off) | None => false,
        }
    }

    fn looks(&mut self, view: &RelayView, round_trip: Duration, now: Duration) {
        if !self.has_begun {
            let is_boost = view.relay_use == Some(RelayUse::Boost);
            self.begins(is_boost && now >= self.paused_until, now);
        }
        self.direct += NEWEST * (view.direct - self.direct);
        self.relay += NEWEST * (view.relay - self.relay);
        if view.is_trying {
            self.measured_at = now + MEASURED;
        }
        match self.trial {
            Some(trial) => self.judges(trial, now),
            None if now >= self.measured_at && self.may_try(view.left, round_trip, now) => {
                self.tries(round_trip, now);
            }
            None => {}
        }
    }

    /// With `boost` the relay carries from the start: it is fast long before the direct links are.
    fn begins(&mut self, is_joined: bool, now: Duration) {
        self.has_begun = true;
        self.is_joined = is_joined;
        self.direct = 0.0;
        self.relay = 0.0;
        self.measured_at = now + if is_joined { TRIAL } else { MEASURED };
    }

    fn share(&self) -> f64 {
        let all = (self.direct + self.relay).max(f64::MIN_POSITIVE);
        if self.is_joined { self.relay / all } else { 0.0 }
    }

    fn may_try(&self, left: u64, round_trip: Duration, now: Duration) -> bool {
        let share = self.share();
        if share >= MAIN_SHARE || float(left) < (self.direct + self.relay) * WORTH_MS {
            return false;
        }
        let is_other =
            |known: Duration| round_trip > known * OTHER_PATH || round_trip * OTHER_PATH < known;
        let is_useless = self.is_joined && share < LEAST_SHARE;
        now >= self.paused_until || self.tried_at.is_some_and(is_other) || is_useless
    }

    fn tries(&mut self, round_trip: Duration, now: Duration) {
        let part = if self.is_joined { KEPT } else { GAIN };
        self.trial = Some(Trial { since: now, at_least: (self.direct + self.relay) * part });
        self.tried_at = Some(round_trip);
        self.is_joined = !self.is_joined;
        self.relay = 0.0;
    }

    fn judges(&mut self, trial: Trial, now: Duration) {
        if now.saturating_sub(trial.since) < TRIAL {
            return;
        }
        let is_better = self.direct + self.relay >= trial.at_least;
        self.trial = None;
        self.measured_at = now + MEASURED;
        if is_better {
            self.pause = PAUSE;
        } else {
            self.is_joined = !self.is_joined;
        }
        self.paused_until = now + self.pause;
        self.pause = LONGEST_PAUSE.min(self.pause * 2);
    }
}
