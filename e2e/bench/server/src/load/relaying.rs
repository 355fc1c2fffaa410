//! A device that relays frames to another one, as far as that one says that it has them: few are on their way at a time,
//! as where a receiver wants chunks (F4).

use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::frames::{Frame, Transfer};
use super::item::Device;
use super::plan::Plan;
use crate::Failure;

/// Frames on their way.
const WINDOW: u32 = 8;
/// Time after an error in which nothing is sent (R4).
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// Time without an answer after which another transfer begins: the receiver has another socket, and frames went with the
/// old one.
const STALLED: Duration = Duration::from_secs(3);
const WANT: u8 = 1;
const CHUNK: u8 = 2;

/// The frames of one socket to one device.
#[derive(Debug)]
pub struct Relaying {
    id: Uuid,
    transfer: Transfer,
    sent: u32,
    had: u32,
    pause: Duration,
    bytes: usize,
    next: Instant,
    heard: Instant,
}

impl Relaying {
    /// Begins at once.
    pub fn to(id: Uuid, plan: &Plan, now: Instant) -> Self {
        let pause = Plan::pause(plan.frames).unwrap_or(STALLED);
        let mut relaying = Self {
            id,
            transfer: [0; 16],
            sent: 0,
            had: 0,
            pause,
            bytes: plan.frame_bytes,
            next: now,
            heard: now,
        };
        relaying.begins(now);
        relaying
    }

    /// Begins another transfer.
    fn begins(&mut self, now: Instant) {
        self.sent = 0;
        self.had = 0;
        self.heard = now;
        // Without chance it is the same one, whose frames then count as repeated: that would be seen.
        let _ = getrandom::fill(&mut self.transfer);
    }

    const fn is_full(&self) -> bool {
        self.sent >= self.had + WINDOW
    }

    /// When there is something to do.
    pub fn due(&self, now: Instant) -> Instant {
        if self.is_full() { self.heard + STALLED } else { self.next.max(now) }
    }

    /// The next message, if it is due.
    pub fn next(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.is_full() && now >= self.heard + STALLED {
            self.begins(now);
        }
        if self.is_full() || now < self.next {
            return None;
        }
        if self.sent == self.had {
            self.heard = now;
        }
        self.sent += 1;
        // One that is late does not make up for it.
        self.next = (self.next + self.pause).max(now);
        let number = self.sent.to_be_bytes();
        let mut message = [self.id.as_bytes(), &[CHUNK][..], &self.transfer, &number].concat();
        message.resize(message.len() + self.bytes, 0);
        Some(message)
    }

    /// A frame was not taken on.
    pub fn is_refused(&mut self, now: Instant) {
        if now >= self.next || self.next < now + AFTER_ERROR {
            self.begins(now);
        }
        self.next = now + AFTER_ERROR;
    }

    /// Takes in a message. Returns the frame that it brought, and the answer.
    pub fn hears(
        &mut self,
        message: &[u8],
        own: Device,
        device: impl FnOnce(Uuid) -> Option<Device>,
    ) -> Result<(Option<Frame>, Option<Vec<u8>>), Failure> {
        let (from, rest) = message.split_first_chunk::<16>().ok_or("a frame without a sender")?;
        let (kind, rest) = rest.split_first().ok_or("an empty frame")?;
        let (transfer, rest) = rest.split_first_chunk::<16>().ok_or("a short frame")?;
        let (number, _) = rest.split_first_chunk::<4>().ok_or("a short frame")?;
        let count = u32::from_be_bytes(*number);
        if *kind == WANT {
            if *transfer == self.transfer {
                self.had = self.had.max(count);
                self.heard = Instant::now();
            }
            return Ok((None, None));
        }
        let sender = device(Uuid::from_bytes(*from)).ok_or("a frame of a stranger")?;
        let frame = Frame { from: sender, to: own, transfer: *transfer, number: count };
        let answer = [&from[..], &[WANT], transfer, number].concat();
        Ok((Some(frame), Some(answer)))
    }
}
