//! How many connections two devices have between them, on ways of many kinds.

use std::time::Duration;

use heliograph_device::bundle::{Bundle, BundleView, MOST_CONNECTIONS, RelayBeside};

const MIB: u64 = 1024 * 1024;
const TICK: Duration = Duration::from_millis(250);

/// A way on which some connections carry some rate, in bytes a millisecond.
struct Way {
    round_trip: f64,
    rate: Box<dyn Fn(f64) -> f64>,
    /// Milliseconds that a packet waits.
    queuing: fn(u32) -> u64,
}

/// Browsers read each connection through a buffer of 64 KiB, up to what both can handle, in MiB a second.
fn held(round_trip: f64, most: f64) -> Way {
    let rate = move |open: f64| (open * 65_536.0 / round_trip).min(most * 1_048.576);
    Way { round_trip, rate: Box::new(rate), queuing: |_| 0 }
}

/// A way that carries so many bytes a millisecond, whatever the connections.
fn narrow(round_trip: f64, rate: f64) -> Way {
    Way { round_trip, rate: Box::new(move |_| rate), queuing: |_| 0 }
}

struct Run {
    bundle: Bundle,
    sizes: Vec<u32>,
    /// When each of the sizes began, in milliseconds.
    since: Vec<u128>,
    now: Duration,
    most: u32,
    relay: RelayBeside,
}

impl Run {
    fn new() -> Self {
        Self {
            bundle: Bundle::default(),
            sizes: Vec::new(),
            since: Vec::new(),
            now: Duration::ZERO,
            most: MOST_CONNECTIONS,
            relay: RelayBeside::Little,
        }
    }

    /// Lets a file of some bytes come in. Connections that are asked for open after four round trips.
    fn receives(self, bytes: u64, way: &Way) -> Self {
        self.receives_where(bytes, way, |wanted| wanted)
    }

    fn receives_where(mut self, bytes: u64, way: &Way, opens: fn(u32) -> u32) -> Self {
        let (mut open, mut at, mut left) = (1, self.now, bytes);
        while left > 0 {
            let used = open.min(self.bundle.size());
            let view = BundleView {
                left,
                rate: (way.rate)(f64::from(used)),
                round_trip: Some(Duration::from_secs_f64(way.round_trip / 1_000.0)),
                queuing: Duration::from_millis((way.queuing)(used)),
                open,
                most: self.most,
                relay: self.relay,
            };
            let size = self.bundle.next(&view, self.now);
            if self.sizes.last() != Some(&size) {
                self.sizes.push(size);
                self.since.push(self.now.as_millis());
            }
            if opens(size) == open {
                at = self.now;
            } else if self.now.abs_diff(at).as_secs_f64() * 1_000.0 >= 4.0 * way.round_trip {
                open = opens(size);
            }
            left = left.saturating_sub(bytes_in_a_tick((way.rate)(f64::from(open.min(size)))));
            self.now += TICK;
        }
        self
    }

    fn idles(mut self, seconds: u64) -> Self {
        let end = self.now + Duration::from_secs(seconds);
        while self.now < end {
            let open = self.bundle.size();
            let view = BundleView {
                left: 0,
                rate: 0.0,
                round_trip: None,
                queuing: Duration::ZERO,
                open,
                most: self.most,
                relay: RelayBeside::Little,
            };
            self.bundle.next(&view, self.now);
            self.now += TICK;
        }
        self
    }

