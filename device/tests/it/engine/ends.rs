//! Transfers that end, pause, or go on after a restart.

use heliograph_device::engine::contract::{
    End, FileFailure, Input, Progress, Refusal, TransferFailure,
};

use super::world::{World, device, ms};
use super::*;

#[test]
fn f6_a_restarted_receiver_wants_what_its_journal_lacks_and_compares_what_it_has() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 8 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > 5 * MIB as u64));
    let before = world.carried[BOB];
    world.restarts(BOB);
    assert!(!world.devices[BOB].disk.journal[&id].chunks.is_empty());
    world.asks(BOB, id, ADA, 8 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 8 * MIB)));
    let again = before + (world.carried[BOB] - before) - 8 * MIB as u64;
    assert!(again <= 4 * MIB as u64, "{again} bytes came twice");
}

#[test]
fn f7_a_restarted_receiver_says_again_that_it_has_the_file() {
    let mut world = World::new(2);
    let id = one(&mut world, MIB);
    assert!(world.passes(LONG, |world| is_done(world, MIB)));
    world.restarts(BOB);
    world.restarts(ADA);
    world.offers_again(ADA, id, None);
    world.asks(BOB, id, ADA, MIB, None);
    assert!(world.passes(LONG, |world| world.is_done(ADA, id, BOB)));
    assert_eq!(world.receives(BOB, id), Some(&Progress::Done { twice: 0, via: None }));
}

#[test]
fn f19_what_an_earlier_run_has_of_another_file_is_received_again() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > 3 * MIB as u64));
    world.restarts(BOB);
    for byte in world.devices[BOB].disk.parts.get_mut(&id).unwrap() {
        *byte ^= 1;
    }
    world.asks(BOB, id, ADA, 6 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
}

#[test]
fn f17_a_restarted_sender_is_wanted_of_again_once_its_person_has_chosen_the_file_again() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > 3 * MIB as u64));
    let before = world.carried[BOB];
    world.restarts(ADA);
    let is_gone = |progress: Option<&Progress>| {
        matches!(progress, Some(Progress::Failed { why: TransferFailure::Gone, .. }))
    };
    assert!(world.passes(LONG, |world| is_gone(world.receives(BOB, id))));
    assert!(world.devices[ADA].missed.contains(&(id, device(BOB))));
    assert!(world.passes(LONG, World::is_quiet));
    world.offers_again(ADA, id, None);
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
    assert!(world.carried[BOB] - before < 5 * MIB as u64);
}

#[test]
fn f19_a_file_that_has_changed_since_it_was_read_first_is_gone() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    // So large that its first pieces are not in memory any more.
    let id = one(&mut world, 40 * MIB);
    assert!(world.passes(LONG, |world| world.is_done(ADA, id, BOB)));
    world.devices[ADA].disk.offered.get_mut(&id).unwrap()[7] ^= 1;
    world.gives(BOB, Input::Forget(id));
    world.devices[BOB].disk.finished.remove(&id);
    world.asks(BOB, id, ADA, 40 * MIB, None);
    let is_changed = |progress: &Progress| {
        matches!(progress, Progress::Failed { why: TransferFailure::Changed, .. })
    };
    assert!(
        world.passes(LONG, |world| is_changed(&world.devices[ADA].sending[&(id, device(BOB))]))
    );
}

#[test]
fn f18_either_person_pauses_and_goes_on_and_what_both_have_paused_goes_on_when_both_do() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    let is_paused = |world: &World, by: End| matches!(world.receives(BOB, id), Some(Progress::Paused { by: known, .. }) if *known == by);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.gives(BOB, pause(id, None));
    assert!(world.passes(LONG, World::is_quiet) && is_paused(&world, End::Here));
    let carried = world.carried[BOB];
    world.gives(ADA, pause(id, Some(BOB)));
    assert!(world.passes(LONG, World::is_quiet));
    world.gives(BOB, resume(id, None));
    assert!(world.passes(LONG, |world| is_paused(world, End::There)));
    assert!(world.passes(LONG, World::is_quiet) && world.carried[BOB] == carried);
    world.gives(ADA, resume(id, Some(BOB)));
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
}

#[test]
fn f18_pauses_that_crossed_and_were_heard_late_hold_nothing_up_once_both_persons_go_on() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.relay_drops = 1;
    world.gives(ADA, pause(id, Some(BOB)));
    world.gives(BOB, pause(id, None));
    world.passes(ms(100), |_| false);
    world.relay_drops = 0;
    world.gives(ADA, resume(id, Some(BOB)));
    world.gives(BOB, resume(id, None));
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
}

#[test]
fn f18_what_a_receiver_has_paused_stays_so_after_a_restart() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.gives(BOB, pause(id, None));
    assert!(world.passes(LONG, World::is_quiet));
    world.restarts(BOB);
    world.asks(BOB, id, ADA, 6 * MIB, None);
    assert!(world.passes(LONG, World::is_quiet));
    assert!(matches!(world.receives(BOB, id), Some(Progress::Paused { by: End::Here, .. })));
    world.gives(BOB, resume(id, None));
    assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
}

