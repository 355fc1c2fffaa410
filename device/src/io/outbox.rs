//! The frames that wait for a direct link, and how many bytes of them have not arrived.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::engine::contract::Buffer;

/// Bytes of frames that wait here for the library, at most. The library holds more of its own.
const HIGH_WATER_BYTES: u64 = 1024 * 1024;
/// Whoever fills the outbox is told of room each time that so much was written. It fills at most what it was told of, all of which is
/// written after that, so it is told again before it has stopped, or soon after.
const TOLD_EVERY_BYTES: u64 = HIGH_WATER_BYTES / 2;
/// A device that lets more than this wait for it does not read. Chunks wait for room far below.
const MOST_UNSENT_BYTES: u64 = 8 * 1024 * 1024;
/// The same for small frames. The overhead of each is several times its size.
const MOST_UNSAID_BYTES: u64 = 256 * 1024;

/// Bytes since the link began.
#[derive(Debug, Default)]
struct Load {
    /// Of the frames that were handed over.
    given: AtomicU64,
    /// Of those that the library has taken.
    written: AtomicU64,
    /// Of those that the other device has.
    arrived: AtomicU64,
}

impl Load {
    /// Bytes of the frames that the library has not taken.
    fn queued(&self) -> u64 {
        self.given.load(Ordering::Relaxed).saturating_sub(self.written.load(Ordering::Relaxed))
    }

    fn waiting(&self) -> u64 {
        self.given.load(Ordering::Relaxed).saturating_sub(self.arrived.load(Ordering::Relaxed))
    }
}

/// Where frames of one kind are handed over.
#[derive(Debug)]
struct Outbox {
    frames: UnboundedSender<Vec<u8>>,
    load: Arc<Load>,
    /// Bytes that may wait.
    most: u64,
}

/// Where the frames of a link are handed over.
#[derive(Debug)]
pub(super) struct Outboxes {
    bulk: Outbox,
    control: Outbox,
}

/// The other end of one kind: what is to be written.
#[derive(Debug)]
pub(super) struct Outgoing {
    frames: UnboundedReceiver<Vec<u8>>,
    load: Arc<Load>,
    /// Bytes that the library has taken since room was told of.
    untold: u64,
}

/// What the other device says to have.
#[derive(Clone, Debug)]
pub(super) struct Arrivals(Arc<Load>);

impl Outbox {
    fn new(most: u64) -> (Self, Outgoing) {
        let (sender, frames) = unbounded_channel();
        let load = Arc::new(Load::default());
        (Self { frames: sender, load: load.clone(), most }, Outgoing { frames, load, untold: 0 })
    }

    /// Hands a frame over. `false` where too much waits already. What is given to a link that has ended is lost with it (F6).
    fn push(&self, frame: Vec<u8>) -> bool {
        if self.load.queued() > self.most {
            return false;
        }
        let bytes = frame.len() as u64;
        self.load.given.fetch_add(bytes, Ordering::Relaxed);
        if self.frames.send(frame).is_err() {
            self.load.given.fetch_sub(bytes, Ordering::Relaxed);
        }
        true
    }
}

impl Outboxes {
    /// Those of a link, and what is to be written: chunks, and other frames.
    pub(super) fn new() -> (Self, Outgoing, Outgoing) {
        let (bulk, chunks) = Outbox::new(MOST_UNSENT_BYTES);
        let (control, frames) = Outbox::new(MOST_UNSAID_BYTES);
        (Self { bulk, control }, chunks, frames)
    }

    /// Hands over a frame of chunks. `false` where more than 8 MiB wait already.
    pub(super) fn send(&self, frame: Vec<u8>) -> bool {
        self.bulk.push(frame)
    }

    /// Hands over any other frame. `false` where more than 256 KiB of them wait already.
    pub(super) fn say(&self, frame: Vec<u8>) -> bool {
        self.control.push(frame)
    }

    /// What waits, and how much room there is for chunks. What is on its way and has not arrived counts as waiting.
    pub(super) fn buffer(&self) -> Buffer {
        let unsaid = self.control.load.waiting();
        let room = HIGH_WATER_BYTES.saturating_sub(self.bulk.load.queued());
        Buffer { room, unsent: self.bulk.load.waiting() + unsaid, unsaid }
    }
}

