//! How fast relayed frames go on (R5): token buckets in which a frame reserves its place, so that those who wait for the
//! same one take turns and none starves. No clock: the caller passes the time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use heliograph_shared::socket::RelayUse;
use tokio::time::Instant;

use crate::size::Size;

/// Time by which frames may be ahead of the rate, and by which a server that wakes late catches up. Far below what a
/// person notices, far above the millisecond that a timer is late.
const AHEAD: Duration = Duration::from_millis(50);
/// The least rate, in bytes a second: with less, a full frame takes longer than the 8 s after which devices give the
/// relay up (L2) as soon as two of them send.
const LEAST: u64 = 64 * 1024;

/// What the server relays, and how fast.
#[derive(Clone, Debug, Default, Args)]
#[group(skip)]
pub struct Options {
    /// Where files go through the server: fallback (between devices that reach each other in no other way or very
    /// slowly), boost (beside every direct way to which that adds much), or off (nowhere).
    #[arg(long, env = "HELIOGRAPH_RELAY", value_name = "WHERE", default_value = "fallback")]
    pub relay: RelayUse,

    /// Most bytes a second that the server relays to one device: at least 64KiB, such as 4MiB [default: no bound].
    #[arg(long, env = "HELIOGRAPH_RELAY_DEVICE_RATE", value_name = "SIZE", value_parser = rate)]
    pub relay_device_rate: Option<Size>,

    /// Most bytes a second that the server relays to all devices together, who take turns [default: no bound].
    #[arg(long, env = "HELIOGRAPH_RELAY_RATE", value_name = "SIZE", value_parser = rate)]
    pub relay_rate: Option<Size>,
}

fn rate(text: &str) -> Result<Size, String> {
    let rate: Size = text.parse()?;
    if rate.0 < LEAST { Err("at least 64KiB a second".to_owned()) } else { Ok(rate) }
}

/// A token bucket of bytes.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Bytes a second.
    rate: u64,
    /// When all that was reserved is paid for; `None` before the first frame.
    paid_at: Option<Instant>,
}

impl Bucket {
    const fn full(rate: Size) -> Self {
        Self { rate: rate.0, paid_at: None }
    }

    /// Reserves room for bytes behind all that was reserved before, and returns when they may go. They never wait for
    /// tokens of their own, so a frame may be larger than the bucket.
    fn reserve(&mut self, bytes: usize, now: Instant) -> Instant {
        let paid_at = self.paid_at.map_or(now, |paid_at| paid_at.max(now));
        let nanos = bytes as u128 * 1_000_000_000 / u128::from(self.rate);
        let takes = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.paid_at = Some(paid_at + takes);
        paid_at.checked_sub(AHEAD).map_or(now, |at| at.max(now))
    }
}

/// The bounds of one server.
#[derive(Debug, Default)]
pub struct Rates {
    of_device: Option<Size>,
    of_all: Option<Mutex<Bucket>>,
}

impl Rates {
    /// Bounds with full buckets.
    #[must_use]
    pub fn new(options: &Options) -> Arc<Self> {
        let of_all = options.relay_rate.map(|rate| Mutex::new(Bucket::full(rate)));
        Arc::new(Self { of_device: options.relay_device_rate, of_all })
    }
}

/// When the frames for one device may go, one after the other.
#[derive(Debug, Default)]
pub struct Turns {
    rates: Arc<Rates>,
    of_device: Option<Bucket>,
    /// When the next frame may go, once it has reserved its place.
    next: Option<Instant>,
}

impl Turns {
    /// The turns of a new device.
    #[must_use]
    pub fn new(rates: Arc<Rates>) -> Self {
        let of_device = rates.of_device.map(Bucket::full);
        Self { rates, of_device, next: None }
    }

    /// When the next frame, of this many bytes, may go. It has reserved its place then, and is to go.
    pub fn next(&mut self, bytes: usize, now: Instant) -> Instant {
        if let Some(at) = self.next {
            return at;
        }
        let of_device = self.of_device.as_mut().map_or(now, |bucket| bucket.reserve(bytes, now));
        let of_all = self.rates.of_all.as_ref().map_or(now, |bucket| {
            // A poisoned lock is safe to use: nothing between its changes can panic.
            let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
            bucket.reserve(bytes, now)
        });
        *self.next.insert(of_device.max(of_all))
    }

