//! F20, F21: several devices receive a file, and give each other what they have.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use heliograph_device::engine::contract::{End, Input, Progress, TransferFailure};
use heliograph_device::frames::{CancelReason, ControlFrame, Frame};

use super::network::Change;
use super::world::{World, device, item, ms};
use super::*;

/// 17 pieces: several times what the windows of all devices hold together.
const SIZE: usize = 16 * MIB + 5;
const OTHERS: [usize; 3] = [BOB, CYD, DAN];

/// Each device has an uplink of 3.2 MB/s.
fn world(devices: usize) -> World {
    let mut world = World::new(devices);
    world.relay.rate = 3_200;
    world
}

fn all_ask(world: &mut World, others: &[usize]) {
    world.offers(ADA, item(0), SIZE, None);
    for at in others {
        world.asks(*at, item(0), ADA, SIZE, None);
    }
}

fn have(world: &World, others: &[usize]) -> bool {
    others.iter().all(|at| world.has(*at, item(0), SIZE))
}

/// All receive the file, until they have every piece between them, and none has all of it.
fn all_have_it_between_them() -> World {
    let mut world = world(4);
    all_ask(&mut world, &OTHERS);
    let named = Rc::new(std::cell::RefCell::new(BTreeSet::new()));
    let known = Rc::clone(&named);
    world.changes = Some(Box::new(move |_, _, frame| {
        if let Frame::Control(ControlFrame::Have { pieces, .. }) = frame {
            known.borrow_mut().extend(pieces.iter().flat_map(|range| range.first..range.end()));
        }
        Change::Nothing
    }));
    assert!(world.passes(LONG, |_| named.borrow().len() == 17));
    assert!(!OTHERS.iter().any(|at| world.has(*at, item(0), SIZE)));
    world.changes = None;
    world
}

#[test]
fn f20_the_device_that_shared_a_file_gives_little_more_than_it_once() {
    let mut world = world(4);
    all_ask(&mut world, &OTHERS);
    assert!(world.passes(LONG, |world| have(world, &OTHERS)));
    let given = world.given[ADA];
    assert!(given < SIZE as u64 * 3 / 2, "{given}");
    assert!(world.passes(LONG, World::is_quiet));
}

#[test]
fn f20_a_file_goes_on_without_the_device_that_shared_it_once_others_have_it_between_them() {
    let mut world = all_have_it_between_them();
    world.leaves(ADA);
    assert!(world.passes(LONG, |world| have(world, &OTHERS)));
}

#[test]
fn f17_a_file_goes_on_among_others_when_the_device_that_shared_it_has_it_no_more() {
    let mut world = all_have_it_between_them();
    world.restarts(ADA);
    assert!(world.passes(LONG, |world| have(world, &OTHERS)));
}

#[test]
fn s25_a_file_goes_on_among_others_when_the_device_that_shared_it_was_removed() {
    let mut world = all_have_it_between_them();
    world.leaves(ADA);
    for at in OTHERS {
        world.gives(at, Input::Removed(vec![device(ADA)]));
    }
    assert!(world.passes(LONG, |world| have(world, &OTHERS)));
}

#[test]
fn f17_a_file_waits_for_the_device_that_shared_it_when_nobody_else_has_the_rest() {
    let mut world = world(4);
    all_ask(&mut world, &OTHERS);
    world.passes(ms(2_000), |_| false);
    world.restarts(ADA);
    let is_gone = |world: &World, at: usize| {
        let progress = world.receives(at, item(0));
        matches!(progress, Some(Progress::Failed { why: TransferFailure::Gone, .. }))
    };
    assert!(world.passes(LONG, |world| OTHERS.iter().all(|at| is_gone(world, *at))));
    world.offers_again(ADA, item(0), None);
    assert!(world.passes(LONG, |world| have(world, &OTHERS)));
}

#[test]
fn f18_a_file_goes_on_from_others_when_the_person_who_has_paused_it_leaves() {
    let mut world = world(3);
    all_ask(&mut world, &[CYD]);
    assert!(world.passes(LONG, |world| have(world, &[CYD])));
    world.asks(BOB, item(0), ADA, SIZE, None);
    // Ada says the hashes of all pieces.
    world.passes(ms(500), |_| false);
    world.gives(ADA, pause(item(0), Some(BOB)));
    world.passes(ms(2_000), |_| false);
    let progress = world.receives(BOB, item(0));
    assert!(matches!(progress, Some(Progress::Paused { by: End::There, .. })), "{progress:?}");
    world.leaves(ADA);
    assert!(world.passes(LONG, |world| have(world, &[BOB])));
}

#[test]
fn f20_who_gives_a_file_up_or_pauses_it_says_so_to_those_who_owe_parts_of_it() {
    for input in [cancel, pause] {
        let mut world = world(4);
        all_ask(&mut world, &OTHERS);
        assert!(world.passes(LONG, |world| bytes(world) > 5 * MIB as u64));
        let told = Rc::new(Cell::new(false));
        let known = Rc::clone(&told);
        world.changes = Some(Box::new(move |from, to, frame| {
            let reason = CancelReason::Person;
            let cancel = ControlFrame::Cancel { transfer: item(0), reason };
            if from == BOB && to != ADA && *frame == Frame::Control(cancel) {
                known.set(true);
            }
            Change::Nothing
        }));
        world.gives(BOB, input(item(0), None));
        world.passes(ms(200), |_| false);
        assert!(told.get());
        let carried = world.carried[BOB];
        assert!(world.passes(LONG, |world| have(world, &[CYD, DAN])));
        assert!(world.carried[BOB] - carried < MIB as u64);
    }
}

