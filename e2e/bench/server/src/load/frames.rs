//! Checks what one beam's devices get of each other through the relay: frames of one transfer come in their order, once,
//! and whoever sent a frame that does not come is told so (R2 to R4).

use std::collections::HashMap;

use super::item::Device;
use super::violation::Violation;

/// Names what one socket sends to one device.
pub type Transfer = [u8; 16];

/// A frame at its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub from: Device,
    pub to: Device,
    pub transfer: Transfer,
    /// From 1 on.
    pub number: u32,
}

/// Checks the frames of one beam.
#[derive(Debug, Default)]
pub struct Frames {
    /// The last frame, by receiver and sender.
    last: HashMap<(Device, Device), (Transfer, u32)>,
    /// How many did not come, and of how many their sender was told.
    missing: HashMap<(Device, Device), (u32, u32)>,
}

impl Frames {
    /// A frame came.
    pub fn received(&mut self, frame: Frame) -> Option<Violation> {
        let Frame { from, to, transfer, number } = frame;
        let before = self.last.insert((to, from), (transfer, number));
        let last = before.filter(|(own, _)| *own == transfer).map(|(_, last)| last)?;
        if number <= last {
            self.last.insert((to, from), (transfer, last));
            return Some(Violation::FrameRepeated { device: to, from });
        }
        self.missing.entry((to, from)).or_default().0 += number - last - 1;
        None
    }

    /// The sender was told that a frame did not go on.
    pub fn refused(&mut self, from: Device, to: Device) {
        self.missing.entry((to, from)).or_default().1 += 1;
    }

    /// The device has another socket: what was on its way to the old one may be gone.
    pub fn left(&mut self, device: Device) {
        self.last.retain(|(to, _), _| *to != device);
    }

    /// Frames to this device that did not come without a word.
    pub fn settled(&self, device: Device) -> Option<Violation> {
        let is_silent = |((to, _), (missing, told)): &(&(Device, Device), &(u32, u32))| {
            *to == device && missing > told
        };
        let ((_, from), _) = self.missing.iter().find(is_silent)?;
        Some(Violation::FramesLost { device, from: *from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(transfer: u8, number: u32) -> Frame {
        Frame { from: 0, to: 1, transfer: [transfer; 16], number }
    }

    #[test]
    fn r2_frames_come_in_order_and_once() {
        let mut frames = Frames::default();
        for number in [4, 5, 6] {
            assert!(frames.received(frame(1, number)).is_none());
        }
        let repeated = Some(Violation::FrameRepeated { device: 1, from: 0 });
        assert_eq!(frames.received(frame(1, 5)), repeated);
        assert_eq!(frames.received(frame(1, 7)), None);
        assert_eq!(frames.received(frame(2, 1)), None);
        assert_eq!(frames.settled(1), None);
    }

    #[test]
    fn r2_whoever_sent_a_frame_that_did_not_come_is_told() {
        let mut frames = Frames::default();
        frames.received(frame(1, 1));
        frames.received(frame(1, 3));
        assert_eq!(frames.settled(1), Some(Violation::FramesLost { device: 1, from: 0 }));
        frames.refused(0, 1);
        assert_eq!(frames.settled(1), None);
        // What was sent to a socket that is gone is no gap.
        frames.left(1);
        frames.received(frame(1, 9));
        assert_eq!(frames.settled(1), None);
    }
}
