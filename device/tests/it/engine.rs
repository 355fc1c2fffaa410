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
        world.is_done(ADA, item(number), BOB) && world.has(BOB, item(number), *size)
    })
}

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

/// One file, on its way.
fn one(world: &mut World, size: usize) -> ItemId {
    shares(world, &[size], |_| None);
    item(0)
}

fn bytes(world: &World) -> u64 {
    match world.receives(BOB, item(0)) {
        Some(Progress::Moving { bytes, .. }) => *bytes,
        _ => 0,
    }
}

fn is_done(world: &World, size: usize) -> bool {
    has_all(world, &[size])
}

fn cancel(id: ItemId, device: Option<usize>) -> Input {
    Input::Cancel { id, device: device.map(super::engine_world::device) }
}

fn pause(id: ItemId, device: Option<usize>) -> Input {
    Input::Pause { id, device: device.map(super::engine_world::device) }
}

fn resume(id: ItemId, device: Option<usize>) -> Input {
    Input::Resume { id, device: device.map(super::engine_world::device) }
}

const FAR: Way = Way { latency: ms(25), rate: 4_000, jitter: ms(30) };

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
        world.carried[BOB] as f64 <= sealed as f64 * 1.03,
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

#[test]
fn f4_what_is_on_a_full_disk_waits_until_its_person_asks_again() {
    let mut world = World::new(2);
    world.devices[BOB].disk.room = Some(2 * MIB as u64);
    let id = one(&mut world, 4 * MIB);
    assert!(
        world
            .passes(LONG, |world| matches!(world.receives(BOB, id), Some(Progress::Failed { .. })))
    );
    assert!(world.passes(LONG, World::is_quiet));
    assert!(!world.devices[BOB].disk.journal[&id].chunks.is_empty());
    world.devices[BOB].disk.room = None;
    world.asks(BOB, id, ADA, 4 * MIB, None);
    assert!(world.passes(LONG, |world| is_done(world, 4 * MIB)));
    assert!(world.carried[BOB] < 7 * MIB as u64);
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
fn s24_what_is_sent_ends_when_the_server_forbids_it() {
    let mut world = World::new(2);
    world.relay.rate = 2_000;
    let id = one(&mut world, 4 * MIB);
    assert!(world.passes(LONG, |world| bytes(world) > MIB as u64));
    let why = heliograph_device::engine::contract::Refusal::Forbidden;
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

#[test]
fn f12_a_file_that_is_read_slowly_holds_up_no_other_and_one_that_is_never_read_is_gone() {
    let mut world = World::new(2);
    world.never_read = Some(item(0));
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

#[derive(Clone, Debug)]
enum Happening {
    Cut(u8),
    Link(u8),
    Socket(bool),
    Restart(bool),
    Pause(bool),
    Resume(bool),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0..4_u8).prop_map(Happening::Cut),
        (0..4_u8).prop_map(Happening::Link),
        any::<bool>().prop_map(Happening::Socket),
        any::<bool>().prop_map(Happening::Restart),
        any::<bool>().prop_map(Happening::Pause),
        any::<bool>().prop_map(Happening::Resume),
    ]
}

/// Two devices, and what goes wrong between them.
struct Chaos {
    world: World,
    sizes: Vec<usize>,
    is_sealed: bool,
    links: Vec<u64>,
}

impl Chaos {
    fn seal(&self, id: ItemId) -> Option<FileSeal> {
        self.is_sealed.then(|| seal(id))
    }

    fn ids(&self) -> impl Iterator<Item = (ItemId, usize)> + use<> {
        (0..).map(item).zip(self.sizes.clone())
    }

    fn happens(&mut self, happening: &Happening) {
        let end = |is_ada: bool| if is_ada { ADA } else { BOB };
        match *happening {
            Happening::Cut(at) => {
                if let Some(link) = self.links.get(usize::from(at)) {
                    self.world.cuts(*link);
                }
            }
            Happening::Link(place) => {
                let link = self.world.links([ADA, BOB], u32::from(place), FAR);
                self.links.push(link);
            }
            Happening::Socket(is_ada) => {
                let at = end(is_ada);
                if self.world.devices[at].is_here {
                    self.world.leaves(at);
                } else {
                    self.world.joins(at);
                }
            }
            Happening::Restart(is_ada) => self.restarts(is_ada),
            Happening::Pause(is_ada) | Happening::Resume(is_ada) => {
                for (id, _) in self.ids() {
                    let input =
                        if matches!(happening, Happening::Pause(_)) { pause } else { resume };
                    self.world.gives(end(is_ada), input(id, None));
                }
            }
        }
    }

    fn restarts(&mut self, is_ada: bool) {
        self.world.restarts(if is_ada { ADA } else { BOB });
        for (id, size) in self.ids() {
            let seal = self.seal(id);
            if is_ada {
                self.world.offers_again(ADA, id, seal);
            } else {
                self.world.asks(BOB, id, ADA, size, seal);
            }
        }
    }

    /// Nothing goes wrong any more, and nobody pauses anything.
    fn calms(&mut self) {
        self.world.relay_drops = 0;
        for at in [ADA, BOB] {
            if !self.world.devices[at].is_here {
                self.world.joins(at);
            }
            self.happens(&Happening::Resume(at == ADA));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn f6_f7_f17_f18_whatever_happens_every_file_is_whole_at_the_end_and_both_ends_know(
        sizes in vec(0..3 * MIB, 1..5),
        is_sealed in any::<bool>(),
        relay_drops in prop_oneof![Just(0_u64), 20..200_u64],
        happenings in vec((0..800_u64, happening()), 0..14),
    ) {
        let mut world = World::new(2);
        world.relay.rate = 2_000;
        world.relay_drops = relay_drops;
        world.disk = ms(15);
        shares(&mut world, &sizes, |id| is_sealed.then(|| seal(id)));
        let mut chaos = Chaos { world, sizes: sizes.clone(), is_sealed, links: Vec::new() };
        for (after, happening) in &happenings {
            chaos.world.passes(ms(*after), |_| false);
            chaos.happens(happening);
        }
        chaos.calms();
        let is_over = chaos.world.passes(LONG, |world| has_all(world, &sizes));
        prop_assert!(is_over, "{:?} {:?}", chaos.world.devices[BOB].receiving, chaos.world.devices[ADA].sending);
        prop_assert!(chaos.world.passes(LONG, World::is_quiet));
    }
}
