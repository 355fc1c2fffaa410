//! Asks the devices of a beam, one after the other and over again, to let this one in (E6).

use std::time::Duration;

use heliograph_shared::ids::DeviceId;

/// A device that has not answered within this time is given up, and the next one asked.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// Pause before all are asked again: meanwhile one of them may have been let in itself.
const AGAIN: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct Joining {
    here: Vec<DeviceId>,
    /// Those that are here and are still to be asked.
    waiting: Vec<DeviceId>,
    asked: Option<DeviceId>,
    due: Option<Duration>,
}

impl Joining {
    /// The device that was asked last and has not answered.
    pub(super) const fn asked(&self) -> Option<DeviceId> {
        self.asked
    }

    /// When the next one is asked.
    pub(super) const fn next_due(&self) -> Option<Duration> {
        self.due
    }

    /// Sets the devices that may let this one in, in the order in which they joined. Returns which is to be asked now.
    #[must_use]
    pub(super) fn set_devices(&mut self, devices: &[DeviceId], now: Duration) -> Option<DeviceId> {
        let fresh: Vec<DeviceId> =
            devices.iter().filter(|device| !self.here.contains(device)).copied().collect();
        let has_come = !fresh.is_empty();
        let waiting = self.waiting.iter().filter(|device| devices.contains(device));
        self.waiting = fresh.into_iter().chain(waiting.copied()).collect();
        self.here = devices.to_vec();
        let is_wanted = match self.asked {
            Some(asked) => !devices.contains(&asked),
            None => has_come,
        };
        if is_wanted { self.next(now) } else { None }
    }

    /// The device that was asked does not let this one in. Returns which is to be asked now.
    #[must_use]
    pub(super) fn next(&mut self, now: Duration) -> Option<DeviceId> {
        self.asked = None;
        self.due = None;
        if !self.waiting.is_empty() {
            let device = self.waiting.remove(0);
            self.asked = Some(device);
            self.due = Some(now + ANSWER_WITHIN);
        } else if !self.here.is_empty() {
            self.due = Some(now + AGAIN);
        }
        self.asked
    }

    /// Time has passed. Returns which is to be asked now.
    #[must_use]
    pub(super) fn passed(&mut self, now: Duration) -> Option<DeviceId> {
        if self.due.is_none_or(|due| now < due) {
            return None;
        }
        if self.asked.is_none() {
            self.waiting.clone_from(&self.here);
        }
        self.next(now)
    }

    /// Forgets all devices. They are asked again once they are set again, because what was asked may be lost with the socket.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}
