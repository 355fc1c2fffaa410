//! Decides how many connections the bundle to a device has (L6). One connection carries about 64 KiB in a round trip to a
//! browser, which reads its socket through a buffer of that size, and SCTP sends its window in one burst; further connections
//! have a socket and a window of their own. A trial of more of them shows whether they bring anything.

use std::time::Duration;

use crate::measures::{bytes as float, millis};

/// Most connections between two devices. On a long way 32 measured no more than 16.
pub const MOST_CONNECTIONS: u32 = 16;
/// A trial of more has twice as many connections, and as many times more as this fits the round trip.
const STEP: Duration = Duration::from_millis(3);
/// A trial of more has to bring this many times the rate.
const GAIN: f64 = 1.1;
/// What one connection carries in a round trip when its window holds it up, in bytes. What carries more is held up by nothing,
/// and what carries less by a narrow way, on which further connections only take from each other.
const MOST_PER_ROUND_TRIP: f64 = 128.0 * 1024.0;
const LEAST_PER_ROUND_TRIP: f64 = 8.0 * 1024.0;
/// A way that carries less has one connection, in bytes a millisecond.
const LEAST_RATE: f64 = 256.0;
/// The same for a bundle under way, for each connection.
const LEAST_RATE_OF_EACH: f64 = 16.0;
/// On shorter ways one connection carries as much as both devices can handle.
const SHORTEST_ROUND_TRIP: Duration = Duration::from_millis(4);
/// More connections need so long to pay, in milliseconds.
const WORTH_MS: f64 = 2_000.0;
/// After so many round trips the first connection has left its slow start (RFC 9260, section 7.2.1) and shows what it carries.
/// More connections are not tried before.
const FIRST_LOOK_ROUND_TRIPS: u32 = 6;
/// On a shorter way than this the first look is later. There is little to gain, and a machine that is busy with the beginning
/// answers as late as if it were far away.
const FAR: Duration = Duration::from_millis(20);
const FIRST_LOOK_NEAR: Duration = Duration::from_millis(800);
/// What a trial takes at least, also in round trips: a connection begins slowly.
const TRIAL: Duration = Duration::from_millis(800);
const TRIAL_ROUND_TRIPS: u32 = 16;
/// A trial that has not brought enough by then has failed. Many connections that begin together on a path with a small queue
/// take each other's packets at first.
const FAILED: Duration = Duration::from_secs(3);
/// The same for a trial of fewer. They are open already, and each second of it costs what the others carried.
const FAILED_FEWER: Duration = Duration::from_millis(1_500);
/// A trial does not wait longer for its connections.
const OPENING: Duration = Duration::from_secs(8);
/// Pause after a trial that brought nothing. It doubles with each, up to the second.
const SETTLED: Duration = Duration::from_secs(20);
const LONGEST_SETTLED: Duration = Duration::from_secs(320);
/// A path on which packets wait longer may be full. LEDBAT takes at most 100 ms (RFC 6817, section 2.5), which small queues
/// never reach. A trial of half as many connections shows whether fewer fill it as well, and leave room for a call or a film
/// of the same household.
const FULL: Duration = Duration::from_millis(60);
/// Such a trial has to keep this part of the rate.
const KEPT: f64 = 0.95;
/// A round trip that is so many times longer or shorter is that of another path, on which nothing was tried yet.
const OTHER_PATH: u32 = 3;
/// A bundle of which nothing was wanted for so long has one connection again.
const IDLE: Duration = Duration::from_secs(10);

/// What is seen of a bundle and of what comes through it.
#[derive(Clone, Copy, Debug)]
pub struct BundleView {
    /// Bytes that are still to come; 0 when nothing is under way.
    pub left: u64,
    /// Bytes a millisecond over all connections.
    pub rate: f64,
    /// `None` while it is not known.
    pub round_trip: Option<Duration>,
    /// The part of the round trip for which packets wait on the path.
    pub queuing: Duration,
    /// How many connections are open.
    pub open: u32,
    /// How many there may be.
    pub most: u32,
    /// What the relay does meanwhile (R6).
    pub relay: RelayBeside,
}

