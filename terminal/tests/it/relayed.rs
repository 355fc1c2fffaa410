//! Frames as they go through the server, with the id of their device (R1).

/// Bytes of a chunk (F2), and of a sealed one (E7).
pub const CHUNK: usize = 16_384;
pub const SEALED_CHUNK: usize = CHUNK + 16;
/// The place of a frame's kind.
pub const KIND: usize = 16;
/// Bytes before the chunks of a frame: device, kind, transfer and the place of the first.
pub const FRAME_BYTES: usize = KIND + 1 + 16 + 4;
pub const CHUNK_FRAME: u8 = 2;
pub const HASHES_FRAME: u8 = 10;

/// The sealed chunks of a frame, each with its place; none of a frame that has no chunks.
pub fn chunks_of(frame: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let is_chunks = frame[KIND] == CHUNK_FRAME;
    let first = &frame[FRAME_BYTES - 4..];
    let first = if is_chunks { u32::from_be_bytes(first[..4].try_into().unwrap()) } else { 0 };
    let bytes = if is_chunks { &frame[FRAME_BYTES..] } else { &[] };
    (first..).zip(bytes.chunks(SEALED_CHUNK))
}
