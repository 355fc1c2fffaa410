//! What a checker finds.

use std::fmt;

use super::item::{Device, Item};

/// A broken promise: I1 (what was acknowledged is there), I2 (nothing appears twice), I3 (a sender's order is kept), or
/// I4 (every item reaches every device that stays).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A device that stayed has later items, or nothing more to come, and not this one (I4).
    Lost { device: Device, item: Item },
    /// A device got an item twice, or the item has two numbers (I2).
    Doubled { device: Device, item: Item },
    /// A device got an item after a later one, or later than what its sender shared after it (I3).
    OutOfOrder { device: Device, item: Item },
    /// A device got an item under the number of another one (the order is not the same for all).
    Differs { device: Device, item: Item },
    /// The content is not what was shared.
    Altered { device: Device, item: Item },
    /// Nobody in the beam has shared this, or not the device that it names.
    Foreign { device: Device, seq: u64 },
    /// A device that came was not told of an item that was acknowledged or told before (I1).
    Forgotten { device: Device, item: Item },
    /// The sender stayed, and was told neither that the item is shared nor that it is refused.
    Unanswered { item: Item },
    /// The memory of the beam is another one, although it should outlive any node.
    MemoryLost { device: Device },
    /// A device could not come back.
    Away { device: Device },
    /// A relayed frame came twice, or after a later one.
    FrameRepeated { device: Device, from: Device },
    /// Relayed frames did not come, and their sender was not told.
    FramesLost { device: Device, from: Device },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { device, item } => write!(f, "I4: device {device} lacks {item}"),
            Self::Doubled { device, item } => write!(f, "I2: device {device} got {item} twice"),
            Self::OutOfOrder { device, item } => {
                write!(f, "I3: device {device} got {item} out of order")
            }
            Self::Differs { device, item } => {
                write!(f, "order: device {device} got {item} under the number of another item")
            }
            Self::Altered { device, item } => write!(f, "device {device} got {item} altered"),
            Self::Foreign { device, seq } => {
                write!(f, "device {device} got what nobody here shared, number {seq}")
            }
            Self::Forgotten { device, item } => {
                write!(f, "I1: device {device} was not told of {item} when it came")
            }
            Self::Unanswered { item } => write!(f, "I1: {item} was not answered"),
            Self::MemoryLost { device } => write!(f, "I1: device {device} found a new memory"),
            Self::Away { device } => write!(f, "device {device} is not back"),
            Self::FrameRepeated { device, from } => {
                write!(f, "relay: device {device} got a frame of {from} again or too late")
            }
            Self::FramesLost { device, from } => {
                write!(f, "relay: device {device} lacks frames of {from}")
            }
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {} of device {}", self.number, self.device)
    }
}
