//! What is wanted, and on which link.

use std::time::Duration;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize};
use heliograph_device::receiver::{LinkKey, Receiver};
use heliograph_device::scheduler::{Receivers, Scheduler};
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::LARGEST_BUDGET_BYTES;
use proptest::collection::vec;
use proptest::prelude::*;

use super::simulation::{Outcome, SimulatedLink, Simulation};

const MB: u64 = 1_000_000;
const MIB: u64 = 1024 * 1024;

/// A link of some megabytes a second with a round trip in milliseconds.
fn link(rate: f64, round_trip: f64) -> SimulatedLink {
    SimulatedLink { rate: rate * 1_000.0, delay: round_trip / 2.0, ..SimulatedLink::default() }
}

fn run(links: &[SimulatedLink], bytes: u64) -> Outcome {
    Simulation::new(links, &[bytes]).run()
}

/// That a file has such a part of what the links carry, and that little goes twice.
fn has(links: &[SimulatedLink], megabytes: u64, at_least: f64) {
    let outcome = run(links, megabytes * MB);
    let share = outcome.share(links, megabytes * MB);
    assert!(share > at_least, "{share} of {links:?}");
    assert!(outcome.repeated(megabytes * MB) <= 0.02, "{outcome:?}");
}

#[test]
fn f4_a_file_has_nearly_all_that_one_link_carries() {
    has(&[link(40.0, 0.4)], 200, 0.97);
    has(&[link(9.0, 10.0)], 100, 0.97);
    has(&[link(1.2, 50.0)], 20, 0.97);
    has(&[link(20.0, 150.0)], 200, 0.85);
    has(&[link(0.25, 30.0)], 3, 0.97);
}

#[test]
fn f4_a_file_has_nearly_all_that_sixteen_links_carry_also_where_they_are_uneven_or_late() {
    has(&[link(0.8, 50.0); 16], 100, 0.95);
    let uneven: Vec<_> =
        (0_u8..16).map(|number| link(0.2 + f64::from(number) / 10.0, 50.0)).collect();
    has(&uneven, 100, 0.92);
    has(&[SimulatedLink { jitter: 30.0, ..link(0.8, 50.0) }; 16], 100, 0.95);
}

#[test]
fn f4_a_file_has_nearly_all_that_two_links_of_very_different_speed_carry() {
    has(&[link(1.2, 50.0), link(30.0, 60.0)], 200, 0.9);
    has(&[link(20.0, 20.0), link(0.05, 300.0)], 40, 0.92);
}

#[test]
fn f4_a_path_that_becomes_longer_and_slower_or_shorter_and_faster_is_used_again_within_3_s() {
    let slower = SimulatedLink { becomes: Some((2_000.0, 250.0, 25.0)), ..link(2.5, 10.0) };
    assert!(run(&[slower; 8], 80 * MB).gained(50, 70) > 0.8 * 8.0 * 250.0);
    let faster = SimulatedLink { becomes: Some((4_000.0, 2_500.0, 5.0)), ..link(0.25, 50.0) };
    assert!(run(&[faster; 8], 150 * MB).gained(70, 90) > 0.8 * 8.0 * 2_500.0);
}

#[test]
fn f6_when_links_die_a_file_goes_on_with_the_others() {
    let dies = SimulatedLink { dies: Some(3_000.0), ..link(1.0, 50.0) };
    let links = [dies, dies, link(1.0, 50.0), link(1.0, 50.0), link(1.0, 50.0), link(1.0, 50.0)];
    assert!(run(&links, 60 * MB).gained(40, 60) > 0.9 * 4.0 * 1_000.0);
}

#[test]
fn f3_a_file_of_which_one_link_only_lies_is_whole_all_the_same() {
    let liar = SimulatedLink { lies: true, ..link(5.0, 20.0) };
    assert!(run(&[link(5.0, 20.0), liar], 20 * MB).carried[1] < 1_000_000.0);
}

#[test]
fn f4_the_end_of_a_file_is_not_left_to_a_link_that_would_take_long_for_it() {
    // A single frame takes the slow link more than three seconds.
    assert!(run(&[link(10.0, 20.0), link(0.02, 20.0)], 30 * MB).took < 3_500.0);
}

#[test]
fn f4_the_end_of_a_file_is_wanted_again_on_an_idle_link_when_it_does_not_come_on_another() {
    let dies = SimulatedLink { dies: Some(4_500.0), ..link(10.0, 20.0) };
    // The dead link is given up after 8 s.
    assert!(run(&[link(10.0, 20.0), dies], 100 * MB).took < 7_000.0);
}

