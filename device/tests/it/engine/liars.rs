//! F19, F20: a device that lies costs itself, and nobody else much.

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::engine::contract::{Input, Progress, TransferFailure};
use heliograph_device::frames::{CancelReason, Chunk, ControlFrame, Frame, chunk_frame};
use heliograph_device::piece_hash::PieceHash;
use heliograph_device::receiver::LinkKey;
use proptest::collection::vec;
use proptest::prelude::*;

use super::network::Change;
use super::world::{World, device, item, ms, seal};
use super::*;

const SIZE: usize = 12 * MIB + 5;
const LIAR: usize = DAN;
const HONEST: [usize; 2] = [BOB, CYD];
const ALL: ChunkRange = ChunkRange::new(0, u32::MAX);

fn world(devices: usize, is_sealed: bool) -> World {
    let mut world = World::new(devices);
    world.relay.rate = 3_200;
    let seal = is_sealed.then(|| seal(item(0)));
    world.offers(ADA, item(0), SIZE, seal.clone());
    for at in 1..devices {
        world.asks(at, item(0), ADA, SIZE, seal.clone());
    }
    world
}

fn have(world: &World, others: &[usize]) -> bool {
    others.iter().all(|at| world.has(*at, item(0), SIZE))
}

/// A device hears a frame that no engine sent.
fn hears(world: &mut World, at: usize, frame: &ControlFrame) {
    let (from, frame) = (device(LIAR), frame.encode());
    world.gives(at, Input::Frame { from, link: LinkKey::Relay(from), frame });
}

fn inverted(chunk: &Chunk<'_>) -> Change {
    let bytes: Vec<u8> = chunk.bytes.iter().map(|byte| !byte).collect();
    Change::Into(chunk_frame(chunk.transfer, chunk.first, &[&bytes]))
}

#[test]
fn f19_wrong_chunks_cost_only_who_gives_them_in_clear_and_sealed() {
    for is_sealed in [false, true] {
        let mut world = world(4, is_sealed);
        world.changes = Some(Box::new(|from, _, frame| match frame {
            Frame::Chunk(chunk) if from == LIAR => inverted(chunk),
            _ => Change::Nothing,
        }));
        assert!(world.passes(LONG, |world| have(world, &[BOB, CYD, LIAR])));
        // Until the first piece of it is compared.
        assert!((1..6 * MIB as u64).contains(&world.given[LIAR]), "{}", world.given[LIAR]);
    }
}

#[test]
fn f5_chunks_of_a_wrong_size_are_dropped() {
    let mut world = world(4, false);
    world.changes = Some(Box::new(|from, _, frame| match frame {
        Frame::Chunk(chunk) if from == LIAR && !chunk.bytes.is_empty() => {
            let bytes = &chunk.bytes[1..];
            Change::Into(chunk_frame(chunk.transfer, chunk.first, &[bytes]))
        }
        _ => Change::Nothing,
    }));
    assert!(world.passes(LONG, |world| have(world, &HONEST)));
}

#[test]
fn f20_who_says_that_it_has_what_it_does_not_give_is_not_waited_for() {
    let mut world = world(4, false);
    world.changes = Some(Box::new(|from, _, frame| match frame {
        Frame::Chunk(_) if from == LIAR => Change::Lost,
        _ => Change::Nothing,
    }));
    for at in HONEST {
        hears(&mut world, at, &ControlFrame::Have { transfer: item(0), pieces: vec![ALL] });
    }
    assert!(world.passes(ms(120_000), |world| have(world, &HONEST)));
}

#[test]
fn f20_who_claims_all_for_ever_holds_nobody_up_for_long() {
    let mut world = World::new(4);
    world.relay.rate = 3_200;
    shares(&mut world, &[SIZE], |_| None);
    hears(&mut world, BOB, &ControlFrame::Have { transfer: item(0), pieces: Vec::new() });
    let claim = ControlFrame::Claim { transfer: item(0), pieces: vec![ALL] };
    for _ in 0..60 {
        hears(&mut world, BOB, &claim);
        world.passes(ms(1_000), |_| false);
    }
    assert!(have(&world, &[BOB]));
}

#[test]
fn f19_hashes_of_another_than_the_device_that_shared_a_file_are_not_believed() {
    let mut world = world(4, false);
    let hashes = vec![PieceHash([0; PieceHash::BYTES]); 13];
    hears(&mut world, BOB, &ControlFrame::Hashes { transfer: item(0), first: 0, hashes });
    assert!(world.passes(LONG, |world| have(world, &HONEST)));
}

#[test]
fn f20_chunks_that_nobody_wanted_of_their_sender_spoil_nothing() {
    let mut world = world(4, false);
    world.passes(ms(500), |_| false);
    let (from, bytes) = (device(LIAR), vec![0; 4 * 16_384]);
    for first in (0..768).step_by(4) {
        let frame = chunk_frame(item(0), first, &[&bytes]);
        world.gives(BOB, Input::Frame { from, link: LinkKey::Relay(from), frame });
    }
    assert!(world.passes(LONG, |world| have(world, &HONEST)));
    assert!(world.given[ADA] < SIZE as u64 * 3 / 2);
}

