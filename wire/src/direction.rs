//! One direction of a wire: when each packet that enters it leaves it, or that it is lost. Knows no clock.

use std::str::FromStr;
use std::time::Duration;

/// What a wire does to the packets that it carries, in each direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Time from one end to the other.
    pub delay: Duration,
    /// Part of the packets that is lost, from 0 to 1.
    pub loss: f64,
    /// Bytes a second that fit the wire; 0 for any number.
    pub bytes_per_second: f64,
    /// Most bytes that wait for the wire. What is more is lost, as in a router.
    pub queue_bytes: f64,
}

impl FromStr for Traits {
    type Err = String;

    /// Reads `DELAY_MS LOSS_PERCENT MBIT_PER_SECOND QUEUE_KIB`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> =
            text.split_whitespace().map_while(|word| word.parse().ok()).collect();
        match *numbers {
            [delay, percent, mbit, kib]
                if numbers.iter().all(|number| (0.0..=1e9).contains(number)) =>
            {
                Ok(Self {
                    delay: Duration::from_secs_f64(delay / 1_000.0),
                    loss: percent / 100.0,
                    bytes_per_second: mbit * 125_000.0,
                    queue_bytes: kib * 1_024.0,
                })
            }
            _ => Err(format!("\"{text}\" is not DELAY_MS LOSS_PERCENT MBIT_PER_SECOND QUEUE_KIB.")),
        }
    }
}

/// The state of one direction. Times are durations since any fixed moment.
#[derive(Debug)]
pub struct Direction {
    /// When the wire has carried all that waits for it.
    free_at: Duration,
    random: u64,
}

impl Direction {
    /// Makes a direction of which the `seed`, which must not be 0, chooses the packets that are lost.
    pub fn new(seed: u64) -> Self {
        Self { free_at: Duration::ZERO, random: seed }
    }

    /// Returns when a packet of `bytes` that enters at `now` leaves at the other end, or `None` when it is lost.
    pub fn enters(&mut self, traits: &Traits, bytes: usize, now: Duration) -> Option<Duration> {
        let start = self.free_at.max(now);
        let on_wire = if traits.bytes_per_second > 0.0 {
            let waiting = start.saturating_sub(now).as_secs_f64() * traits.bytes_per_second;
            #[expect(clippy::cast_precision_loss, reason = "a packet is small")]
            let bytes = bytes as f64;
            if waiting + bytes > traits.queue_bytes {
                return None;
            }
            Duration::from_secs_f64(bytes / traits.bytes_per_second)
        } else {
            Duration::ZERO
        };
        self.free_at = start + on_wire;
        (self.chance() >= traits.loss).then(|| self.free_at + traits.delay)
    }

    /// A number from 0 to 1, the same ones in each run (xorshift64, Marsaglia 2003).
    fn chance(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        #[expect(clippy::cast_precision_loss, reason = "any number near it will do")]
        let part = self.random as f64 / u64::MAX as f64;
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traits(text: &str) -> Traits {
        text.parse().expect("the traits are well formed")
    }

    #[test]
    fn a_packet_takes_the_delay() {
        let now = Duration::from_secs(5);
        let arrives = Direction::new(1).enters(&traits("25 0 0 0"), 1_500, now);
        assert_eq!(arrives, Some(now + Duration::from_millis(25)));
    }

    #[test]
    fn packets_wait_for_each_other_on_a_narrow_wire() {
        let narrow = traits("0 0 8 100");
        let mut direction = Direction::new(1);
        let arrivals: Vec<_> =
            (0..3).filter_map(|_| direction.enters(&narrow, 1_000, Duration::ZERO)).collect();
        assert_eq!(arrivals, [1, 2, 3].map(Duration::from_millis));
        assert_eq!(
            direction.enters(&narrow, 1_000, Duration::from_secs(1)),
            Some(Duration::from_millis(1_001))
        );
    }

    #[test]
    fn what_the_queue_does_not_hold_is_lost() {
        let short = traits("0 0 8 4");
        let mut direction = Direction::new(1);
        let carried =
            (0..10).filter_map(|_| direction.enters(&short, 1_000, Duration::ZERO)).count();
        assert_eq!(carried, 4);
    }

    #[test]
    fn as_many_packets_are_lost_as_said() {
        let lossy = traits("0 2 0 0");
        let mut direction = Direction::new(7);
        let lost = (0..100_000)
            .filter(|_| direction.enters(&lossy, 100, Duration::ZERO).is_none())
            .count();
        assert!((1_800..2_200).contains(&lost), "{lost} were lost");
    }

    #[test]
    fn words_that_are_no_traits_are_refused() {
        for text in ["", "1 2 3", "1 2 3 4 5 x", "a b c d", "-1 0 0 0", "NaN 0 0 0", "inf 0 0 0"] {
            assert!(text.parse::<Traits>().is_err(), "{text}");
        }
    }
}
