//! The ports of relays: which are free, in no order that could be guessed (RFC 8656 section 7.2).

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use crate::core::event::Parity;

/// The free ports of one host.
#[derive(Debug)]
pub struct Ports {
    free: Mutex<Vec<u16>>,
}

/// A port that is taken. It is free again when this is dropped.
#[derive(Debug)]
pub struct Port {
    ports: Arc<Ports>,
    pub number: u16,
}

impl Ports {
    pub fn new(range: RangeInclusive<u16>) -> Arc<Self> {
        Arc::new(Self { free: Mutex::new(range.collect()) })
    }

    /// Takes a free port. `random` chooses which.
    pub fn take(self: &Arc<Self>, random: u32, parity: Parity) -> Option<Port> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let start = usize::try_from(random).unwrap_or(0).checked_rem(free.len())?;
        let fits = |at: &usize| parity == Parity::Any || free[*at].is_multiple_of(2);
        let at = (start..free.len()).chain(0..start).find(fits)?;
        Some(Port { ports: Arc::clone(self), number: free.swap_remove(at) })
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.ports.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_port_is_given_out_where_it_is_wished() {
        let ports = Ports::new(5_000..=5_002);
        let even = [1, 1].map(|random| ports.take(random, Parity::Even).unwrap());
        let mut numbers = even.each_ref().map(|port| port.number);
        numbers.sort_unstable();
        assert_eq!(numbers, [5_000, 5_002]);
        assert!(ports.take(0, Parity::Even).is_none() && ports.take(0, Parity::Any).is_some());
    }

    #[test]
    fn each_port_is_given_out_once_and_comes_back() {
        let ports = Ports::new(5_000..=5_002);
        let mut taken: Vec<_> =
            (0..3).map(|random| ports.take(random * 7, Parity::Any).unwrap()).collect();
        assert!(ports.take(0, Parity::Any).is_none());
        let mut numbers: Vec<_> = taken.iter().map(|port| port.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [5_000, 5_001, 5_002]);
        let freed = taken.pop().map(|port| port.number);
        assert_eq!(ports.take(9, Parity::Any).map(|port| port.number), freed);
    }
}
