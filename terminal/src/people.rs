//! The devices of a beam, as they are called.

use std::collections::BTreeMap;

use heliograph_shared::device::Device;
use heliograph_shared::ids::DeviceId;

/// One that nobody has named.
const NAMELESS: &str = "Another device";

/// The names of the devices that are here, and of those that were.
#[derive(Default)]
pub struct People {
    here: Vec<DeviceId>,
    names: BTreeMap<DeviceId, String>,
}

/// What has changed with a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Devices that have come.
    pub came: Vec<DeviceId>,
    /// Devices that have gone.
    pub left: Vec<DeviceId>,
}

impl People {
    /// The devices that are here, in the order in which they joined. Those of equal names are told apart by a number (S32).
    pub fn listed(&mut self, devices: &[Device]) -> Change {
        let now: Vec<DeviceId> = devices.iter().map(|device| device.device_id).collect();
        let came = now.iter().filter(|id| !self.here.contains(id)).copied().collect();
        let left = self.here.iter().filter(|id| !now.contains(id)).copied().collect();
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for device in devices {
            let count = counts.entry(&device.name).or_default();
            *count += 1;
            let name = match count {
                1 => device.name.clone(),
                count => format!("{} {count}", device.name),
            };
            self.names.insert(device.device_id, name);
        }
        self.here = now;
        Change { came, left }
    }

    /// The devices that are here.
    #[must_use]
    pub fn here(&self) -> &[DeviceId] {
        &self.here
    }

    /// The name of a device, as it came.
    #[must_use]
    pub fn name(&self, device: DeviceId) -> &str {
        self.names.get(&device).map_or(NAMELESS, |name| name)
    }
}

#[cfg(test)]
mod tests {
    use heliograph_shared::device::DeviceUser;

    use super::*;

    fn device(number: u8, name: &str) -> Device {
        let (device_id, name) = (DeviceId::from_bytes([number; 16]), name.to_owned());
        Device { device_id, name, caps: Vec::new(), user: DeviceUser::default() }
    }

    #[test]
    fn s32_devices_of_equal_names_are_told_apart_by_a_number() {
        let mut people = People::default();
        let (ada, bob, eve) = (device(1, "Firefox"), device(2, "Chrome"), device(3, "Firefox"));
        people.listed(&[ada.clone(), bob.clone(), eve.clone()]);
        assert_eq!(people.name(ada.device_id), "Firefox");
        assert_eq!(people.name(eve.device_id), "Firefox 2");
        let change = people.listed(&[bob, eve.clone()]);
        assert_eq!(change, Change { came: vec![], left: vec![ada.device_id] });
        assert_eq!(people.name(eve.device_id), "Firefox");
        assert_eq!(people.name(DeviceId::from_bytes([9; 16])), "Another device");
    }
}
