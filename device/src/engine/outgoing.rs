//! One file that is sent to one device, and how much of it has left.

use std::time::Duration;

use crate::carriers::Carriers;
use crate::chunk_set::ChunkSet;
use crate::file_size::FileSize;
use crate::sender::Sender;
use crate::speed::Speed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Moving,
    /// It waits for its device.
    Parked,
    /// By the person here (F18).
    Paused,
    /// By the one at the other device (F18).
    PausedThere,
    Cancelled,
    Failed,
    Done,
}

#[derive(Debug)]
pub struct Outgoing {
    pub sender: Sender,
    /// The pieces whose hashes it was told (F19).
    pub told: ChunkSet,
    pub speed: Speed,
    pub carriers: Carriers,
    /// When it last had something to send.
    pub busy_at: Duration,
    pub state: State,
}

impl Outgoing {
    pub fn new(size: FileSize) -> Self {
        Self {
            sender: Sender::new(size),
            told: ChunkSet::default(),
            speed: Speed::default(),
            carriers: Carriers::default(),
            busy_at: Duration::ZERO,
            state: State::Moving,
        }
    }

    /// Whether it moves, or waits for its device.
    pub const fn is_under_way(&self) -> bool {
        matches!(self.state, State::Moving | State::Parked)
    }

    pub const fn has_ended(&self) -> bool {
        matches!(self.state, State::Cancelled | State::Failed | State::Done)
    }
}
