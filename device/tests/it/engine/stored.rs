//! F22: a file of which the server has a copy.

use heliograph_device::engine::contract::{Carrying, End, Input, Progress, TransferFailure};

use super::copies::url;
use super::world::{World, item, ms, seal};
use super::*;

const SIZE: usize = 8 * MIB + 5;

fn is_gone(world: &World) -> bool {
    let progress = world.receives(BOB, item(0));
    matches!(progress, Some(Progress::Failed { why: TransferFailure::Gone, .. }))
}

fn has(world: &World) -> bool {
    world.has(BOB, item(0), SIZE)
}

/// Bob has about a quarter of the file from Ada.
fn a_quarter_came() -> World {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    one(&mut world, SIZE);
    assert!(world.passes(LONG, |world| bytes(world) > SIZE as u64 / 4));
    world.stores(item(0), SIZE, false);
    world
}

fn hears_of_the_copy(world: &mut World) {
    let id = item(0);
    world.gives(BOB, Input::Stored { id, url: url(id) });
}

/// Nobody was ever here, and the copy is known.
fn only_a_copy(is_sealed: bool) -> World {
    only_a_copy_of(SIZE, is_sealed)
}

fn only_a_copy_of(size: usize, is_sealed: bool) -> World {
    let mut world = World::new(2);
    world.leaves(ADA);
    let id = item(0);
    world.stores(id, size, is_sealed);
    let mut file = world.incoming(BOB, id, ADA, size, is_sealed.then(|| seal(id)));
    file.url = Some(url(id));
    world.gives(BOB, Input::Receive(file));
    world
}

#[test]
fn f22_a_file_goes_on_from_the_copy_when_its_device_leaves_and_little_comes_twice() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    world.leaves(ADA);
    assert!(world.passes(LONG, has));
    let via = Some(Carrying { stored: true, ..Carrying::default() });
    let is_by_copy = |world: &World| {
        let progress = world.receives(BOB, item(0));
        matches!(progress, Some(Progress::Done { via: known, .. }) if *known == via)
    };
    assert!(world.passes(ms(1_000), is_by_copy), "{:?}", world.receives(BOB, item(0)));
    let came = world.carried[BOB] + world.copies.read;
    assert!(came < SIZE as u64 * 13 / 10, "{came}");
    world.joins(ADA);
    assert!(world.passes(LONG, |world| world.is_done(ADA, item(0), BOB)));
    assert!(world.passes(LONG, World::is_quiet));
}

#[test]
fn f18_a_file_goes_on_from_the_copy_when_the_person_who_has_paused_it_leaves() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    world.gives(ADA, pause(item(0), None));
    assert!(world.passes(LONG, World::is_quiet));
    let progress = world.receives(BOB, item(0));
    assert!(matches!(progress, Some(Progress::Paused { by: End::There, .. })));
    world.leaves(ADA);
    assert!(world.passes(LONG, has));
}

#[test]
fn f22_the_copy_is_not_read_while_the_device_gives_the_file() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
    assert_eq!(world.copies.read, 0);
}

#[test]
fn f22_as_soon_as_the_device_is_back_the_copy_is_read_no_further() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    world.leaves(ADA);
    assert!(world.passes(LONG, |world| world.copies.read > MIB as u64));
    world.joins(ADA);
    world.passes(ms(1_000), |_| false);
    let read = world.copies.read;
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
    assert_eq!(world.copies.read, read);
}

#[test]
fn f17_a_file_goes_on_from_the_copy_when_its_device_has_it_no_more_and_back_once_it_has_it_again() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    world.restarts(ADA);
    assert!(world.passes(LONG, |world| world.copies.read > MIB as u64));
    world.offers_again(ADA, item(0), None);
    world.passes(ms(1_000), |_| false);
    let read = world.copies.read;
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
    assert_eq!(world.copies.read, read);
}

#[test]
fn f22_a_file_comes_from_the_copy_alone_in_clear_and_sealed() {
    for is_sealed in [false, true] {
        let mut world = only_a_copy(is_sealed);
        assert!(world.passes(LONG, has), "{:?}", world.receives(BOB, item(0)));
        assert!(world.passes(LONG, World::is_quiet));
    }
}

#[test]
fn f22_the_way_of_a_file_is_the_copy_also_before_its_first_chunk_and_who_shared_it_knows_none() {
    let mut world = only_a_copy(false);
    let ways = |progress: &Progress| match progress {
        Progress::Moving { via, .. } => Some(via.clone()),
        _ => None,
    };
    assert!(world.passes(LONG, |world| world.receives(BOB, item(0)).and_then(ways).is_some()));
    let via = world.receives(BOB, item(0)).and_then(ways);
    assert_eq!(via, Some(Carrying { stored: true, ..Carrying::default() }));
    world.offers(ADA, item(0), SIZE, None);
    assert!(world.passes(LONG, has));
    world.joins(ADA);
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
    let done = world.devices[ADA].sending.get(&(item(0), device(BOB)));
    assert_eq!(done, Some(&Progress::Done { twice: 0, via: None }));
}

#[test]
fn f22_a_small_file_of_which_only_the_copy_is_there_waits_for_nobody() {
    for is_sealed in [false, true] {
        let mut world = only_a_copy_of(100, is_sealed);
        let is_whole = |world: &World| world.has(BOB, item(0), 100);
        assert!(world.passes(ms(500), is_whole), "{:?}", world.receives(BOB, item(0)));
    }
}