/// What the relay does beside a bundle (R6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayBeside {
    /// It carries nothing, or less than the bundle.
    Little,
    /// It tries to join or to leave. What that changes would be taken for the gain or loss of a trial here.
    Trying,
    /// It carries the most, so that no more connections are to be tried.
    Most,
}

/// A trial of another number of connections.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// Connections before it, and what they carried.
    size: u32,
    rate: f64,
    /// How many times that rate it has to reach.
    at_least: f64,
    began: Duration,
    /// When all of its connections were open.
    opened: Option<Duration>,
}

/// The bundle to one device.
#[derive(Debug)]
pub struct Bundle {
    size: u32,
    /// How many connections the last transfer needed.
    needed: u32,
    rate: f64,
    trial: Option<Trial>,
    idle_since: Option<Duration>,
    /// When something was wanted again after the bundle was idle.
    begun_at: Duration,
    /// No trial of more connections before this time, and none of fewer before the other.
    settled_until: Duration,
    crowded_until: Duration,
    /// The next pause after a trial that brings nothing.
    settles_for: Duration,
    /// The round trip of the path on which the last trial was.
    settled_at: Option<Duration>,
    /// Since when fewer are open than there should be.
    lacking_since: Option<Duration>,
}

impl Default for Bundle {
    fn default() -> Self {
        Self {
            size: 1,
            needed: 1,
            rate: 0.0,
            trial: None,
            idle_since: Some(Duration::ZERO),
            begun_at: Duration::ZERO,
            settled_until: Duration::ZERO,
            crowded_until: Duration::ZERO,
            settles_for: SETTLED,
            settled_at: None,
            lacking_since: None,
        }
    }
}

impl Bundle {
    /// How many connections it is to have.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Whether it tries another number of connections.
    #[must_use]
    pub const fn is_trying(&self) -> bool {
        self.trial.is_some()
    }

    /// How many connections the bundle is to have now. Called several times a second while anything moves.
    pub fn next(&mut self, view: &BundleView, now: Duration) -> u32 {
        if view.left == 0 {
            return self.idles(now);
        }
        if self.size > view.most {
            self.shrinks(view.most, now);
        }
        if self.idle_since.is_some() {
            self.begins(view, now);
        }
        self.rate = if self.rate == 0.0 { view.rate } else { f64::midpoint(self.rate, view.rate) };
        match self.trial {
            Some(trial) => self.judges(trial, view, now),
            None => self.gives(view.open, now),
        }
        if self.trial.is_none() && self.may_try(view, now) {
            if self.is_crowded(view, now) {
                self.tries(self.size.div_ceil(2), KEPT, view, now);
            } else if self.is_held_up(view, now) {
                self.tries_more(view, now);
            }
        }
        self.size
    }

    fn idles(&mut self, now: Duration) -> u32 {
        let since = *self.idle_since.get_or_insert(now);
        if let Some(trial) = self.trial.take() {
            self.size = trial.size;
        }
        if now.saturating_sub(since) > IDLE {
            self.size = 1;
        }
        self.size
    }

    /// The device has less to spend than before. What a trial brought with more says nothing about fewer.
    fn shrinks(&mut self, most: u32, now: Duration) {
        self.trial = None;
        self.size = most;
        self.settled_until = now + TRIAL;
    }

    /// Files are under way again: with as many connections as the last ones needed.
    fn begins(&mut self, view: &BundleView, now: Duration) {
        self.idle_since = None;
        self.rate = 0.0;
        if view.relay != RelayBeside::Most {
            self.size = self.size.max(self.needed).min(view.most);
        }
        self.begun_at = now;
        // What the last files needed is likely right.
        self.settled_until = if self.size > 1 { now + TRIAL } else { now };
    }

    fn may_try(&self, view: &BundleView, now: Duration) -> bool {
        let Some(round_trip) = view.round_trip else { return false };
        if view.relay == RelayBeside::Trying || view.open < self.size {
            return false;
        }
        let first_look =
            if round_trip < FAR { FIRST_LOOK_NEAR } else { round_trip * FIRST_LOOK_ROUND_TRIPS };
        let lasts = float(view.left) > self.rate * WORTH_MS;
        lasts && now.saturating_sub(self.begun_at) >= first_look
    }

