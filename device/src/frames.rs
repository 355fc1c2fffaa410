//! Frames between two devices, the same bytes on every link (`PROTOCOL.md`, section F).

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::{CHUNK_BYTES, MAX_RELAYED_FRAME_BYTES};
use uuid::Uuid;

use crate::chunk_set::ChunkRange;
use crate::piece_hash::PieceHash;

/// A frame as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// Chunks of a file.
    Chunk(Chunk<'a>),
    /// Every other frame.
    Control(ControlFrame),
}

/// Chunks of a file, from `first` on. Without bytes it is a sign of life (F12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The transfer to which they belong.
    pub transfer: ItemId,
    /// The number of the first chunk.
    pub first: u32,
    /// Their bytes, one chunk behind the other: a view into the frame.
    pub bytes: &'a [u8],
}

/// Every frame except a chunk, which [`chunk_frame`] writes. Fields are named as in `PROTOCOL.md`.
#[expect(missing_docs, reason = "one field has one meaning in all frames")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlFrame {
    /// The receiver asks for chunks (F3).
    Want { transfer: ItemId, chunks: ChunkRange },
    /// Every chunk is durable at the receiver (F7).
    Done { transfer: ItemId },
    /// The transfer ends between the two devices (F7).
    Cancel { transfer: ItemId, reason: CancelReason },
    /// The answer to `done` and to `cancel` (F7).
    Ended { transfer: ItemId },
    /// The server dropped chunks of this transfer: what has not arrived on this link will not arrive (F11).
    Dropped { transfer: ItemId },
    /// Asks for a `pong` with the same token at once, to measure the round trip (F15).
    Ping { token: [u8; 16] },
    /// The answer to `ping` (F15).
    Pong { token: [u8; 16] },
    /// The sender has a file again, or goes on with it (F17, F18).
    Offered { transfer: ItemId },
    /// The hashes of pieces, from `first` on (F19). There is at least one.
    Hashes { transfer: ItemId, first: u32, hashes: Vec<PieceHash> },
    /// Asks for the hashes of pieces (F19).
    Ask { transfer: ItemId, pieces: ChunkRange },
    /// The sender receives a file, or has it, and gives these pieces of it besides those that it named before (F20).
    Have { transfer: ItemId, pieces: Vec<ChunkRange> },
    /// The pieces that the sender is getting from the device that shared the file: all that it gets now (F20).
    Claim { transfer: ItemId, pieces: Vec<ChunkRange> },
}

/// Why a transfer is cancelled: the byte of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CancelReason {
    /// A person cancelled it.
    Person = 1,
    /// The device no longer has the file.
    Gone = 2,
    /// The device has no room for it.
    NoRoom = 3,
    /// A person paused it (F18).
    Paused = 4,
}

impl CancelReason {
    fn of(code: u8) -> Option<Self> {
        let all = [Self::Person, Self::Gone, Self::NoRoom, Self::Paused];
        all.into_iter().find(|reason| *reason as u8 == code)
    }
}

/// The first byte of each frame.
mod kind {
    pub const WANT: u8 = 1;
    pub const CHUNK: u8 = 2;
    pub const DONE: u8 = 3;
    pub const CANCEL: u8 = 4;
    pub const ENDED: u8 = 5;
    pub const DROPPED: u8 = 6;
    pub const PING: u8 = 7;
    pub const PONG: u8 = 8;
    pub const OFFERED: u8 = 9;
    pub const HASHES: u8 = 10;
    pub const ASK: u8 = 11;
    pub const HAVE: u8 = 12;
    pub const CLAIM: u8 = 13;
}

/// Bytes before the body of any frame: kind, and transfer or token.
const HEADER_BYTES: usize = 1 + 16;
/// Bytes before the body of a chunk frame: kind, transfer, first.
pub const CHUNK_HEADER_BYTES: usize = HEADER_BYTES + 4;
/// Bytes of the largest chunk, which is a sealed one (E7).
const LARGEST_CHUNK_BYTES: usize = CHUNK_BYTES + 16;
/// Chunks in one frame. Larger frames leave in larger bursts, which lose more packets, and measured no faster.
const FRAME_CHUNKS: u32 = 4;

/// How many whole chunks fit a frame of at most `max_frame` bytes; at least one.
#[must_use]
pub fn chunks_per_frame(max_frame: usize) -> u32 {
    let fitting = max_frame.saturating_sub(CHUNK_HEADER_BYTES) / LARGEST_CHUNK_BYTES;
    u32::try_from(fitting).unwrap_or(u32::MAX).clamp(1, FRAME_CHUNKS)
}

/// Writes a chunk frame around the parts of its body. This is the only copy of the bytes between the file and the link.
#[must_use]
pub fn chunk_frame(transfer: ItemId, first: u32, parts: &[&[u8]]) -> Vec<u8> {
    let body = 4 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut frame = header(kind::CHUNK, transfer.uuid().as_bytes(), body);
    frame.extend(first.to_be_bytes());
    for part in parts {
        frame.extend_from_slice(part);
    }
    frame
}

