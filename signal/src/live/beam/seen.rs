//! The devices that joined a beam recently. Only these can be removed from it (S25).

use std::collections::VecDeque;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::MAX_REMOVED_DEVICES;

/// The most recent devices, bounded by the number that can be removed.
#[derive(Debug, Default)]
pub(super) struct Seen(VecDeque<DeviceId>);

impl Seen {
    pub fn add(&mut self, device: DeviceId) {
        self.0.retain(|seen| *seen != device);
        if self.0.len() >= MAX_REMOVED_DEVICES {
            self.0.pop_front();
        }
        self.0.push_back(device);
    }

    pub fn contains(&self, device: DeviceId) -> bool {
        self.0.contains(&device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s25_of_the_devices_that_joined_the_last_thousand_are_remembered() {
        let device = |number: u128| DeviceId::from_bytes(number.to_be_bytes());
        let mut seen = Seen::default();
        for number in 0..1000 {
            seen.add(device(number));
        }
        seen.add(device(5));
        assert!(seen.contains(device(0)), "a device that joins again counts once");

        seen.add(device(1000));

        let remembered = [0, 1, 5, 1000].map(|number| seen.contains(device(number)));
        assert_eq!(remembered, [false, true, true, true]);
    }
}
