//! Chunks on their way: over one link or several, and links that break.

use heliograph_device::engine::contract::{Progress, TransferFailure};
use heliograph_shared::relay::RelayUse;

use super::network::{NEAR, Way};
use super::world::{World, device, item, ms, seal};
use super::*;

const SIZES: [usize; 7] = [3 * MIB + 5, 0, 1, 16_384, 2 * MIB, 100_000, 40 * 16_384];

#[test]
fn f3_f4_several_files_come_through_the_server_and_both_ends_hear_that_they_are_done() {
    let mut world = World::new(2);
    shares(&mut world, &SIZES, |_| None);
    assert!(
        world.passes(LONG, |world| has_all(world, &SIZES)),
        "{:?}",
        world.devices[BOB].receiving
    );
    assert!(world.passes(LONG, World::is_quiet));
    assert_eq!(world.carried[BOB], SIZES.iter().sum::<usize>() as u64);
}

#[test]
fn e7_sealed_files_come_over_a_direct_link() {
    let mut world = World::direct(2);
    world.links([ADA, BOB], 0, NEAR);
    shares(&mut world, &SIZES, |id| Some(seal(id)));
    assert!(world.passes(LONG, |world| has_all(world, &SIZES)));
    assert!(world.passes(LONG, World::is_quiet));
}

#[test]
fn f5_chunks_come_in_any_order_over_the_links_of_a_bundle_and_hardly_any_twice() {
    let mut world = World::direct(2);
    for place in 0..4 {
        world.links([ADA, BOB], place, FAR);
    }
    let sizes = [5 * MIB, 3 * MIB, 4 * MIB + 1];
    shares(&mut world, &sizes, |id| Some(seal(id)));
    assert!(world.passes(LONG, |world| has_all(world, &sizes)));
    let clear: usize = sizes.iter().sum();
    let sealed = clear + sizes.iter().map(|size| size.div_ceil(16_384) * 16).sum::<usize>();
    assert!(
        world.carried[BOB] <= (sealed + sealed / 33) as u64,
        "{} of {sealed}",
        world.carried[BOB]
    );
}

#[test]
fn f6_what_was_wanted_on_a_link_that_breaks_comes_over_the_next_one_or_through_the_server() {
    let mut world = World::direct(2);
    let links = [0, 1].map(|place| world.links([ADA, BOB], place, FAR));
    one(&mut world, 8 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.cuts(links[1]);
    assert!(world.passes(LONG, |world| bytes(world) > 3 * MIB as u64));
    world.cuts(links[0]);
    assert!(world.passes(LONG, |world| is_done(world, 8 * MIB)));
}

#[test]
fn l2_a_direct_link_on_which_nothing_comes_for_8_s_is_closed_and_the_server_carries() {
    let mut world = World::direct(2);
    world.links([ADA, BOB], 0, Way { latency: ms(9_000_000), ..NEAR });
    one(&mut world, MIB);
    assert!(world.passes(ms(20_000), |world| is_done(world, MIB)));
}

#[test]
fn l2_nothing_is_wanted_through_the_server_while_a_direct_link_may_open() {
    let mut world = World::direct(2);
    one(&mut world, MIB);
    assert!(!world.passes(ms(7_900), |world| world.carried[BOB] > 0));
    assert!(world.passes(ms(5_000), |world| is_done(world, MIB)));
}

#[test]
fn f11_r4_what_the_server_drops_is_wanted_again() {
    let mut world = World::new(2);
    world.relay_drops = 40;
    one(&mut world, 4 * MIB);
    assert!(
        world.passes(LONG, |world| is_done(world, 4 * MIB)),
        "{:?}",
        world.receives(BOB, item(0))
    );
}

#[test]
fn f4_what_waits_for_the_disk_and_on_links_is_bounded() {
    let mut world = World::direct(2);
    world.disk = ms(2_000);
    world.links([ADA, BOB], 0, NEAR);
    one(&mut world, 24 * MIB);
    assert!(world.passes(LONG, |world| is_done(world, 24 * MIB)));
    // Each write is a frame of 64 KiB at most.
    assert!(world.most_writing <= 6 * MIB as u64 / 65_536, "{}", world.most_writing);
    assert!(world.most_unsent <= 400 * 1024, "{}", world.most_unsent);
}

#[test]
fn f16_that_all_bytes_are_here_is_told_before_the_disk_has_put_them_in_place() {
    let mut world = World::direct(2);
    world.disk = ms(2_000);
    world.links([ADA, BOB], 0, NEAR);
    let id = one(&mut world, MIB);
    assert!(world.passes(LONG, |world| {
        let progress = world.receives(BOB, id);
        matches!(progress, Some(Progress::Moving { bytes, .. }) if *bytes == MIB as u64)
    }));
    assert!(world.passes(LONG, |world| is_done(world, MIB)));
}

#[test]
fn r4_after_a_device_has_left_its_files_wait_for_it() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.leaves(ADA);
    world.passes(ms(60_000), |_| false);
    assert!(matches!(world.receives(BOB, id), Some(Progress::Parked { .. })));
    world.joins(ADA);
    assert!(world.passes(LONG, |world| is_done(world, 4 * MIB)));
}