impl ControlFrame {
    /// The bytes of the frame.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Want { transfer, chunks } => with_ranges(kind::WANT, *transfer, &[*chunks]),
            Self::Ask { transfer, pieces } => with_ranges(kind::ASK, *transfer, &[*pieces]),
            Self::Have { transfer, pieces } => with_ranges(kind::HAVE, *transfer, pieces),
            Self::Claim { transfer, pieces } => with_ranges(kind::CLAIM, *transfer, pieces),
            Self::Done { transfer } => plain(kind::DONE, *transfer),
            Self::Ended { transfer } => plain(kind::ENDED, *transfer),
            Self::Dropped { transfer } => plain(kind::DROPPED, *transfer),
            Self::Offered { transfer } => plain(kind::OFFERED, *transfer),
            Self::Ping { token } => header(kind::PING, token, 0),
            Self::Pong { token } => header(kind::PONG, token, 0),
            Self::Cancel { transfer, reason } => {
                let mut frame = header(kind::CANCEL, transfer.uuid().as_bytes(), 1);
                frame.push(*reason as u8);
                frame
            }
            Self::Hashes { transfer, first, hashes } => {
                let body = 4 + hashes.len() * PieceHash::BYTES;
                let mut frame = header(kind::HASHES, transfer.uuid().as_bytes(), body);
                frame.extend(first.to_be_bytes());
                for hash in hashes {
                    frame.extend(hash.0);
                }
                frame
            }
        }
    }
}

fn plain(kind: u8, transfer: ItemId) -> Vec<u8> {
    header(kind, transfer.uuid().as_bytes(), 0)
}

fn with_ranges(kind: u8, transfer: ItemId, ranges: &[ChunkRange]) -> Vec<u8> {
    let mut frame = header(kind, transfer.uuid().as_bytes(), 8 * ranges.len());
    for ChunkRange { first, count } in ranges {
        frame.extend(first.to_be_bytes());
        frame.extend(count.to_be_bytes());
    }
    frame
}

/// The start of a frame, with room for a body of so many bytes.
fn header(kind: u8, id: &[u8; 16], body: usize) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER_BYTES + body);
    frame.push(kind);
    frame.extend(id);
    frame
}

impl<'a> Frame<'a> {
    /// Parses a frame. `None` when it cannot be parsed or is over 256 KiB (F8).
    #[must_use]
    pub fn decode(frame: &'a [u8]) -> Option<Self> {
        if frame.len() > MAX_RELAYED_FRAME_BYTES {
            return None;
        }
        let (kind, rest) = frame.split_first()?;
        let (id, body) = rest.split_first_chunk()?;
        let transfer = ItemId::from_uuid(Uuid::from_bytes(*id));
        if *kind == kind::CHUNK {
            let (first, bytes) = read_first(body)?;
            return Some(Self::Chunk(Chunk { transfer, first, bytes }));
        }
        let control = match *kind {
            kind::WANT => ControlFrame::Want { transfer, chunks: read_range(body)? },
            kind::ASK => ControlFrame::Ask { transfer, pieces: read_range(body)? },
            kind::HAVE => ControlFrame::Have { transfer, pieces: read_ranges(body)? },
            kind::CLAIM => ControlFrame::Claim { transfer, pieces: read_ranges(body)? },
            kind::HASHES => {
                let (first, hashes) = read_first(body)?;
                ControlFrame::Hashes { transfer, first, hashes: read_hashes(hashes)? }
            }
            kind::CANCEL => match body {
                [code] => ControlFrame::Cancel { transfer, reason: CancelReason::of(*code)? },
                _ => return None,
            },
            _ if !body.is_empty() => return None,
            kind::DONE => ControlFrame::Done { transfer },
            kind::ENDED => ControlFrame::Ended { transfer },
            kind::DROPPED => ControlFrame::Dropped { transfer },
            kind::OFFERED => ControlFrame::Offered { transfer },
            kind::PING => ControlFrame::Ping { token: *id },
            kind::PONG => ControlFrame::Pong { token: *id },
            _ => return None,
        };
        Some(Self::Control(control))
    }
}

fn read_first(body: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = body.split_first_chunk()?;
    Some((u32::from_be_bytes(*first), rest))
}

fn read_range(body: &[u8]) -> Option<ChunkRange> {
    let [a, b, c, d, rest @ ..] = <[u8; 8]>::try_from(body).ok()?;
    Some(ChunkRange::new(u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes(rest)))
}

fn read_ranges(body: &[u8]) -> Option<Vec<ChunkRange>> {
    // What is left over is no range, so that there are none at all.
    body.chunks(8).map(read_range).collect()
}

fn read_hashes(body: &[u8]) -> Option<Vec<PieceHash>> {
    let (hashes, rest) = body.as_chunks();
    let is_whole = rest.is_empty() && !hashes.is_empty();
    is_whole.then(|| hashes.iter().copied().map(PieceHash).collect())
}
