//! How many streams there may be, from one address and in all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Limits;
use crate::core::quotas::network_of;

/// The streams that are open.
#[derive(Debug)]
pub struct Admission {
    per_address: usize,
    in_all: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    by_address: HashMap<IpAddr, usize>,
    in_all: usize,
}

/// One stream's place. It is free again when this is dropped.
#[derive(Debug)]
pub struct Admitted {
    admission: Arc<Admission>,
    address: IpAddr,
}

impl Admission {
    pub fn new(limits: &Limits) -> Arc<Self> {
        let Limits { streams_per_address: per_address, streams_in_all: in_all, .. } = *limits;
        Arc::new(Self { per_address, in_all, open: Mutex::default() })
    }

    pub fn admit(self: &Arc<Self>, client: IpAddr) -> Option<Admitted> {
        let address = network_of(client);
        let mut open = self.lock();
        let of_address = open.by_address.get(&address).copied().unwrap_or(0);
        if open.in_all >= self.in_all || of_address >= self.per_address {
            return None;
        }
        open.in_all += 1;
        open.by_address.insert(address, of_address + 1);
        Some(Admitted { admission: Arc::clone(self), address })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.admission.lock();
        open.in_all -= 1;
        if let Some(count) = open.by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_gets_its_share_and_all_get_no_more_than_there_is() {
        let limits = Limits { streams_per_address: 2, streams_in_all: 3, ..Limits::default() };
        let admission = Admission::new(&limits);
        let admit = |ip: &str| admission.admit(ip.parse().unwrap());
        let ada = [admit("2003::1").unwrap(), admit("2003::2").unwrap()];
        assert!(admit("2003::3").is_none());
        let bob = admit("1.1.1.1").unwrap();
        assert!(admit("2.2.2.2").is_none());
        drop((ada, bob));
        assert!(admit("2003::3").is_some());
        assert!(admission.lock().by_address.is_empty());
    }
}