fn any_link() -> impl Strategy<Value = SimulatedLink> {
    (40.0..40_000.0_f64, 0.1..300.0_f64, 0.0..50.0_f64).prop_map(|(rate, delay, jitter)| {
        SimulatedLink { rate, delay, jitter, ..SimulatedLink::default() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn f4_files_are_whole_over_any_links_within_the_budget_and_two_percent_sent_twice(
        links in vec(any_link(), 1..17),
        sizes in vec(1..4 * MIB, 1..4),
    ) {
        let outcome = Simulation::new(&links, &sizes).run();
        prop_assert!(outcome.most <= LARGEST_BUDGET_BYTES as u64);
        prop_assert!(outcome.repeated(sizes.iter().sum()) <= 0.02);
    }
}

const RELAY: LinkKey = LinkKey::Relay(DeviceId::from_bytes([1; 16]));
const DIRECT: LinkKey = LinkKey::Direct(1);

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

fn receivers(count: u8, bytes: u64) -> Receivers {
    let receiver = || Receiver::new(FileSize::new(bytes).unwrap());
    (0..count).map(|number| (item(number), receiver())).collect()
}

#[test]
fn f4_what_is_expected_on_a_link_that_is_no_longer_used_takes_no_room_from_the_others() {
    let mut scheduler = Scheduler::default();
    let mut files = receivers(1, 100 * MIB);
    scheduler.begin(item(0));
    let mut expected: Vec<ChunkRange> = Vec::new();
    for now in (0..2_000).step_by(10).map(Duration::from_millis) {
        while let Some(want) = scheduler.want(&mut files, &[RELAY], |_| true, now) {
            expected.push(want.range);
        }
        if scheduler.outstanding(&files) > 4 * MIB - 128 * 1024 {
            break;
        }
        for range in expected.drain(..expected.len().div_ceil(2)) {
            let bytes = usize::try_from(u64::from(range.count) * CHUNK_BYTES).unwrap();
            scheduler.arrived(&mut files, item(0), RELAY, range.first, bytes, now);
            files.get_mut(&item(0)).unwrap().wrote(range);
        }
    }
    assert!(scheduler.outstanding(&files) > 4 * MIB - 128 * 1024);
    let later = Duration::from_secs(2);
    assert!(scheduler.want(&mut files, &[DIRECT], |_| true, later).is_some());
}

#[test]
fn f4_three_files_are_wanted_at_a_time_the_one_with_the_fewest_bytes_under_way_first() {
    let mut scheduler = Scheduler::default();
    let mut files = receivers(3, MIB);
    for number in 0..3 {
        assert!(scheduler.has_turn(&files, |_| true));
        scheduler.begin(item(number));
    }
    assert!(!scheduler.has_turn(&files, |_| true));
    let mut wants = |is_ready: fn(ItemId) -> bool| {
        scheduler.want(&mut files, &[DIRECT], is_ready, Duration::ZERO).map(|want| want.transfer)
    };
    assert_eq!(wants(|file| file != item(1)), Some(item(0)));
    assert_eq!(wants(|file| file != item(1)), Some(item(2)));
    // The smallest window is full.
    assert_eq!(wants(|_| true), None);
    scheduler.lost(&mut files, DIRECT);
    scheduler.end(item(0));
    assert!(scheduler.has_turn(&files, |_| true));
    assert_eq!(scheduler.left(&files), 2 * MIB);
}

/// Lets a link carry so many frames, one in each span of time, and then be idle.
fn carries(scheduler: &mut Scheduler, link: LinkKey, frames: u32, each: Duration) -> Duration {
    let meter = scheduler.meter(link);
    meter.wanted(Duration::ZERO);
    for number in 1..=frames {
        meter.arrived(65_536, each * number);
    }
    meter.idle(each * frames);
    each * frames
}

#[test]
fn f4_a_small_file_is_not_left_to_a_slow_link_that_is_idle() {
    let mut scheduler = Scheduler::default();
    let mut files = receivers(1, MIB / 2);
    scheduler.begin(item(0));
    carries(&mut scheduler, DIRECT, 20, Duration::from_millis(6));
    let now = carries(&mut scheduler, RELAY, 20, Duration::from_secs(3));
    let want = scheduler.want(&mut files, &[RELAY, DIRECT], |_| true, now);
    assert_eq!(want.map(|want| want.link), Some(DIRECT));
}

#[test]
fn f4_what_is_wanted_on_a_link_and_has_not_arrived_stays_within_its_window() {
    let mut scheduler = Scheduler::default();
    let mut files = receivers(1, 3 * CHUNK_BYTES);
    files.extend(receivers(2, MIB).into_iter().skip(1));
    scheduler.begin(item(0));
    scheduler.begin(item(1));
    let mut wants = || scheduler.want(&mut files, &[DIRECT], |_| true, Duration::ZERO);
    assert_eq!(wants().map(|want| want.range.count), Some(3));
    assert_eq!(wants().map(|want| want.range.count), Some(4));
    // One chunk more would fit the smallest window, and a whole want would not.
    assert_eq!(wants(), None);
}

#[test]
fn f4_at_most_4_mib_are_under_way_while_more_than_2_mib_wait_for_the_disk() {
    let mut scheduler = Scheduler::default();
    let mut files = receivers(1, 900 * MIB);
    scheduler.begin(item(0));
    let now = carries(&mut scheduler, DIRECT, 1_000, Duration::from_millis(1));
    for _ in 0..2 {
        scheduler.meter(DIRECT).answered(Duration::from_millis(100), now);
    }
    assert!(scheduler.budget(&files, &[DIRECT], now) > 8 * MIB);
    // So much arrives, and none of it is written.
    while files[&item(0)].writing() <= 2 * MIB {
        let range = scheduler.want(&mut files, &[DIRECT], |_| true, now).unwrap().range;
        let bytes = usize::try_from(u64::from(range.count) * CHUNK_BYTES).unwrap();
        scheduler.arrived(&mut files, item(0), DIRECT, range.first, bytes, now);
    }
    while scheduler.want(&mut files, &[DIRECT], |_| true, now).is_some() {}
    let outstanding = scheduler.outstanding(&files);
    assert!((3 * MIB..=4 * MIB).contains(&outstanding), "{outstanding}");
}
