//! Files that go from one device to another, as a person meets them.

use heliograph_device::engine::contract::{End, FileSeal, Input, Progress, TransferFailure};
use heliograph_shared::ids::ItemId;
use heliograph_shared::relay::RelayUse;
use proptest::collection::vec;
use proptest::prelude::*;

use super::engine_world::{NEAR, Way, World, device, item, ms, seal};

const ADA: usize = 0;
const BOB: usize = 1;
const MIB: usize = 1024 * 1024;
const LONG: std::time::Duration = ms(600_000);

/// Ada shares files of some sizes, and Bob asks for them.
fn shares(world: &mut World, sizes: &[usize], seal_of: impl Fn(ItemId) -> Option<FileSeal>) {
    for (number, size) in (0..).zip(sizes) {
        let id = item(number);
        world.offers(ADA, id, *size, seal_of(id));
        world.asks(BOB, id, ADA, *size, seal_of(id));
    }
}

fn has_all(world: &World, sizes: &[usize]) -> bool {
    (0..).zip(sizes).all(|(number, size)| {
        world.has(BOB, item(number), *size) && world.is_done(ADA, item(number), BOB)
    })
}

const SIZES: [usize; 7] = [3 * MIB + 5, 0, 1, 16_384, 2 * MIB, 100_000, 40 * 16_384];

#[test]
fn f3_f4_several_files_come_through_the_server_and_both_ends_hear_that_they_are_done() {
    let mut world = World::new(2);
    shares(&mut world, &SIZES, |_| None);
    assert!(world.passes(LONG, |world| has_all(world, &SIZES)), "{:?}", world.devices[BOB].receiving);
    assert!(world.passes(LONG, World::is_quiet));
    assert_eq!(world.carried[BOB], SIZES.iter().sum::<usize>() as u64);
}

#[test]
fn e7_sealed_files_come_over_a_direct_link() {
    let mut world = World::new(2);
    world.is_direct = true;
    world.joins(BOB);
    world.links([ADA, BOB], 0, NEAR);
    shares(&mut world, &SIZES, |id| Some(seal(id)));
    assert!(world.passes(LONG, |world| has_all(world, &SIZES)));
    assert!(world.passes(LONG, World::is_quiet));
}
