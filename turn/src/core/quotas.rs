//! How many allocations there may be, of one device and in all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The allocations of all shards, by device.
#[derive(Debug)]
pub struct Quotas {
    per_device: usize,
    in_all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by_device: HashMap<String, usize>,
    in_all: usize,
}

/// The place of one allocation. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    quotas: Arc<Quotas>,
    device: String,
}

impl Quotas {
    /// At least one allocation for a device, and so many in all.
    #[must_use]
    pub fn new(per_device: usize, in_all: usize) -> Self {
        Self { per_device, in_all, taken: Mutex::default() }
    }

    /// Takes a place for an allocation of a device, if one is free.
    #[must_use]
    pub fn take(self: &Arc<Self>, device: &str) -> Option<Place> {
        let mut taken = self.lock();
        if taken.in_all >= self.in_all {
            return None;
        }
        match taken.by_device.get_mut(device) {
            Some(count) if *count >= self.per_device => return None,
            Some(count) => *count += 1,
            None => drop(taken.by_device.insert(device.to_owned(), 1)),
        }
        taken.in_all += 1;
        Some(Place { quotas: Arc::clone(self), device: device.to_owned() })
    }

    /// The places that are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.lock().in_all
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.quotas.lock();
        taken.in_all -= 1;
        if let Some(count) = taken.by_device.get_mut(&self.device) {
            *count -= 1;
            if *count == 0 {
                taken.by_device.remove(&self.device);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_gets_its_share_and_all_get_no_more_than_there_is() {
        let quotas = Arc::new(Quotas::new(2, 3));
        let ada = [quotas.take("ada").unwrap(), quotas.take("ada").unwrap()];
        assert!(quotas.take("ada").is_none());
        let bob = quotas.take("bob").unwrap();
        assert!(quotas.take("eve").is_none());
        drop(bob);
        assert!(quotas.take("ada").is_none());
        assert!(quotas.take("eve").is_some());
        drop(ada);
        assert_eq!(quotas.taken(), 0);
        assert!(quotas.lock().by_device.is_empty());
    }
}
