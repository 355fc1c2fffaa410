//! Files of which the disk still looks for what an earlier run has received.

use heliograph_device::engine::contract::{End, Input, Progress};

use super::world::{World, device};
use super::*;

/// Ada shares a file, and Bob's disk looks for it. With `part`, an earlier run of Bob's has received a part.
fn searched(part: bool) -> (World, ItemId) {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = item(0);
    if part {
        one(&mut world, 6 * MIB);
        assert!(world.passes(LONG, |world| bytes(world) > 3 * MIB as u64));
        world.restarts(BOB);
        assert!(!world.devices[BOB].disk.journal[&id].chunks.is_empty());
    } else {
        world.offers(ADA, id, 6 * MIB, None);
    }
    world.gives(BOB, Input::Search { id, from: device(ADA) });
    (world, id)
}

fn is_paused(world: &World, id: ItemId) -> bool {
    matches!(world.receives(BOB, id), Some(Progress::Paused { by: End::Here, .. }))
}

#[test]
fn f18_a_file_that_is_paused_while_it_is_searched_for_waits_for_its_person() {
    for part in [false, true] {
        let (mut world, id) = searched(part);
        let carried = world.carried[BOB];
        world.gives(BOB, pause(id, None));
        assert!(is_paused(&world, id), "its person is told at once");
        world.asks(BOB, id, ADA, 6 * MIB, None);
        assert!(world.passes(LONG, World::is_quiet) && is_paused(&world, id));
        assert_eq!(world.carried[BOB], carried);
        if part {
            assert!(world.devices[BOB].disk.journal[&id].is_paused, "also for a later run");
        }
        world.gives(BOB, resume(id, None));
        assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
    }
}

#[test]
fn f18_a_file_that_goes_on_while_it_is_searched_for_does_so_whatever_the_journal_says() {
    let (mut world, id) = searched(true);
    world.devices[BOB].disk.journal.get_mut(&id).unwrap().is_paused = true;
    world.gives(BOB, pause(id, None));
    world.gives(BOB, resume(id, None));
    world.asks(BOB, id, ADA, 6 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
}

#[test]
fn f7_a_file_that_is_cancelled_while_it_is_searched_for_is_discarded_and_its_device_hears_of_it() {
    for part in [false, true] {
        let (mut world, id) = searched(part);
        world.gives(BOB, cancel(id, None));
        assert_eq!(world.receives(BOB, id), Some(&Progress::Cancelled { by: End::Here }));
        assert!(world.passes(LONG, World::is_quiet));
        let disk = &world.devices[BOB].disk;
        assert!(disk.parts.is_empty() && disk.journal.is_empty());
        if part {
            let sent = &world.devices[ADA].sending[&(id, device(BOB))];
            assert_eq!(*sent, Progress::Cancelled { by: End::There });
        }
        world.asks(BOB, id, ADA, 6 * MIB, None);
        assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)), "it can be taken again");
    }
}