#[test]
fn f21_a_device_that_may_not_pass_on_gives_nothing_until_it_may() {
    let mut world = world(4);
    world.gives(BOB, Input::PassOn(false));
    all_ask(&mut world, &[BOB, CYD]);
    assert!(world.passes(LONG, |world| have(world, &[BOB, CYD])));
    assert_eq!(world.given[BOB], 0);
    world.gives(BOB, Input::PassOn(true));
    world.asks(DAN, item(0), ADA, SIZE, None);
    assert!(world.passes(LONG, |world| have(world, &[DAN])));
    assert!(world.given[BOB] > MIB as u64);
}

#[test]
fn f20_a_file_comes_later_from_all_who_have_it() {
    let mut world = world(4);
    all_ask(&mut world, &[BOB, CYD]);
    assert!(world.passes(LONG, |world| have(world, &[BOB, CYD])));
    let before = world.given[ADA];
    world.asks(DAN, item(0), ADA, SIZE, None);
    assert!(world.passes(LONG, |world| have(world, &[DAN])));
    assert!(world.given[ADA] - before < SIZE as u64 * 6 / 10);
}

#[test]
fn f20_what_an_earlier_run_has_received_is_passed_on() {
    let mut world = world(3);
    all_ask(&mut world, &[CYD]);
    assert!(world.passes(LONG, |world| have(world, &[CYD])));
    world.restarts(CYD);
    world.asks(CYD, item(0), ADA, SIZE, None);
    world.asks(BOB, item(0), ADA, SIZE, None);
    assert!(world.passes(LONG, |world| have(world, &[BOB])));
    assert!(world.given[CYD] > MIB as u64);
}

#[test]
fn f20_a_file_is_asked_of_others_again_when_one_of_them_vanishes() {
    let mut world = world(4);
    all_ask(&mut world, &OTHERS);
    assert!(world.passes(LONG, |world| bytes(world) > 4 * MIB as u64));
    world.leaves(DAN);
    assert!(world.passes(LONG, |world| have(world, &[BOB, CYD])));
}

#[test]
fn f20_what_is_for_one_device_alone_is_never_named_to_another() {
    let mut world = world(3);
    world.offers(ADA, item(0), SIZE, None);
    let named = Rc::new(Cell::new(false));
    let known = Rc::clone(&named);
    world.changes = Some(Box::new(move |_, to, _| {
        if to == CYD {
            known.set(true);
        }
        Change::Nothing
    }));
    let mut file = world.incoming(BOB, item(0), ADA, SIZE, None);
    file.is_private = true;
    world.gives(BOB, Input::Receive(file));
    assert!(world.passes(LONG, |world| have(world, &[BOB])));
    assert!(!named.get());
    // A device that learnt of it in another way gets nothing of it from the one that has it.
    world.asks(CYD, item(0), BOB, SIZE, None);
    world.passes(ms(4_000), |_| false);
    assert_eq!(world.given[BOB], 0);
}

#[test]
fn f20_small_files_are_not_passed_on() {
    let mut world = world(4);
    let named = Rc::new(Cell::new(false));
    let known = Rc::clone(&named);
    world.changes = Some(Box::new(move |_, _, frame| {
        let is_named =
            matches!(frame, Frame::Control(ControlFrame::Have { .. } | ControlFrame::Claim { .. }));
        known.set(known.get() || is_named);
        Change::Nothing
    }));
    world.offers(ADA, item(0), MIB, None);
    for at in OTHERS {
        world.asks(at, item(0), ADA, MIB, None);
    }
    assert!(world.passes(LONG, |world| OTHERS.iter().all(|at| world.has(*at, item(0), MIB))));
    assert!(!named.get());
}

#[test]
fn f16_the_start_of_a_file_with_a_manifest_is_wanted_of_the_device_that_shared_it_alone() {
    let mut world = world(3);
    all_ask(&mut world, &[CYD]);
    assert!(world.passes(LONG, |world| have(world, &[CYD])));
    let given = Rc::new(Cell::new(u32::MAX));
    let known = Rc::clone(&given);
    world.changes = Some(Box::new(move |from, _, frame| {
        if let Frame::Chunk(chunk) = frame
            && from == CYD
        {
            known.set(known.get().min(chunk.first));
        }
        Change::Nothing
    }));
    let mut file = world.incoming(BOB, item(0), ADA, SIZE, None);
    file.head = 3 * MIB as u64 / 2;
    world.gives(BOB, Input::Receive(file));
    assert!(world.passes(LONG, |world| have(world, &[BOB])));
    assert!((128..u32::MAX).contains(&given.get()), "{}", given.get());
}