#[test]
fn f22_a_file_goes_on_after_the_server_broke_off_or_was_silent() {
    let mut world = only_a_copy(false);
    world.copies.breaks_after = Some(7);
    assert!(!world.passes(ms(12_000), has));
    world.copies.breaks_after = None;
    assert!(world.passes(ms(7_000), |world| world.copies.read > 4 * MIB as u64));
    world.copies.is_silent = true;
    assert!(!world.passes(ms(30_000), has));
    world.copies.is_silent = false;
    assert!(world.passes(LONG, has));
    assert!(world.copies.read < SIZE as u64 * 13 / 10);
}

#[test]
fn f22_the_copy_is_read_no_faster_than_the_disk_takes_it_and_a_slow_disk_is_no_silence() {
    let mut world = only_a_copy(false);
    world.disk = ms(9_000);
    assert!(world.passes(LONG, has));
    // What may wait for the disk, and one portion, of at most 256 KiB each.
    assert!(world.most_writing <= 17, "{}", world.most_writing);
    assert_eq!(world.copies.read, SIZE as u64);
}

#[test]
fn f22_the_copy_is_not_read_while_the_person_pauses_the_file() {
    let mut world = only_a_copy(false);
    assert!(world.passes(LONG, |world| world.copies.read > MIB as u64));
    world.gives(BOB, pause(item(0), None));
    let read = world.copies.read;
    world.passes(ms(20_000), |_| false);
    assert_eq!(world.copies.read, read);
    world.gives(BOB, resume(item(0), None));
    assert!(world.passes(LONG, has));
}

#[test]
fn f17_a_file_is_over_when_its_copy_is_gone_and_nobody_is_here_and_goes_on_when_its_device_comes() {
    let mut world = only_a_copy(false);
    assert!(world.passes(LONG, |world| world.copies.read > MIB as u64));
    world.copies.breaks_after = Some(1);
    world.copies.files.clear();
    assert!(world.passes(LONG, is_gone));
    world.offers(ADA, item(0), SIZE, None);
    world.joins(ADA);
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
}

#[test]
fn f19_a_copy_that_is_another_than_its_device_says_is_read_no_more() {
    let mut world = a_quarter_came();
    // Its device says all hashes, and gives a part.
    for byte in world.copies.files.values_mut().flatten() {
        *byte ^= 1;
    }
    hears_of_the_copy(&mut world);
    world.leaves(ADA);
    assert!(world.passes(LONG, is_gone), "{:?}", world.receives(BOB, item(0)));
    let read = world.copies.read;
    world.passes(ms(30_000), |_| false);
    assert_eq!(world.copies.read, read);
    world.joins(ADA);
    assert!(world.passes(LONG, |world| is_done(world, SIZE)));
}

#[test]
fn f19_a_file_is_received_again_when_its_device_comes_back_with_another_one_of_that_size() {
    let mut world = a_quarter_came();
    hears_of_the_copy(&mut world);
    world.restarts(ADA);
    assert!(world.passes(LONG, |world| world.copies.read > MIB as u64));
    for byte in world.devices[ADA].disk.offered.get_mut(&item(0)).unwrap() {
        *byte ^= 1;
    }
    world.offers_again(ADA, item(0), None);
    assert!(world.passes(LONG, |world| world.is_done(ADA, item(0), BOB)));
    let other = &world.devices[ADA].disk.offered[&item(0)];
    assert!(world.devices[BOB].disk.finished[&item(0)] == *other);
}

#[test]
fn f22_a_file_is_whole_also_where_another_device_gave_pieces_whose_hashes_nobody_is_here_to_tell() {
    let mut world = World::new(3);
    one(&mut world, SIZE);
    world.gives(BOB, Input::Forget(item(0)));
    world.asks(CYD, item(0), ADA, SIZE, None);
    assert!(world.passes(LONG, |world| world.has(CYD, item(0), SIZE)));
    world.stores(item(0), SIZE, false);
    world.leaves(ADA);
    world.asks(BOB, item(0), ADA, SIZE, None);
    hears_of_the_copy(&mut world);
    assert!(world.passes(LONG, has), "{:?}", world.receives(BOB, item(0)));
    assert!(world.given[CYD] > MIB as u64);
}

#[test]
fn e7_a_sealed_copy_that_does_not_open_is_read_no_more() {
    let mut world = only_a_copy(true);
    for byte in world.copies.files.values_mut().flatten() {
        *byte ^= 1;
    }
    assert!(world.passes(LONG, is_gone));
    assert!(world.passes(LONG, World::is_quiet));
    assert!(world.copies.read <= 512 * 1024, "{}", world.copies.read);
}

#[test]
fn f22_a_file_with_a_copy_has_its_turn_although_three_others_wait_for_their_device() {
    let mut world = World::new(2);
    world.leaves(ADA);
    for number in 0..4 {
        world.asks(BOB, item(number), ADA, MIB, None);
    }
    let id = item(3);
    world.stores(id, MIB, false);
    world.gives(BOB, Input::Stored { id, url: url(id) });
    assert!(world.passes(LONG, |world| world.has(BOB, id, MIB)));
}
