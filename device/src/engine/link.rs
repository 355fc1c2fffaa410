//! A link to one device: the chunks still to be sent on it, its stall clock, the `ping` that was not answered, and what waits
//! there.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use heliograph_shared::ids::ItemId;

use super::contract::Buffer;
use crate::receiver::LinkKey;
use crate::send_queue::{SendQueue, Turn};
use crate::stall_clock::{STALL, StallClock};

/// A frame of chunks whose bytes are being read.
#[derive(Debug)]
pub struct Reading {
    pub turn: Turn<ItemId>,
    /// When a sign of life was last sent for it, or when it began (F12).
    pub sign_at: Duration,
}

#[derive(Debug)]
struct Ping {
    token: [u8; 16],
    at: Duration,
}

#[derive(Debug)]
pub struct Link {
    pub key: LinkKey,
    /// Its place in the bundle, from 0 (L6); that of a relay is 0.
    pub place: u32,
    /// Largest frame in bytes (F8).
    pub max_frame: usize,
    pub queue: SendQueue<ItemId>,
    pub reading: Vec<Reading>,
    /// The frames of the queue that were read, in the order in which they were, and wait for room.
    pub read: VecDeque<(Turn<ItemId>, Vec<u8>)>,
    pub clock: StallClock,
    /// The files of which it was said here that they can be had (F17). Where the link is lost, so may be that.
    pub offered: BTreeSet<ItemId>,
    /// What waits, with what was handed over since the I/O said so.
    pub buffer: Buffer,
    ping: Option<Ping>,
}

impl Link {
    pub fn new(key: LinkKey, place: u32, max_frame: usize) -> Self {
        Self {
            key,
            place,
            max_frame,
            queue: SendQueue::default(),
            reading: Vec::new(),
            read: VecDeque::new(),
            clock: StallClock::default(),
            offered: BTreeSet::new(),
            buffer: Buffer::default(),
            ping: None,
        }
    }

    /// Whether a `ping` is on its way. After a while it counts as lost.
    pub fn is_pinging(&self, now: Duration) -> bool {
        self.ping.as_ref().is_some_and(|ping| now.saturating_sub(ping.at) < STALL)
    }

    /// A `ping` leaves. An older one without an answer is forgotten.
    pub fn pings(&mut self, token: [u8; 16], now: Duration) {
        self.ping = Some(Ping { token, at: now });
    }

    /// The round trip; `None` when this answers no `ping` of ours.
    pub fn pong(&mut self, token: [u8; 16], now: Duration) -> Option<Duration> {
        let ping = self.ping.take_if(|ping| ping.token == token)?;
        Some(now.saturating_sub(ping.at))
    }

    /// Nothing of a transfer that was wanted is sent any more.
    pub fn forget(&mut self, transfer: ItemId) {
        self.queue.forget(transfer);
        self.reading.retain(|reading| reading.turn.transfer != transfer);
        self.read.retain(|(turn, _)| turn.transfer != transfer);
    }

    /// Nothing that was wanted is sent any more.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.reading.clear();
        self.read.clear();
    }
}
