//! Many durations in little memory: counted by size, each within 3 % of its own.

use std::time::Duration;

/// Sizes for each doubling.
const STEPS: f64 = 32.0;
/// Sizes in all, from a microsecond to half an hour.
const SIZES: usize = 1_000;

/// Counts of durations.
#[derive(Clone, Debug)]
pub struct Times {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self { counts: vec![0; SIZES], total: 0 }
    }
}

impl Times {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is not negative, and bounded"
    )]
    pub fn add(&mut self, time: Duration) {
        let micros = time.as_secs_f64() * 1e6;
        let size = (micros.max(1.0).log2() * STEPS) as usize;
        self.counts[size.min(SIZES - 1)] += 1;
        self.total += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
    }

    pub fn count(&self) -> u64 {
        self.total
    }

    /// The time that this many of a hundred keep, in milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub fn percentile(&self, percent: u64) -> f64 {
        let wanted = (self.total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reached = |count: &u64| {
            seen += count;
            seen >= wanted
        };
        match self.counts.iter().position(reached) {
            Some(size) => ((size as f64 + 1.0) / STEPS).exp2() / 1e3,
            None => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_three_percent() {
        let mut times = Times::default();
        for millis in 1..=1_000 {
            times.add(Duration::from_millis(millis));
        }
        for (percent, millis) in [(50, 500.0), (99, 990.0), (100, 1_000.0)] {
            let off = times.percentile(percent) / millis;
            assert!((0.97..1.03).contains(&off), "{percent}: {off}");
        }
        assert!(Times::default().percentile(99).is_nan());
    }
}