    /// Whether fewer connections may carry as much.
    fn is_crowded(&self, view: &BundleView, now: Duration) -> bool {
        view.queuing > FULL && self.size > 1 && now >= self.crowded_until
    }

    fn is_on_another_path(&self, round_trip: Duration) -> bool {
        self.settled_at
            .is_some_and(|known| round_trip > known * OTHER_PATH || round_trip * OTHER_PATH < known)
    }

    /// Whether more connections may carry more.
    fn is_held_up(&self, view: &BundleView, now: Duration) -> bool {
        let Some(round_trip) = view.round_trip else { return false };
        // A busy machine answers late, however short the way to it is.
        let is_near = round_trip.saturating_sub(view.queuing) < SHORTEST_ROUND_TRIP;
        let is_settled = now < self.settled_until && !self.is_on_another_path(round_trip);
        let has_most = view.relay == RelayBeside::Most || self.size >= view.most;
        if has_most || is_near || is_settled || view.queuing > FULL {
            return false;
        }
        let of_each = self.rate * millis(round_trip) / f64::from(view.open);
        let is_held = LEAST_PER_ROUND_TRIP < of_each && of_each < MOST_PER_ROUND_TRIP;
        is_held && self.rate > LEAST_RATE
    }

    fn tries_more(&mut self, view: &BundleView, now: Duration) {
        let steps = view.round_trip.unwrap_or_default().as_nanos().div_ceil(STEP.as_nanos());
        let times = u32::try_from(steps).unwrap_or(u32::MAX).max(2);
        self.tries(self.size.saturating_mul(times).min(view.most), GAIN, view, now);
    }

    fn tries(&mut self, size: u32, at_least: f64, view: &BundleView, now: Duration) {
        let (size_before, rate) = (self.size, self.rate);
        self.trial = Some(Trial { size: size_before, rate, at_least, began: now, opened: None });
        self.settled_at = view.round_trip;
        self.size = size;
    }

    /// Has fewer connections where the others do not open, or where the way has become narrow.
    fn gives(&mut self, open: u32, now: Duration) {
        let since = if open >= self.size { None } else { self.lacking_since.or(Some(now)) };
        self.lacking_since = since;
        let is_lacking = since.is_some_and(|since| now.saturating_sub(since) > OPENING);
        let is_narrow = self.size > 1
            && now > self.settled_until
            && self.rate < LEAST_RATE_OF_EACH * f64::from(self.size);
        if !is_lacking && !is_narrow {
            return;
        }
        self.size = if is_narrow { 1 } else { open.clamp(1, self.size) };
        self.lacking_since = None;
        self.settles(now);
    }

    fn settles(&mut self, now: Duration) {
        self.settled_until = now + self.settles_for;
        self.settles_for = LONGEST_SETTLED.min(self.settles_for * 2);
    }

    fn judges(&mut self, mut trial: Trial, view: &BundleView, now: Duration) {
        if view.open >= self.size || now.saturating_sub(trial.began) > OPENING {
            trial.opened.get_or_insert(now);
        }
        self.trial = Some(trial);
        let Some(opened) = trial.opened else { return };
        let lasted = now.saturating_sub(opened);
        let has_failed = self.rate < trial.at_least * trial.rate;
        let enough = if self.size < trial.size { FAILED_FEWER } else { FAILED };
        let least = TRIAL.max(view.round_trip.unwrap_or_default() * TRIAL_ROUND_TRIPS);
        if lasted >= least && (!has_failed || lasted >= enough) {
            self.trial = None;
            self.concludes(trial.size, has_failed, now);
        }
    }

    fn concludes(&mut self, before: u32, has_failed: bool, now: Duration) {
        let is_fewer = self.size < before;
        if has_failed {
            self.size = before;
            if is_fewer {
                self.crowded_until = now + self.settles_for;
            }
            self.settles(now);
        } else if is_fewer {
            self.settled_until = now + SETTLED;
        } else {
            self.settles_for = SETTLED;
        }
        self.needed = self.size;
    }
}
