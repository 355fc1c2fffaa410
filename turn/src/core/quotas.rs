//! How many allocations there may be: of one device, of one address, and in all. Whoever asks chooses the name of the
//! device, but the address is proven, because an allocation takes an answer to a nonce.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The allocations of all shards, by device.
#[derive(Debug)]
pub struct Quotas {
    per_device: usize,
    per_address: usize,
    in_all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by_device: HashMap<String, usize>,
    by_address: HashMap<IpAddr, usize>,
    in_all: usize,
}

/// The place of one allocation. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    quotas: Arc<Quotas>,
    device: String,
    address: IpAddr,
}

impl Quotas {
    /// So many allocations of a device, of an address (IPv6: of a /64), and in all.
    #[must_use]
    pub fn new(per_device: usize, per_address: usize, in_all: usize) -> Self {
        Self { per_device, per_address, in_all, taken: Mutex::default() }
    }

    /// Takes a place for an allocation of a device at an address, if one is free.
    #[must_use]
    pub fn take(self: &Arc<Self>, device: &str, client: IpAddr) -> Option<Place> {
        let address = network_of(client);
        let mut taken = self.lock();
        let of_device = taken.by_device.get(device).copied().unwrap_or(0);
        let of_address = taken.by_address.get(&address).copied().unwrap_or(0);
        if taken.in_all >= self.in_all
            || of_device >= self.per_device
            || of_address >= self.per_address
        {
            return None;
        }
        taken.by_device.insert(device.to_owned(), of_device + 1);
        taken.by_address.insert(address, of_address + 1);
        taken.in_all += 1;
        Some(Place { quotas: Arc::clone(self), device: device.to_owned(), address })
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
        free(&mut taken.by_device, &self.device);
        free(&mut taken.by_address, &self.address);
    }
}

fn free<Key: Eq + Hash>(taken: &mut HashMap<Key, usize>, key: &Key) {
    if let Some(count) = taken.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            taken.remove(key);
        }
    }
}

/// One customer of a provider has all addresses of a /64 (RFC 6177, section 2).
#[must_use]
pub fn network_of(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_device_gets_its_share_and_all_get_no_more_than_there_is() {
        let quotas = Arc::new(Quotas::new(2, 9, 3));
        let take = |device| quotas.take(device, ip("1.1.1.1"));
        let ada = [take("ada").unwrap(), take("ada").unwrap()];
        assert!(take("ada").is_none());
        let bob = take("bob").unwrap();
        assert!(take("eve").is_none());
        drop(bob);
        assert!(take("ada").is_none());
        assert!(take("eve").is_some());
        drop(ada);
        assert_eq!(quotas.taken(), 0);
        assert!(quotas.lock().by_device.is_empty() && quotas.lock().by_address.is_empty());
    }

    #[test]
    fn an_address_gets_its_share_under_whatever_names() {
        let quotas = Arc::new(Quotas::new(9, 2, 9));
        let first = quotas.take("ada", ip("2001:db8::1")).unwrap();
        let _second = quotas.take("bob", ip("2001:db8::2")).unwrap();
        assert!(quotas.take("eve", ip("2001:db8::3")).is_none());
        assert!(quotas.take("eve", ip("2001:db8:0:1::3")).is_some());
        drop(first);
        assert!(quotas.take("eve", ip("2001:db8::3")).is_some());
    }
}
