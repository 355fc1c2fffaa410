//! Measures one link: how fast it delivers what is wanted on it, and how long its round trip is. From both follows its
//! window, which is how much may be wanted there and not have arrived (F4). The model is that of BBR
//! (draft-ietf-ccwg-bbr): the rate is measured while the link is busy, the round trip while little waits on it.

use std::collections::VecDeque;
use std::time::Duration;

use heliograph_shared::limits;

use crate::file_size::CHUNK_BYTES;
use crate::measures::{bytes as float, millis, whole};

/// A window never holds less: one frame, of four chunks, is under way while the next is asked for.
pub const SMALLEST_WINDOW_BYTES: u64 = 2 * 4 * CHUNK_BYTES;
const LARGEST_WINDOW_BYTES: u64 = limits::LARGEST_BUDGET_BYTES as u64;
/// The window holds this many times what the link carries in a round trip, so that a link that becomes faster shows it.
const GAIN: f64 = 2.0;
/// The same on a link that keeps the order of everything. A lost packet holds back there what has arrived behind it for a
/// round trip more, in which nothing new is wanted: with 2, such a link stayed at a tenth of what it could carry.
const ORDERED_GAIN: f64 = 4.0;
/// The most time that its window covers, before the gain. An answer waits there behind what is wanted, so that each measured
/// round trip could be longer than the last.
const MOST_ORDERED: Duration = Duration::from_millis(500);
/// The least time that a window covers: what a busy device and a disk may take to ask for more.
const LEAST_COVERED: Duration = Duration::from_millis(50);
/// The least time over which a rate is measured.
const LEAST_SPAN: Duration = Duration::from_millis(100);
/// The least number of frames over which a rate is measured. A slow link delivers one in a second.
const LEAST_ARRIVALS: usize = 4;
/// How often the round trip is measured anew (F15). A path may change in the middle of a file.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// How many measurements of the round trip count; the shortest of them is taken.
const PROBES_KEPT: usize = 2;
/// The shortest round trip of this time and of as long before it is taken for that of an empty path. BBR looks at 10 s too
/// (`MinRTTFilterLen`). A path that has become longer is known by then.
const BASE_SPAN: Duration = Duration::from_secs(10);
const BASES_KEPT: usize = 2;

#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// For how long the link had been busy.
    at: Duration,
    /// Bytes that had arrived by then.
    bytes: u64,
}

/// What is known of one link.
#[derive(Clone, Debug)]
pub struct LinkMeter {
    /// Bytes of the largest window of a link that keeps the order of everything, as TCP does.
    ordered: Option<u64>,
    /// The last arrivals, oldest first. The first entry is where the measuring began.
    arrivals: VecDeque<Arrival>,
    /// All bytes that arrived.
    arrived: u64,
    /// For how long the link was busy before it became so last.
    busy: Duration,
    /// Since when something is wanted here.
    busy_since: Option<Duration>,
    /// The newest last.
    round_trips: VecDeque<Duration>,
    /// Shortest round trips of the last spans of time, the newest last, and when that span began.
    bases: VecDeque<Duration>,
    base_since: Option<Duration>,
    /// When the round trip was last asked for.
    probed_at: Option<Duration>,
    is_probing: bool,
}

impl LinkMeter {
    /// Nothing is known yet. `ordered` are the bytes of the largest window of a link that keeps the order of everything, as
    /// TCP does.
    #[must_use]
    pub fn new(ordered: Option<u64>) -> Self {
        Self {
            ordered,
            arrivals: VecDeque::from([Arrival { at: Duration::ZERO, bytes: 0 }]),
            arrived: 0,
            busy: Duration::ZERO,
            busy_since: None,
            round_trips: VecDeque::new(),
            bases: VecDeque::new(),
            base_since: None,
            probed_at: None,
            is_probing: false,
        }
    }