#[test]
fn f3_who_wants_all_for_ever_gets_it_in_turn_and_takes_no_more_memory() {
    let mut world = World::new(4);
    world.relay.rate = 3_200;
    shares(&mut world, &[SIZE], |_| None);
    let is_over = |world: &World| have(world, &[BOB]);
    for round in 0..1_000 {
        for transfer in [item(0), item(200)] {
            let chunks = if round % 2 == 0 { ALL } else { ChunkRange::new(round, u32::MAX) };
            hears(&mut world, ADA, &ControlFrame::Want { transfer, chunks });
            let pieces = ChunkRange::new(round % 16, u32::MAX);
            hears(&mut world, ADA, &ControlFrame::Ask { transfer, pieces });
        }
        if world.passes(ms(20), is_over) {
            break;
        }
    }
    assert!(is_over(&world));
    assert!(world.most_unsent <= 400 * 1024, "{}", world.most_unsent);
}

#[test]
fn f19_a_file_fails_when_what_its_device_gives_is_never_what_it_says() {
    let mut world = world(2, false);
    world.changes = Some(Box::new(|from, _, frame| match frame {
        Frame::Chunk(chunk) if from == ADA => inverted(chunk),
        _ => Change::Nothing,
    }));
    let is_damaged = |world: &World| {
        let progress = world.receives(BOB, item(0));
        matches!(progress, Some(Progress::Failed { why: TransferFailure::Damaged, .. }))
    };
    assert!(world.passes(LONG, is_damaged), "{:?}", world.receives(BOB, item(0)));
}

#[test]
fn f19_a_receiver_asks_for_hashes_that_were_lost() {
    let mut world = world(2, false);
    world.changes = Some(Box::new(|_, _, frame| match frame {
        Frame::Control(ControlFrame::Hashes { .. }) => Change::Lost,
        _ => Change::Nothing,
    }));
    assert!(!world.passes(ms(20_000), |world| have(world, &[BOB])));
    world.changes = None;
    assert!(world.passes(LONG, |world| have(world, &[BOB])));
}

fn range() -> impl Strategy<Value = ChunkRange> {
    let count = prop_oneof![0..20_u32, Just(u32::MAX)];
    (0..900_u32, count).prop_map(|(first, count)| ChunkRange::new(first, count))
}

/// Whatever a device may say or give of a file, or of another one.
fn lie() -> impl Strategy<Value = Vec<u8>> {
    let transfer = || prop_oneof![9 => Just(item(0)), 1 => Just(item(9))];
    let reason = prop_oneof![
        Just(CancelReason::Person),
        Just(CancelReason::Gone),
        Just(CancelReason::NoRoom),
        Just(CancelReason::Paused),
    ];
    let hashes = vec(any::<[u8; PieceHash::BYTES]>().prop_map(PieceHash), 1..20);
    let said = prop_oneof![
        (transfer(), range())
            .prop_map(|(transfer, chunks)| ControlFrame::Want { transfer, chunks }),
        (transfer(), range()).prop_map(|(transfer, pieces)| ControlFrame::Ask { transfer, pieces }),
        (transfer(), vec(range(), 0..4))
            .prop_map(|(transfer, pieces)| ControlFrame::Have { transfer, pieces }),
        (transfer(), vec(range(), 0..4))
            .prop_map(|(transfer, pieces)| ControlFrame::Claim { transfer, pieces }),
        (transfer(), 0..20_u32, hashes)
            .prop_map(|(transfer, first, hashes)| ControlFrame::Hashes { transfer, first, hashes }),
        (transfer(), reason)
            .prop_map(|(transfer, reason)| ControlFrame::Cancel { transfer, reason }),
        transfer().prop_map(|transfer| ControlFrame::Done { transfer }),
        transfer().prop_map(|transfer| ControlFrame::Ended { transfer }),
        transfer().prop_map(|transfer| ControlFrame::Offered { transfer }),
        transfer().prop_map(|transfer| ControlFrame::Dropped { transfer }),
        any::<[u8; 16]>().prop_map(|token| ControlFrame::Pong { token }),
    ];
    prop_oneof![
        8 => said.prop_map(|frame| frame.encode()),
        2 => (transfer(), 0..900_u32, 0..70_000_usize)
            .prop_map(|(transfer, first, length)| chunk_frame(transfer, first, &[&vec![7; length]])),
        1 => vec(any::<u8>(), 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn f19_f20_whatever_a_device_says_and_gives_the_others_get_the_file(
        is_sealed in any::<bool>(),
        lies in vec((0..3_usize, 0..60_u64, lie()), 0..120),
    ) {
        let mut world = world(4, is_sealed);
        world.changes = Some(Box::new(|from, _, _| {
            if from == LIAR { Change::Lost } else { Change::Nothing }
        }));
        let from = device(LIAR);
        for (at, after, frame) in lies {
            world.passes(ms(after), |_| false);
            world.gives(at, Input::Frame { from, link: LinkKey::Relay(from), frame });
        }
        let seen = |world: &World| format!("{:?}", HONEST.map(|at| world.receives(at, item(0)).cloned()));
        prop_assert!(world.passes(LONG, |world| have(world, &HONEST)), "{}", seen(&world));
    }
}
