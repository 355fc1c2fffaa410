//! The frames on the two streams: `length (4) ‖ frame`, big-endian. A length of 0 on the stream for other frames than chunks is
//! followed by how many bytes of frames were read on either stream, `chunks (8) ‖ others (8)`.

use bytes::Bytes;
use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES;
use quinn::{Connection, RecvStream, SendStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::meeting::{AHEAD_BYTES, SIGN_OF_LIFE};
use crate::io::link_contract::{LinkEvent, PeerLinkEvent};
use crate::io::outbox::{Arrivals, Outgoing};

/// Largest frame that is sent and taken, in bytes (F8).
pub(super) const MOST_FRAME_BYTES: usize = MAX_RELAYED_FRAME_BYTES;
/// Nothing comes any more where not even signs of life do for so long.
const MOST_MISSED: u32 = 4;

/// Where what happens is told.
#[derive(Clone)]
pub(super) struct Teller {
    pub(super) link: u64,
    pub(super) events: mpsc::Sender<LinkEvent>,
}

impl Teller {
    /// `None` where nobody listens.
    pub(super) async fn tell(&self, event: PeerLinkEvent) -> Option<()> {
        self.events.send(LinkEvent { link: self.link, event }).await.ok()
    }
}

/// Bytes of frames that were read: of chunks, and of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) chunks: u64,
    pub(super) others: u64,
}

impl Counts {
    fn write(self) -> [u8; 20] {
        let mut written = [0; 20];
        written[4..12].copy_from_slice(&self.chunks.to_be_bytes());
        written[12..].copy_from_slice(&self.others.to_be_bytes());
        written
    }
}

/// What the other end says to have read.
pub(super) struct Heard {
    pub(super) chunks: Arrivals,
    pub(super) others: Arrivals,
    /// How many bytes of chunks.
    pub(super) read: watch::Sender<u64>,
}

/// Writes chunks, as long as the other end reads them. Ends with the connection, or the link.
pub(super) async fn write_chunks(
    mut frames: Outgoing,
    mut stream: SendStream,
    mut read: watch::Receiver<u64>,
    teller: Teller,
) -> Option<()> {
    let mut written: u64 = 0;
    while let Some(frame) = frames.next().await {
        // What waits in the library leaves room there for other frames.
        let bytes = frame.len() as u64;
        let is_room = |read: &u64| written + bytes <= read.saturating_add(u64::from(AHEAD_BYTES));
        read.wait_for(is_room).await.ok()?;
        write(&mut stream, frame).await?;
        written += bytes;
        if frames.wrote(bytes) {
            teller.tell(PeerLinkEvent::Room).await?;
        }
    }
    None
}

/// Writes other frames, before the chunks that wait, and how much was read here.
pub(super) async fn write_others(
    mut frames: Outgoing,
    mut stream: SendStream,
    mut counts: watch::Receiver<Counts>,
) -> Option<()> {
    stream.set_priority(1).ok()?;
    loop {
        tokio::select! {
            biased;
            frame = frames.next() => {
                let frame = frame?;
                let bytes = frame.len() as u64;
                write(&mut stream, frame).await?;
                frames.wrote(bytes);
            }
            changed = counts.changed() => {
                changed.ok()?;
                let counts = *counts.borrow_and_update();
                stream.write_all(&counts.write()).await.ok()?;
            }
        }
    }
}

async fn write(stream: &mut SendStream, frame: Vec<u8>) -> Option<()> {
    let length = u32::try_from(frame.len()).ok()?;
    let mut parts = [Bytes::copy_from_slice(&length.to_be_bytes()), Bytes::from(frame)];
    stream.write_all_chunks(&mut parts).await.ok()
}

/// Reads chunks. What waits in the library is bounded by its window, so a device here that is slow slows the other down.
pub(super) async fn read_chunks(
    mut stream: RecvStream,
    counts: watch::Sender<Counts>,
    teller: Teller,
) -> Option<()> {
    loop {
        let length = length(&mut stream).await?;
        let frame = frame(&mut stream, length).await?;
        let bytes = frame.len() as u64;
        teller.tell(PeerLinkEvent::Frame(frame)).await?;
        counts.send_modify(|counts| counts.chunks += bytes);
    }
}

/// Reads other frames, and how much was read there.
pub(super) async fn read_others(
    mut stream: RecvStream,
    counts: watch::Sender<Counts>,
    heard: Heard,
    teller: Teller,
) -> Option<()> {
    loop {
        let length = length(&mut stream).await?;
        if length == 0 {
            let (chunks, others) = (number(&mut stream).await?, number(&mut stream).await?);
            heard.chunks.tell(chunks);
            heard.others.tell(others);
            heard.read.send_if_modified(|read| {
                let is_more = chunks > *read;
                *read = chunks.max(*read);
                is_more
            });
            continue;
        }
        let frame = frame(&mut stream, length).await?;
        let bytes = frame.len() as u64;
        teller.tell(PeerLinkEvent::Frame(frame)).await?;
        counts.send_modify(|counts| counts.others += bytes);
    }
}

async fn length(stream: &mut RecvStream) -> Option<usize> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).await.ok()?;
    usize::try_from(u32::from_be_bytes(length)).ok()
}

async fn number(stream: &mut RecvStream) -> Option<u64> {
    let mut number = [0; 8];
    stream.read_exact(&mut number).await.ok()?;
    Some(u64::from_be_bytes(number))
}

/// `None` where it is larger than any may be: nothing is made ready for it.
async fn frame(stream: &mut RecvStream, length: usize) -> Option<Vec<u8>> {
    if length == 0 || length > MOST_FRAME_BYTES {
        return None;
    }
    let mut frame = vec![0; length];
    stream.read_exact(&mut frame).await.ok()?;
    Some(frame)
}

/// Tells when nothing comes any more, and when something does again. Ends with the connection.
pub(super) async fn watch_silence(connection: Connection, teller: Teller) -> Option<()> {
    let (mut heard, mut missed) = (0, 0);
    let mut looks = interval(SIGN_OF_LIFE);
    // After a sleep of the device, no look comes before the packets that have come meanwhile.
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            _ = connection.closed() => return None,
        }
        let now = connection.stats().udp_rx.datagrams;
        let was_broken = missed >= MOST_MISSED;
        missed = if now == heard { missed + 1 } else { 0 };
        heard = now;
        let is_broken = missed >= MOST_MISSED;
        if is_broken != was_broken {
            teller.tell(PeerLinkEvent::Broken(is_broken)).await?;
        }
    }
}