/// Bob is ended at the half and goes on as Cyd: the next run of a program may be another device.
fn goes_on_as_another_device(size: usize) -> World {
    let mut world = World::new(3);
    world.relay.rate = 2_000;
    let id = one(&mut world, size);
    assert!(world.passes(LONG, |world| bytes(world) > size as u64 / 2));
    world.restarts(BOB);
    world.leaves(BOB);
    world.devices[CYD].disk = std::mem::take(&mut world.devices[BOB].disk);
    world.asks(CYD, id, ADA, size, None);
    world
}

#[test]
fn f17_what_a_device_had_before_is_counted_also_where_it_comes_back_as_another_one() {
    let (id, size) = (item(0), 8 * MIB);
    let mut world = goes_on_as_another_device(size);
    let told = |world: &World| world.devices[ADA].sending.get(&(id, device(CYD))).cloned();
    assert!(world.passes(LONG, |world| told(world).is_some()));
    let Some(Progress::Parked { bytes, .. }) = told(&world) else { panic!("{:?}", told(&world)) };
    assert!(bytes > size as u64 / 4, "{bytes}");
    assert!(world.passes(LONG, |world| world.is_done(ADA, id, CYD)));
    assert!(world.has(CYD, id, size));
}

#[test]
fn r6_without_a_relay_a_file_waits_for_a_direct_link_and_says_so() {
    let mut world = World::direct(2);
    world.relay_use = RelayUse::Off;
    world.joins(ADA);
    world.joins(BOB);
    let id = one(&mut world, MIB);
    world.passes(ms(20_000), |_| false);
    assert_eq!(world.receives(BOB, id), Some(&Progress::Parked { bytes: 0, needs_direct: true }));
    world.links([ADA, BOB], 0, NEAR);
    assert!(world.passes(LONG, |world| is_done(world, MIB)));
}

#[test]
fn f12_a_file_that_is_read_slowly_holds_up_no_other_and_one_that_is_never_read_is_gone() {
    let mut world = World::new(2);
    world.never_read = vec![item(0)];
    let sizes = [2 * MIB, 3 * MIB];
    shares(&mut world, &sizes, |_| None);
    assert!(world.passes(ms(20_000), |world| world.has(BOB, item(1), sizes[1])));
    world.passes(ms(250_000), |_| false);
    assert!(matches!(world.receives(BOB, item(0)), Some(Progress::Moving { .. })));
    world.passes(ms(60_000), |_| false);
    let why = TransferFailure::Gone;
    let progress = world.receives(BOB, item(0));
    assert!(matches!(progress, Some(Progress::Failed { why: w, .. }) if *w == why), "{progress:?}");
}

#[test]
fn f4_files_that_are_not_read_keep_no_other_from_its_turn_and_three_more_are_begun_at_most() {
    let mut world = World::new(2);
    world.never_read = (0..3).map(item).collect();
    shares(&mut world, &[2 * MIB; 4], |_| None);
    assert!(world.passes(ms(20_000), |world| world.has(BOB, item(3), 2 * MIB)));

    let mut world = World::new(2);
    world.never_read = (0..12).map(item).collect();
    shares(&mut world, &[2 * MIB; 12], |_| None);
    world.passes(ms(60_000), |_| false);
    assert_eq!(world.devices[BOB].disk.parts.len(), 6);
}
