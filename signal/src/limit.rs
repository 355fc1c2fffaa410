//! Token buckets and counters, by key. The caller passes the time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A rate: `burst` at once, then one every `every`.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Number of events that are allowed at once.
    pub burst: u32,
    /// Time until one more event is allowed.
    pub every: Duration,
}

/// A token bucket for one [`Rate`]. It stores only the moment at which it will be full again.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    full_at: Instant,
}

impl Bucket {
    /// A full bucket.
    #[must_use]
    pub const fn full(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// The time until a token is available, when there is none.
    pub fn take(&mut self, rate: Rate, now: Instant) -> Result<(), Duration> {
        self.take_many(rate, 1, now)
    }

    /// Takes several tokens at once. A count above the burst always fails.
    ///
    /// # Errors
    /// The time until that many tokens are available.
    pub fn take_many(&mut self, rate: Rate, count: u32, now: Instant) -> Result<(), Duration> {
        let after = self.full_at.max(now) + rate.every * count;
        let wait = after.saturating_duration_since(now + rate.every * rate.burst);
        if !wait.is_zero() {
            return Err(wait);
        }
        self.full_at = after;
        Ok(())
    }

    /// Takes tokens that somebody has had already, also more than there are.
    fn lose(&mut self, rate: Rate, count: u32, now: Instant) {
        self.full_at = self.full_at.max(now) + rate.every * count;
    }

    fn is_full(&self, now: Instant) -> bool {
        self.full_at <= now
    }
}

/// Token buckets by key, at most [`Buckets::KEYS`] of them.
#[derive(Debug)]
pub struct Buckets<K> {
    rate: Rate,
    buckets: Mutex<HashMap<K, Entry>>,
}

/// A bucket, and how many tokens were taken since others were told of it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bucket: Bucket,
    untold: u32,
}

impl Entry {
    const fn full(now: Instant) -> Self {
        Self { bucket: Bucket::full(now), untold: 0 }
    }
}

impl<K: Copy + Eq + Hash> Buckets<K> {
    /// Largest number of remembered keys. It bounds the memory that a flood of addresses can take.
    pub const KEYS: usize = 16_384;

    /// Buckets with this rate. Every key starts with a full bucket.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    /// Takes one token from the bucket of `key`.
    ///
    /// # Errors
    /// The time until a token is available, when there is none.
    pub fn take(&self, key: K, now: Instant) -> Result<(), Duration> {
        self.change(key, now, |entry| {
            entry.bucket.take(self.rate, now)?;
            entry.untold = entry.untold.saturating_add(1);
            Ok(())
        })
    }

    /// The tokens that were taken since the last call, of at most so many keys.
    pub fn taken(&self, most: usize) -> Vec<(K, u32)> {
        let mut buckets = lock(&self.buckets);
        let untold = buckets.iter_mut().filter(|(_, entry)| entry.untold > 0).take(most);
        untold.map(|(key, entry)| (*key, std::mem::take(&mut entry.untold))).collect()
    }

    /// Tokens of `key` were taken elsewhere.
    pub fn was_taken(&self, key: K, count: u32, now: Instant) {
        self.change(key, now, |entry| entry.bucket.lose(self.rate, count, now));
    }

    fn change<T>(&self, key: K, now: Instant, change: impl FnOnce(&mut Entry) -> T) -> T {
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= Self::KEYS && !buckets.contains_key(&key) {
            make_room(&mut buckets, now);
        }
        change(buckets.entry(key).or_insert(Entry::full(now)))
    }

    /// Forgets the keys whose buckets are full.
    pub fn sweep(&self, now: Instant) {
        lock(&self.buckets).retain(|_, entry| !entry.bucket.is_full(now));
    }
}