    /// Shortest of the last round trips; `None` until one is measured.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trips.iter().min().copied()
    }

    /// Round trip of the path when nothing waits on it; `None` until one is measured.
    #[must_use]
    pub fn base(&self) -> Option<Duration> {
        self.bases.iter().min().copied()
    }

    /// Something is wanted on the link.
    pub fn wanted(&mut self, now: Duration) {
        self.busy_since.get_or_insert(now);
    }

    /// Bytes that were wanted on the link have arrived on it.
    pub fn arrived(&mut self, bytes: u64, now: Duration) {
        // The first chunk took a round trip, and what the sender needed to read it.
        if let (true, Some(since)) = (self.round_trips.is_empty(), self.busy_since) {
            self.round_trips.push_back(now.saturating_sub(since));
        }
        self.arrived += bytes;
        self.arrivals.push_back(Arrival { at: self.busy_at(now), bytes: self.arrived });
        self.forget();
    }

    /// Nothing more is wanted on the link. The time until something is says nothing about its rate.
    pub fn idle(&mut self, now: Duration) {
        self.busy = self.busy_at(now);
        self.busy_since = None;
    }

    /// Bytes a millisecond; `None` until enough has arrived.
    #[must_use]
    pub fn rate(&self, now: Duration) -> Option<f64> {
        let first = self.arrivals.front().filter(|_| self.arrivals.len() > LEAST_ARRIVALS)?;
        let took = self.busy_at(now).saturating_sub(first.at).max(Duration::from_millis(1));
        Some(float(self.arrived - first.bytes) / millis(took))
    }

    /// Most bytes that may be wanted here and not have arrived.
    #[must_use]
    pub fn window(&self, now: Duration) -> u64 {
        // It never grows by more than what arrived, as in the slow start of TCP (RFC 5681, section 3.1).
        let grown = SMALLEST_WINDOW_BYTES + self.arrived;
        let most = self.ordered.unwrap_or(LARGEST_WINDOW_BYTES).min(grown);
        match self.rate(now) {
            None => most,
            Some(rate) => whole(rate * self.covered()).max(SMALLEST_WINDOW_BYTES).min(most),
        }
    }

    /// Milliseconds of the link's rate that its window holds.
    fn covered(&self) -> f64 {
        let longest = if self.ordered.is_some() { MOST_ORDERED } else { Duration::MAX };
        let round_trip = self.round_trip().unwrap_or_default().min(longest);
        let least = millis(round_trip.max(LEAST_COVERED));
        match self.ordered {
            // What waits on the link makes the round trip longer. For the measurement the link holds no more than it carries.
            _ if self.is_probing => least,
            None => GAIN * least,
            // On a short way little is held back, and a text would wait behind everything that is under way for that.
            Some(_) => (ORDERED_GAIN * millis(round_trip)).max(GAIN * millis(LEAST_COVERED)),
        }
    }

    /// How long `bytes` more would take to arrive after `waiting` bytes, in milliseconds.
    #[must_use]
    pub fn duration(&self, waiting: u64, bytes: u64, now: Duration) -> f64 {
        // A link of which little is known is taken for fast, and for the slower the longer nothing comes.
        let unknown =
            || float(SMALLEST_WINDOW_BYTES) / millis(self.busy_at(now).max(LEAST_COVERED));
        let rate = self.rate(now).unwrap_or_else(unknown);
        float(waiting + bytes) / rate.max(f64::MIN_POSITIVE)
            + millis(self.round_trip().unwrap_or_default())
    }

    /// Whether the round trip is due to be measured (F15). The window is smaller from now until the answer.
    pub fn probe(&mut self, now: Duration) -> bool {
        let is_due = self.probed_at.is_none_or(|at| now.saturating_sub(at) >= PROBE_INTERVAL);
        if is_due {
            self.probed_at = Some(now);
            self.is_probing = true;
        }
        is_due
    }

    /// The answer to a probe has arrived, so long after it.
    pub fn answered(&mut self, round_trip: Duration, now: Duration) {
        self.is_probing = false;
        keep(&mut self.round_trips, round_trip, PROBES_KEPT);
        match self.base_since.filter(|since| now.saturating_sub(*since) < BASE_SPAN) {
            None => {
                keep(&mut self.bases, round_trip, BASES_KEPT);
                self.base_since = Some(now);
            }
            Some(_) => {
                if let Some(newest) = self.bases.back_mut() {
                    *newest = round_trip.min(*newest);
                }
            }
        }
    }

    fn busy_at(&self, now: Duration) -> Duration {
        self.busy + self.busy_since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    /// Forgets the arrivals that are older than the span over which the rate is measured.
    fn forget(&mut self) {
        let span = LEAST_SPAN.max(2 * self.round_trip().unwrap_or_default());
        let newest = self.arrivals.back().map_or(Duration::ZERO, |arrival| arrival.at);
        while self.arrivals.len() > LEAST_ARRIVALS + 1
            && self.arrivals.get(1).is_some_and(|second| newest.saturating_sub(second.at) >= span)
        {
            self.arrivals.pop_front();
        }
    }
}

/// Adds a measurement, and forgets the oldest where there are more than so many.
fn keep(measured: &mut VecDeque<Duration>, newest: Duration, most: usize) {
    measured.push_back(newest);
    if measured.len() > most {
        measured.pop_front();
    }
}