#[test]
fn f7_either_person_cancels_and_the_other_end_hears_of_it() {
    for by in [ADA, BOB] {
        let mut world = World::new(2);
        world.relay.rate = 2_000;
        let id = one(&mut world, 6 * MIB);
        assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
        world.gives(by, cancel(id, None));
        assert!(world.passes(LONG, World::is_quiet));
        let ends = if by == ADA { [End::Here, End::There] } else { [End::There, End::Here] };
        let [here, there] = ends.map(|by| Progress::Cancelled { by });
        assert_eq!(world.devices[ADA].sending[&(id, device(BOB))], here);
        assert_eq!(world.receives(BOB, id), Some(&there));
        let disk = &world.devices[BOB].disk;
        assert!(disk.parts.is_empty() && disk.journal.is_empty() && disk.finished.is_empty());
        // Whoever wants it again after that gets it.
        world.asks(BOB, id, ADA, 6 * MIB, None);
        assert!(world.passes(LONG, |world| is_done(world, 6 * MIB)));
    }
}

#[test]
fn f10_a_file_whose_item_was_deleted_is_sent_no_more() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 6 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.gives(ADA, Input::Forget(id));
    assert!(world.passes(LONG, World::is_quiet));
    assert!(matches!(world.receives(BOB, id), Some(Progress::Failed { .. })));
    world.gives(BOB, Input::Forget(id));
    assert!(world.devices[BOB].disk.parts.is_empty());
}

fn has_failed(world: &World, id: ItemId) -> bool {
    matches!(world.receives(BOB, id), Some(Progress::Failed { .. }))
}

#[test]
fn f4_what_is_on_a_disk_that_takes_no_more_waits_until_its_person_asks_again() {
    for why in [FileFailure::DiskFull, FileFailure::Failed("input/output error".to_owned())] {
        let mut world = World::new(2);
        world.devices[BOB].disk.takes = Some((2 * MIB as u64, why));
        let id = one(&mut world, 4 * MIB);
        assert!(world.passes(LONG, |world| has_failed(world, id)));
        assert!(world.passes(LONG, World::is_quiet));
        assert!(!world.devices[BOB].disk.journal[&id].chunks.is_empty());
        world.devices[BOB].disk.takes = None;
        world.asks(BOB, id, ADA, 4 * MIB, None);
        assert!(world.passes(LONG, |world| is_done(world, 4 * MIB)));
        assert!(world.carried[BOB] < 7 * MIB as u64);
    }
}

#[test]
fn f4_a_file_that_could_not_be_finished_is_finished_once_its_person_asks_again() {
    let mut world = World::new(2);
    world.devices[BOB].disk.finishes_not = Some(FileFailure::Failed("no access".to_owned()));
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| has_failed(world, id)));
    assert!(world.passes(LONG, World::is_quiet));
    let carried = world.carried[BOB];
    world.asks(BOB, id, ADA, 4 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 4 * MIB)));
    assert!(world.carried[BOB] - carried < MIB as u64);
}

#[test]
fn f19_a_place_on_the_disk_that_cannot_be_read_any_more_is_received_again() {
    let mut world = World::new(2);
    world.devices[BOB].disk.takes = Some((3 * MIB as u64, FileFailure::DiskFull));
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| has_failed(world, id)));
    assert!(world.passes(LONG, World::is_quiet));
    world.devices[BOB].disk.takes = None;
    world.restarts(BOB);
    world.devices[BOB].disk.unreadable = Some(MIB as u64 + 5);
    world.asks(BOB, id, ADA, 4 * MIB, None);
    assert!(world.passes(LONG, |world| has_failed(world, id)));
    assert!(world.passes(LONG, World::is_quiet));
    world.asks(BOB, id, ADA, 4 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 4 * MIB)));
}

#[test]
fn what_is_of_no_use_on_a_disk_is_removed() {
    let mut world = World::new(2);
    let why = FileFailure::Useless("too large for this file system".to_owned());
    world.devices[BOB].disk.takes = Some((2 * MIB as u64, why));
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| has_failed(world, id)));
    assert!(world.passes(LONG, World::is_quiet));
    assert!(world.devices[BOB].disk.parts.is_empty());
    assert!(world.devices[BOB].disk.journal.is_empty());
}

#[test]
fn s24_what_is_sent_ends_when_the_server_forbids_it() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    let why = Refusal::Forbidden;
    world.gives(ADA, Input::Refused { device: device(BOB), why });
    let sent = &world.devices[ADA].sending[&(id, device(BOB))];
    assert!(matches!(sent, Progress::Failed { why: TransferFailure::ReadOnly, .. }));
}

#[test]
fn s25_nothing_goes_to_a_device_that_was_removed_or_comes_from_it() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    world.gives(ADA, Input::Removed(vec![device(BOB)]));
    world.gives(BOB, Input::Removed(vec![device(ADA)]));
    assert_eq!(
        world.devices[ADA].sending[&(id, device(BOB))],
        Progress::Cancelled { by: End::Here }
    );
    let why = TransferFailure::SourceRemoved;
    assert!(matches!(world.receives(BOB, id), Some(Progress::Failed { why: w, .. }) if *w == why));
    assert!(world.passes(LONG, World::is_quiet));
}
