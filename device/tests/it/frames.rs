//! What two devices say to each other, as bytes.

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::CHUNK_BYTES;
use heliograph_device::frames::{
    CHUNK_HEADER_BYTES, CancelReason, Chunk, ControlFrame, Frame, chunk_frame, chunks_per_frame,
};
use heliograph_device::piece_hash::PieceHash;
use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;
use uuid::Uuid;

use super::vectors::{bytes, cases};

/// A frame as the vectors have it.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Told {
    Want { transfer: ItemId, first: u32, count: u32 },
    Chunk { transfer: ItemId, first: u32, parts: Vec<String> },
    Done { transfer: ItemId },
    Cancel { transfer: ItemId, reason: String },
    Ended { transfer: ItemId },
    Dropped { transfer: ItemId },
    Ping { token: Uuid },
    Pong { token: Uuid },
    Offered { transfer: ItemId },
    Hashes { transfer: ItemId, first: u32, hashes: Vec<String> },
    Ask { transfer: ItemId, first: u32, count: u32 },
    Have { transfer: ItemId, pieces: Vec<ToldRange> },
    Claim { transfer: ItemId, pieces: Vec<ToldRange> },
}

#[derive(Deserialize)]
struct ToldRange {
    first: u32,
    count: u32,
}

#[derive(Deserialize)]
struct Encoded {
    frame: Told,
    bytes: String,
}

#[derive(Deserialize)]
struct Refused {
    name: String,
    bytes: String,
}

fn reason(name: &str) -> CancelReason {
    match name {
        "person" => CancelReason::Person,
        "gone" => CancelReason::Gone,
        "noRoom" => CancelReason::NoRoom,
        "paused" => CancelReason::Paused,
        _ => panic!("{name}"),
    }
}

fn ranges(told: Vec<ToldRange>) -> Vec<ChunkRange> {
    told.into_iter().map(|ToldRange { first, count }| ChunkRange { first, count }).collect()
}

fn hash(hex: &str) -> PieceHash {
    PieceHash(bytes(hex).try_into().unwrap())
}

/// The frame without its bytes; `None` for a chunk.
fn control(told: Told) -> Option<ControlFrame> {
    Some(match told {
        Told::Chunk { .. } => return None,
        Told::Want { transfer, first, count } => {
            ControlFrame::Want { transfer, chunks: ChunkRange { first, count } }
        }
        Told::Ask { transfer, first, count } => {
            ControlFrame::Ask { transfer, pieces: ChunkRange { first, count } }
        }
        Told::Done { transfer } => ControlFrame::Done { transfer },
        Told::Cancel { transfer, reason: name } => {
            ControlFrame::Cancel { transfer, reason: reason(&name) }
        }
        Told::Ended { transfer } => ControlFrame::Ended { transfer },
        Told::Dropped { transfer } => ControlFrame::Dropped { transfer },
        Told::Offered { transfer } => ControlFrame::Offered { transfer },
        Told::Ping { token } => ControlFrame::Ping { token: token.into_bytes() },
        Told::Pong { token } => ControlFrame::Pong { token: token.into_bytes() },
        Told::Hashes { transfer, first, hashes } => {
            let hashes = hashes.iter().map(|hex| hash(hex)).collect();
            ControlFrame::Hashes { transfer, first, hashes }
        }
        Told::Have { transfer, pieces } => ControlFrame::Have { transfer, pieces: ranges(pieces) },
        Told::Claim { transfer, pieces } => {
            ControlFrame::Claim { transfer, pieces: ranges(pieces) }
        }
    })
}

#[test]
fn frames_are_the_bytes_that_browsers_write_and_are_read_again() {
    for Encoded { frame, bytes: hex } in cases::<Vec<Encoded>>("frames") {
        if let Told::Chunk { transfer, first, parts } = &frame {
            let parts: Vec<_> = parts.iter().map(|part| bytes(part)).collect();
            let slices: Vec<_> = parts.iter().map(|part| &part[..]).collect();
            assert_eq!(chunk_frame(*transfer, *first, &slices), bytes(&hex));
            let chunk = Chunk { transfer: *transfer, first: *first, bytes: &parts.concat() };
            assert_eq!(Frame::decode(&bytes(&hex)), Some(Frame::Chunk(chunk)));
        } else {
            let control = control(frame).unwrap();
            assert_eq!(control.encode(), bytes(&hex));
            assert_eq!(Frame::decode(&bytes(&hex)), Some(Frame::Control(control)));
        }
    }
}

#[test]
fn f8_what_cannot_be_parsed_is_dropped() {
    for Refused { name, bytes: hex } in cases::<Vec<Refused>>("refused") {
        assert_eq!(Frame::decode(&bytes(&hex)), None, "{name}");
    }
}

#[test]
fn f8_a_frame_of_more_than_256_kib_is_dropped() {
    let transfer = ItemId::from_random([7; 16]);
    let body = vec![0; MAX_RELAYED_FRAME_BYTES - CHUNK_HEADER_BYTES];
    assert!(Frame::decode(&chunk_frame(transfer, 0, &[&body])).is_some());
    assert_eq!(Frame::decode(&chunk_frame(transfer, 0, &[&body, &[0]])), None);
}

#[test]
fn f8_frames_stay_below_the_limit_with_room_for_sixteen_bytes_a_chunk() {
    for (largest, chunks) in [(MAX_RELAYED_FRAME_BYTES, 4), (65_536, 3), (10, 1), (0, 1)] {
        assert_eq!(chunks_per_frame(largest), chunks, "{largest}");
    }
    let sealed = 4 * (usize::try_from(CHUNK_BYTES).unwrap() + 16);
    assert!(CHUNK_HEADER_BYTES + sealed <= MAX_RELAYED_FRAME_BYTES);
}

/// Bytes that are often nearly a frame.
fn nearly_frames() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..80),
        (0..16_u8, vec(any::<u8>(), 16..90)).prop_map(|(kind, rest)| [&[kind][..], &rest].concat()),
        (1..14_u8, any::<[u8; 16]>(), 0..12_usize, any::<u8>())
            .prop_map(|(kind, id, parts, of)| [&[kind][..], &id, &[of].repeat(4 * parts)].concat()),
    ]
}

proptest! {
    #[test]
    fn f8_whatever_arrives_a_frame_is_read_only_if_these_are_its_bytes(bytes in nearly_frames()) {
        let again = match Frame::decode(&bytes) {
            None => return Ok(()),
            Some(Frame::Control(control)) => control.encode(),
            Some(Frame::Chunk(Chunk { transfer, first, bytes })) => chunk_frame(transfer, first, &[bytes]),
        };
        prop_assert_eq!(again, bytes);
    }
}
