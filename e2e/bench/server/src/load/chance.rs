//! Chance for waits and jitter (`SplitMix64`; Steele, Lea and Flood 2014). Nothing secret comes of it.

use std::time::Duration;

use crate::Failure;

/// A source of chance.
#[derive(Debug)]
pub struct Chance(u64);

impl Chance {
    /// A source that no other one repeats.
    pub fn fresh() -> Result<Self, Failure> {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed)?;
        Ok(Self(u64::from_be_bytes(seed)))
    }

    /// From 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let top = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        f64::from(top) / (f64::from(u32::MAX) + 1.0)
    }

    /// The wait for an event that comes once in so many seconds on average, at any moment as likely as at any other.
    pub fn wait(&mut self, mean_seconds: f64) -> Duration {
        let waits = -(1.0 - self.share()).ln();
        Duration::try_from_secs_f64(waits * mean_seconds).unwrap_or(Duration::MAX / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_their_mean() {
        let mut chance = Chance(7);
        let sum: f64 = (0..10_000).map(|_| chance.wait(2.0).as_secs_f64()).sum();
        assert!((1.9..2.1).contains(&(sum / 1e4)), "{sum}");
    }
}
