//! The links through the server (R): what goes to a device is one message of the socket, which all of them share. How much of
//! it waits is bounded, so that a text does not wait long behind a file. Nothing is sent and nothing is waited for here.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use crate::engine::contract::Buffer;
use crate::measures::{bytes as float, millis, whole};

/// Chunks wait while so much is in the socket, however fast it is, in bytes.
const HIGH_WATER: u64 = 512 * 1024;
/// On a slow line less may wait, but never so little that it would run dry.
const LOW_WATER: u64 = 16 * 1024;
/// So much may wait before the line has been measured: a frame of four chunks.
const FIRST_WATER: u64 = 64 * 1024;
/// What waits is sent within so many milliseconds. With the frame that goes over it, a shared text waits behind a file for less
/// than 100 ms from 13 Mbit/s on.
const WAITS_MS: f64 = 60.0;
/// The speed is measured over at least so long: a system passes bytes on in bursts.
const MEASURED: Duration = Duration::from_millis(40);
/// A device that lets more than this wait does not read. What is lost then is asked for again (F6, F7); the socket belongs to
/// other devices too.
const MOST_UNSENT: u64 = 8 * 1024 * 1024;
/// The address in front of a frame, in bytes.
const ADDRESS: usize = 16;

/// A frame in the socket.
#[derive(Clone, Copy, Debug)]
struct HandedOver {
    bytes: u64,
    /// All bytes handed over so far, with it.
    end: u64,
    is_said: bool,
}

/// The relay's links over one socket. One that is made anew has lost what waited in it.
#[derive(Debug)]
pub struct Relay {
    /// Bytes of messages handed over so far, and how many of them have left.
    handed: u64,
    left: u64,
    most_waiting: u64,
    /// When the speed was measured last, and how many bytes had left by then.
    measured: Option<(Duration, u64)>,
    frames: HashMap<DeviceId, VecDeque<HandedOver>>,
}

impl Default for Relay {
    fn default() -> Self {
        Self {
            handed: 0,
            left: 0,
            most_waiting: FIRST_WATER,
            measured: None,
            frames: HashMap::new(),
        }
    }
}

impl Relay {
    /// The message that carries a frame to a device, which is to be handed to the socket; `None` where too much waits there already.
    pub fn send(&mut self, to: DeviceId, frame: &[u8]) -> Option<Vec<u8>> {
        self.hand_over(to, frame, false)
    }

    /// The same for a frame that is none of chunks. The socket keeps one order.
    pub fn say(&mut self, to: DeviceId, frame: &[u8]) -> Option<Vec<u8>> {
        self.hand_over(to, frame, true)
    }

    fn hand_over(&mut self, to: DeviceId, frame: &[u8], is_said: bool) -> Option<Vec<u8>> {
        if self.waiting() > MOST_UNSENT {
            return None;
        }
        let message = [to.as_bytes().as_slice(), frame].concat();
        let bytes = message.len() as u64;
        self.handed += bytes;
        let handed_over = HandedOver { bytes, end: self.handed, is_said };
        self.frames.entry(to).or_default().push_back(handed_over);
        Some(message)
    }

    /// Bytes of messages have left the socket. It counts from when it was made.
    pub fn left(&mut self, total: u64, now: Duration) {
        self.left = total.clamp(self.left, self.handed);
        self.measure(now);
        let left = self.left;
        self.frames.retain(|_, frames| {
            while frames.front().is_some_and(|frame| frame.end <= left) {
                frames.pop_front();
            }
            !frames.is_empty()
        });
    }

    /// What waits for a device, and how much room for chunks it has. All devices have the same room, and the first to use it has it.
    #[must_use]
    pub fn buffer(&self, to: DeviceId) -> Buffer {
        let room = self.most_waiting.saturating_sub(self.waiting());
        let mut buffer = Buffer { room, unsent: 0, unsaid: 0 };
        for frame in self.frames.get(&to).into_iter().flatten() {
            let waits = frame.bytes.min(frame.end - self.left);
            buffer.unsent += waits;
            buffer.unsaid += if frame.is_said { waits } else { 0 };
        }
        buffer
    }

    /// Bytes that wait in the socket.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.handed - self.left
    }

    /// Sets how much may wait by how fast it leaves. A socket that has run dry could have had more.
    fn measure(&mut self, now: Duration) {
        if self.waiting() == 0 {
            self.most_waiting = HIGH_WATER.min(2 * self.most_waiting);
        } else if let Some((at, left)) = self.measured {
            let lasted = now.saturating_sub(at);
            if lasted < MEASURED {
                return;
            }
            let fits = float(self.left - left) * WAITS_MS / millis(lasted);
            self.most_waiting = whole(fits).clamp(LOW_WATER, HIGH_WATER);
        }
        self.measured = Some((now, self.left));
    }
}

/// The sender of a relayed message and its frame (R1); `None` for a message without a whole address.
#[must_use]
pub fn read(message: &[u8]) -> Option<(DeviceId, &[u8])> {
    let (address, frame) = message.split_first_chunk::<ADDRESS>()?;
    Some((DeviceId::from_bytes(*address), frame))
}