    fn size(&self) -> u32 {
        self.bundle.size()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate in a test")]
fn bytes_in_a_tick(rate: f64) -> u64 {
    (rate * 250.0) as u64
}

#[test]
fn l6_a_bundle_has_one_connection_on_one_machine_and_on_a_local_network() {
    assert_eq!(Run::new().receives(500 * MIB, &held(0.5, 30.0)).sizes, [1]);
    assert_eq!(Run::new().receives(500 * MIB, &held(3.0, 20.0)).sizes, [1]);
}

#[test]
fn l6_a_bundle_has_one_connection_on_a_short_way_to_a_busy_machine_which_answers_late() {
    let busy = Way { queuing: |_| 18, ..held(20.0, 15.0) };
    assert_eq!(Run::new().receives(60 * MIB, &busy).sizes, [1]);
}

#[test]
fn l6_a_bundle_grows_on_a_long_way_until_all_are_in_use() {
    let run = Run::new().receives(200 * MIB, &held(50.0, 30.0));
    assert_eq!(run.sizes, [1, MOST_CONNECTIONS]);
    assert!(run.now < Duration::from_secs(14));
    assert_eq!(Run::new().receives(200 * MIB, &held(10.0, 60.0)).sizes, [1, 4, MOST_CONNECTIONS]);
}

#[test]
fn l6_more_are_tried_as_soon_as_the_first_connection_is_out_of_its_slow_start() {
    // A near way may only seem longer while the machine is busy with the beginning.
    for (round_trip, since) in [(20.0, 250), (50.0, 500), (150.0, 1_000), (10.0, 1_000)] {
        assert_eq!(Run::new().receives(60 * MIB, &held(round_trip, 15.0)).since[1], since);
    }
}

#[test]
fn l6_a_bundle_has_no_more_connections_than_the_device_allows() {
    let run = Run { most: 4, ..Run::new() };
    assert_eq!(run.receives(100 * MIB, &held(50.0, 15.0)).sizes, [1, 4]);
    let run = Run::new().receives(40 * MIB, &held(50.0, 15.0));
    assert_eq!(run.size(), MOST_CONNECTIONS);
    let run = Run { most: 4, ..run }.receives(20 * MIB, &held(50.0, 15.0));
    assert_eq!(run.size(), 4);
    let run = Run { most: MOST_CONNECTIONS, ..run }.receives(100 * MIB, &held(50.0, 15.0));
    assert_eq!(run.size(), MOST_CONNECTIONS);
    let run = Run { most: 4, ..run.idles(20) }.receives(100 * MIB, &held(50.0, 15.0));
    assert_eq!(run.size(), 4);
}

#[test]
fn r6_a_bundle_does_not_grow_while_the_relay_carries_the_most_nor_begin_with_what_the_last_file_needed()
 {
    let run = Run { relay: RelayBeside::Most, ..Run::new() }.receives(60 * MIB, &held(50.0, 15.0));
    assert_eq!(run.sizes, [1]);
    let run = Run { relay: RelayBeside::Little, ..run }.receives(60 * MIB, &held(50.0, 15.0));
    assert_eq!(run.size(), MOST_CONNECTIONS);
    let run = Run { relay: RelayBeside::Most, ..run.idles(20) };
    assert_eq!(run.receives(60 * MIB, &held(50.0, 15.0)).size(), 1);
}

#[test]
fn r6_nothing_is_tried_while_the_relay_tries_to_join_or_to_leave() {
    let run = Run { relay: RelayBeside::Trying, ..Run::new() };
    assert_eq!(run.receives(60 * MIB, &held(50.0, 15.0)).sizes, [1]);
}

#[test]
fn l6_what_a_trial_had_before_it_is_kept_when_that_brought_nothing_and_not_tried_again_at_once() {
    let run = Run::new().receives(4 * MIB, &narrow(50.0, 300.0));
    assert_eq!(run.sizes, [1, MOST_CONNECTIONS, 1]);
    let run = Run::new().receives(300 * MIB, &held(10.0, 22.0));
    assert_eq!(run.sizes, [1, 4, MOST_CONNECTIONS, 4]);
}

#[test]
fn l6_a_bundle_has_only_as_many_as_fill_the_path_and_begins_the_next_file_with_these() {
    let full = Way { queuing: |open| if open > 4 { 150 } else { 20 }, ..held(50.0, 5.0) };
    let run = Run::new().receives(100 * MIB, &full);
    assert_eq!(run.sizes, [1, MOST_CONNECTIONS, 8, 4]);
    assert_eq!(run.idles(20).receives(10 * MIB, &full).size(), 4);
}

#[test]
fn l6_a_bundle_has_as_many_as_before_when_fewer_carry_less_on_a_full_path() {
    let full = Way { queuing: |_| 150, ..held(50.0, 20.0) };
    let run = Run::new().receives(20 * MIB, &held(50.0, 20.0)).receives(100 * MIB, &full);
    assert_eq!(run.sizes, [1, MOST_CONNECTIONS, 8, MOST_CONNECTIONS]);
    assert!(run.since[3] - run.since[2] < 2_000);
}

#[test]
fn l6_what_brought_nothing_is_tried_again_at_once_on_another_path() {
    let run = Run::new().receives(30 * MIB, &narrow(10.0, 2_000.0));
    assert_eq!(run.size(), 1);
    let since = run.now;
    let run = run.receives(20 * MIB, &held(50.0, 20.0));
    assert_eq!(run.size(), MOST_CONNECTIONS);
    assert!(run.now < since + Duration::from_secs(6));
}

#[test]
fn l6_nothing_is_tried_where_a_narrow_way_holds_one_connection_up_or_for_what_will_soon_be_here() {
    assert_eq!(Run::new().receives(20 * MIB, &narrow(50.0, 62.0)).sizes, [1]);
    assert_eq!(Run::new().receives(MIB, &held(50.0, 15.0)).sizes, [1]);
}

#[test]
fn l6_a_bundle_waits_longer_after_each_trial_that_brought_nothing() {
    assert!(Run::new().receives(2_000 * MIB, &narrow(50.0, 300.0)).sizes.len() < 60);
}

#[test]
fn l6_a_bundle_has_one_connection_when_the_way_becomes_narrow_under_way() {
    let run = Run::new().receives(100 * MIB, &held(50.0, 30.0));
    assert_eq!(run.size(), MOST_CONNECTIONS);
    assert_eq!(run.receives(2 * MIB, &narrow(200.0, 100.0)).size(), 1);
}

#[test]
fn l6_a_trial_that_the_end_of_a_file_cut_short_is_forgotten() {
    let mut run = Run::new();
    let view = BundleView {
        left: 100 * MIB,
        rate: 1_200.0,
        round_trip: Some(Duration::from_millis(50)),
        queuing: Duration::ZERO,
        open: 1,
        most: MOST_CONNECTIONS,
        relay: RelayBeside::Little,
    };
    while run.bundle.next(&view, run.now) == 1 {
        run.now += TICK;
    }
    assert!(run.bundle.is_trying());
    assert_eq!(run.idles(1).size(), 1);
}

#[test]
fn l6_no_more_are_wanted_than_are_open_when_others_have_long_been_gone() {
    let run = Run::new().receives(100 * MIB, &held(50.0, 30.0));
    assert!(run.receives_where(200 * MIB, &held(50.0, 30.0), |_| 3).sizes.contains(&3));
    let run = Run::new().receives_where(60 * MIB, &held(50.0, 15.0), |_| 1);
    assert_eq!(run.sizes[..3], [1, MOST_CONNECTIONS, 1]);
}

#[test]
fn l6_a_bundle_that_was_idle_has_one_connection_and_as_many_as_before_for_the_next_file() {
    let run = Run::new().receives(200 * MIB, &held(50.0, 30.0)).idles(5);
    assert_eq!(run.size(), MOST_CONNECTIONS);
    let run = run.idles(10);
    assert_eq!(run.size(), 1);
    assert_eq!(run.receives(20 * MIB, &held(50.0, 30.0)).size(), MOST_CONNECTIONS);
}