impl Outgoing {
    /// The next frame; `None` once the link is gone.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        self.frames.recv().await
    }

    /// The library has taken a frame of so many bytes. Whether it is to be told that there is room.
    pub(super) fn wrote(&mut self, bytes: u64) -> bool {
        self.load.written.fetch_add(bytes, Ordering::Relaxed);
        self.untold += bytes;
        let is_told = self.untold >= TOLD_EVERY_BYTES;
        if is_told {
            self.untold = 0;
        }
        is_told
    }

    /// Bytes that the library has taken and that have not arrived.
    pub(super) fn outstanding(&self) -> u64 {
        let written = self.load.written.load(Ordering::Relaxed);
        written.saturating_sub(self.load.arrived.load(Ordering::Relaxed))
    }

    /// All that the library has taken has arrived but so many bytes.
    pub(super) fn is_outstanding(&self, bytes: u64) {
        let written = self.load.written.load(Ordering::Relaxed);
        self.load.arrived.store(written.saturating_sub(bytes), Ordering::Relaxed);
    }

    pub(super) fn arrivals(&self) -> Arrivals {
        Arrivals(self.load.clone())
    }
}

impl Arrivals {
    /// So many bytes have arrived since the link began. What was not handed over cannot have; what was may arrive before it counts
    /// as written.
    pub(super) fn tell(&self, bytes: u64) {
        let given = self.0.given.load(Ordering::Relaxed);
        self.0.arrived.fetch_max(bytes.min(given), Ordering::Relaxed);
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.frames.close();
        let given = self.load.given.load(Ordering::Relaxed);
        self.load.written.store(given, Ordering::Relaxed);
        self.load.arrived.store(given, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_BYTES: usize = 64 * 1024;

    /// Hands frames over as the engine does, which counts for itself what is left of the room that it was last told of.
    fn fill(outboxes: &Outboxes, room: &mut u64) {
        while *room > 0 {
            assert!(outboxes.send(vec![0; FRAME_BYTES]), "there is room");
            *room = room.saturating_sub(FRAME_BYTES as u64);
        }
    }

    #[tokio::test]
    async fn a_link_that_writes_sooner_than_it_is_filled_tells_of_room_before_all_is_written() {
        let (outboxes, mut chunks, _frames) = Outboxes::new();
        let mut room = outboxes.buffer().room;
        for _ in 0..100 {
            // Each frame is written at once, so that next to nothing ever waits.
            while room > 0 {
                assert!(outboxes.send(vec![0; FRAME_BYTES]));
                room = room.saturating_sub(FRAME_BYTES as u64);
                let frame = chunks.next().await.expect("a frame");
                if chunks.wrote(frame.len() as u64) {
                    room = outboxes.buffer().room;
                    break;
                }
            }
            assert!(room > 0, "nobody would fill it any more");
        }
    }

    #[tokio::test]
    async fn what_arrives_before_it_counts_as_written_waits_no_more() {
        let (outboxes, mut chunks, _frames) = Outboxes::new();
        assert!(outboxes.send(vec![0; FRAME_BYTES]));
        let frame = chunks.next().await.expect("a frame");
        chunks.arrivals().tell(u64::MAX);
        chunks.wrote(frame.len() as u64);
        assert_eq!(outboxes.buffer().unsent, 0);
        assert!(outboxes.send(vec![0; 9]));
        assert_eq!(outboxes.buffer().unsent, 9, "what was not handed over has not arrived");
    }

    #[tokio::test]
    async fn a_link_that_is_filled_sooner_than_it_writes_tells_of_room_while_something_waits() {
        let (outboxes, mut chunks, _frames) = Outboxes::new();
        let mut room = outboxes.buffer().room;
        for _ in 0..100 {
            fill(&outboxes, &mut room);
            loop {
                let frame = chunks.next().await.expect("a frame");
                if chunks.wrote(frame.len() as u64) {
                    break;
                }
            }
            room = outboxes.buffer().room;
            assert!((1..HIGH_WATER_BYTES).contains(&room), "it has room, and does not run dry");
        }
    }
}