    /// When the frame that has reserved its place may go.
    #[must_use]
    pub fn awaited(&self) -> Option<Instant> {
        self.next
    }

    /// The next frame went.
    pub fn gone(&mut self) {
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;
    const MIB: u64 = 1024 * 1024;

    fn options(device: Option<u64>, all: Option<u64>) -> Options {
        Options {
            relay_device_rate: device.map(Size),
            relay_rate: all.map(Size),
            ..Options::default()
        }
    }

    fn now() -> Instant {
        tokio::time::sleep(Duration::ZERO).deadline()
    }

    /// How many bytes of frames go to each device in a time, when each always has more.
    fn go(devices: &mut [(Turns, usize)], start: Instant, time: Duration) -> Vec<usize> {
        let mut gone = vec![0; devices.len()];
        for millis in 0..time.as_millis() {
            let now = start + Duration::from_millis(u64::try_from(millis).unwrap());
            for ((turns, bytes), gone) in devices.iter_mut().zip(&mut gone) {
                while turns.next(*bytes, now) <= now {
                    turns.gone();
                    *gone += *bytes;
                    assert!(*gone < 1 << 40);
                }
            }
        }
        gone
    }

    /// What a rate lets through in a time, and what it may be ahead.
    fn bounds(rate: u64, time: Duration) -> std::ops::Range<usize> {
        let of = |time: Duration| {
            let bytes = u128::from(rate) * time.as_millis() / 1_000;
            usize::try_from(bytes).unwrap()
        };
        of(time) - 64 * KIB..of(time + AHEAD) + 2 * 256 * KIB
    }

    #[tokio::test(start_paused = true)]
    async fn r5_a_device_gets_its_rate_and_is_hardly_ahead_of_it() {
        let time = Duration::from_secs(10);
        for (rate, bytes) in [(LEAST, 64 * KIB), (MIB, 256 * KIB), (100 * MIB, 64 * KIB), (MIB, 16)]
        {
            let turns = Turns::new(Rates::new(&options(Some(rate), None)));
            let gone = go(&mut [(turns, bytes)], now(), time);
            assert!(bounds(rate, time).contains(&gone[0]), "{rate} {bytes}: {gone:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn r5_all_devices_share_one_rate_in_turns_whatever_their_frames() {
        let time = Duration::from_secs(10);
        let rates = Rates::new(&options(None, Some(8 * MIB)));
        let mut devices = [64, 64, 64, 256].map(|kib| (Turns::new(rates.clone()), kib * KIB));
        let gone = go(&mut devices, now(), time);
        assert!(bounds(8 * MIB, time).contains(&gone.iter().sum()), "{gone:?}");
        let frames = gone.iter().zip(&devices).map(|(gone, (_, bytes))| gone / bytes);
        let frames: Vec<_> = frames.collect();
        // The first to come has what may be ahead: 7 frames, of about 220 for each.
        assert!(frames.iter().all(|count| count.abs_diff(frames[0]) <= 7), "{frames:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn r5_a_device_below_its_own_rate_leaves_the_rest_to_the_others() {
        let time = Duration::from_secs(10);
        let rates = Rates::new(&options(Some(MIB), Some(3 * MIB / 2)));
        let mut devices = [64; 2].map(|kib| (Turns::new(rates.clone()), kib * KIB));
        let gone = go(&mut devices, now(), time);
        assert!(bounds(3 * MIB / 2, time).contains(&gone.iter().sum()), "{gone:?}");
        let gone = go(&mut devices[..1], now() + 2 * time, time);
        assert!(bounds(MIB, time).contains(&gone[0]), "{gone:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn r5_what_was_not_used_does_not_come_later() {
        let mut turns = Turns::new(Rates::new(&options(Some(MIB), None)));
        let start = now();
        assert_eq!(turns.next(256 * KIB, start), start);
        turns.gone();
        let hour = start + Duration::from_hours(1);
        let gone = go(&mut [(turns, 64 * KIB)], hour, Duration::from_secs(1));
        assert!(bounds(MIB, Duration::from_secs(1)).contains(&gone[0]), "{gone:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn r5_without_a_bound_everything_goes_at_once() {
        let mut turns = Turns::default();
        for _ in 0..1_000 {
            assert_eq!(turns.next(256 * KIB, now()), now());
            turns.gone();
        }
    }
}