/// Removes the full buckets, which carry no information. Without any, it removes the eighth that will be full soonest:
/// an eighth at once, so that a flood of new keys does not scan all buckets for every key.
fn make_room<K: Copy + Eq + Hash>(buckets: &mut HashMap<K, Entry>, now: Instant) {
    let before = buckets.len();
    buckets.retain(|_, entry| !entry.bucket.is_full(now));
    if buckets.len() < before {
        return;
    }
    let mut times: Vec<_> = buckets.values().map(|entry| entry.bucket.full_at).collect();
    let (_, eighth, _) = times.select_nth_unstable(before / 8);
    let eighth = *eighth;
    let mut room = before / 8;
    buckets.retain(|_, entry| {
        let goes = room > 0 && entry.bucket.full_at <= eighth;
        room -= usize::from(goes);
        !goes
    });
}

/// Counters by key.
#[derive(Debug)]
pub struct Counts<K: Copy + Eq + Hash> {
    most: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Copy + Eq + Hash> Counts<K> {
    /// Counters that start at zero and stop at `most` for each key.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, counts: Arc::default() }
    }

    /// Adds one to the counter of `key` until the result is dropped; `None` at the limit.
    #[must_use]
    pub fn enter(&self, key: K) -> Option<Counted<K>> {
        let mut counts = lock(&self.counts);
        let count = counts.entry(key).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Counted { key, counts: self.counts.clone() })
    }
}

/// One counted thing. Dropping it subtracts one.
#[derive(Debug)]
pub struct Counted<K: Copy + Eq + Hash> {
    key: K,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Copy + Eq + Hash> Drop for Counted<K> {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

/// A poisoned lock is safe to use: the numbers stay good enough for a limit.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 3, every: Duration::from_secs(10) };

    #[test]
    fn a_bucket_gives_its_burst_and_then_one_at_a_time() {
        let now = Instant::now();
        let mut bucket = Bucket::full(now);
        for _ in 0..3 {
            assert_eq!(bucket.take(RATE, now), Ok(()));
        }
        assert_eq!(bucket.take(RATE, now), Err(Duration::from_secs(10)));
        assert_eq!(bucket.take(RATE, now + Duration::from_secs(9)), Err(Duration::from_secs(1)));
        assert_eq!(bucket.take(RATE, now + Duration::from_secs(10)), Ok(()));
        assert!(bucket.take(RATE, now + Duration::from_secs(10)).is_err());
    }

    #[test]
    fn a_bucket_never_holds_more_than_its_burst() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        let later = start + Duration::from_secs(1_000_000);
        assert_eq!((0..10).filter(|_| bucket.take(RATE, later).is_ok()).count(), 3);
    }

    #[test]
    fn keys_have_buckets_of_their_own() {
        let now = Instant::now();
        let buckets = Buckets::new(RATE);
        for _ in 0..3 {
            assert!(buckets.take("ada", now).is_ok());
        }
        assert!(buckets.take("ada", now).is_err());
        assert!(buckets.take("bob", now).is_ok());
    }

    #[test]
    fn a_flood_of_keys_costs_bounded_memory_and_frees_nobody_who_is_limited() {
        let now = Instant::now();
        let buckets = Buckets::new(RATE);
        while buckets.take(usize::MAX, now).is_ok() {}

        for key in 0..Buckets::<usize>::KEYS * 2 {
            let _ = buckets.take(key, now);
        }

        assert!(lock(&buckets.buckets).len() <= Buckets::<usize>::KEYS);
        assert!(buckets.take(usize::MAX, now).is_err());
        buckets.sweep(now + Duration::from_mins(1));
        assert_eq!(lock(&buckets.buckets).len(), 0);
    }

    #[test]
    fn counts_end_at_their_number_and_go_down_again() {
        let counts = Counts::new(2);
        let first = counts.enter("ada").unwrap();
        let second = counts.enter("ada").unwrap();
        assert!(counts.enter("ada").is_none());
        assert!(counts.enter("bob").is_some());

        drop(first);

        assert!(counts.enter("ada").is_some());
        drop(second);
        assert!(lock(&counts.counts).is_empty());
    }
}
