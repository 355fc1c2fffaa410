//! When a link is dead, how fast it is, and how much may be wanted on it.

use std::time::Duration;

use heliograph_device::file_size::CHUNK_BYTES;
use heliograph_device::link_meter::{LinkMeter, SMALLEST_WINDOW_BYTES};
use heliograph_device::stall_clock::{STALL, StallClock};
use heliograph_shared::limits::RELAY_WINDOW_BYTES;

const FRAME: u64 = 4 * CHUNK_BYTES;
/// Of the link that keeps the order of everything.
const RELAY: Option<u64> = Some(RELAY_WINDOW_BYTES as u64);

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn l2_a_link_is_dead_when_no_wanted_chunk_arrived_for_8_s() {
    let mut clock = StallClock::default();
    clock.touch(ms(1_000));
    assert!(!clock.is_stalled(ms(1_000) + STALL, 1));
    assert!(clock.is_stalled(ms(1_001) + STALL, 1));
    clock.touch(ms(1_001) + STALL);
    assert!(!clock.is_stalled(ms(1_002) + STALL, 1));
}

#[test]
fn l2_each_of_more_than_four_links_that_share_a_way_has_2_s() {
    let mut clock = StallClock::default();
    clock.touch(Duration::ZERO);
    assert!(clock.is_stalled(ms(8_001), 4));
    assert!(!clock.is_stalled(4 * STALL, 16));
    assert!(clock.is_stalled(4 * STALL + ms(1), 16));
}

#[test]
fn l6_a_link_that_is_to_end_is_waited_for_until_nothing_came_for_2_s() {
    let mut clock = StallClock::default();
    clock.touch(ms(500));
    assert!(clock.is_carrying(ms(2_500)));
    assert!(!clock.is_carrying(ms(2_501)));
}

/// Delivers a frame each `interval` from a time on, and returns when the last one came.
fn delivers(meter: &mut LinkMeter, frames: u32, interval: Duration, from: Duration) -> Duration {
    meter.wanted(from);
    (1..=frames)
        .map(|number| from + number * interval)
        .inspect(|now| meter.arrived(FRAME, *now))
        .last()
        .unwrap()
}

/// Whether a window is so many frames large, but for a byte.
fn is_about(window: u64, frames: u64) -> bool {
    window.abs_diff(frames * FRAME) <= 1
}

/// Whether a rate is a frame in so many milliseconds.
fn is_rate(rate: Option<f64>, millis: f64) -> bool {
    rate.is_some_and(|rate| (rate * millis / 65_536.0 - 1.0).abs() < 0.01)
}

#[test]
fn f4_a_link_has_the_smallest_window_at_first_which_grows_by_what_arrives() {
    let mut meter = LinkMeter::new(None);
    assert_eq!(meter.window(ms(0)), SMALLEST_WINDOW_BYTES);
    meter.wanted(ms(0));
    meter.arrived(FRAME, ms(10));
    assert_eq!(meter.rate(ms(10)), None);
    assert_eq!(meter.window(ms(10)), SMALLEST_WINDOW_BYTES + FRAME);
}

#[test]
fn f4_a_window_is_what_the_link_delivers_in_two_round_trips() {
    let mut meter = LinkMeter::new(None);
    meter.answered(ms(100), ms(0));
    let now = delivers(&mut meter, 100, ms(10), ms(0));
    assert!(is_rate(meter.rate(now), 10.0));
    assert!(is_about(meter.window(now), 20));
    let mut near = LinkMeter::new(None);
    near.answered(ms(1), ms(0));
    let now = delivers(&mut near, 100, ms(10), ms(0));
    assert!(is_about(near.window(now), 10), "50 ms");
}

#[test]
fn f4_a_window_of_the_relay_is_four_round_trips_but_100_ms_to_2_s() {
    for (round_trips, interval, frames) in
        [(vec![100], 10, 40), (vec![10], 10, 10), (vec![8_000, 16_000], 100, 20)]
    {
        let mut meter = LinkMeter::new(RELAY);
        // What waits on a slow line makes each answer later.
        for round_trip in round_trips {
            meter.answered(ms(round_trip), ms(0));
        }
        let now = delivers(&mut meter, 100, ms(interval), ms(0));
        assert!(is_about(meter.window(now), frames), "{}", meter.window(now));
    }
}

#[test]
fn f4_no_window_of_the_relay_is_larger_than_what_waits_in_the_server() {
    let mut meter = LinkMeter::new(RELAY);
    meter.answered(ms(400), ms(0));
    let now = delivers(&mut meter, 1_000, ms(1), ms(0));
    assert_eq!(Some(meter.window(now)), RELAY);
}

#[test]
fn f15_a_window_is_smaller_while_the_round_trip_is_measured() {
    let mut meter = LinkMeter::new(None);
    meter.answered(ms(100), ms(0));
    let now = delivers(&mut meter, 100, ms(10), ms(0));
    assert!(meter.probe(now));
    assert!(is_about(meter.window(now), 10));
    meter.answered(ms(100), now);
    assert!(is_about(meter.window(now), 20));
    assert!(!meter.probe(now + ms(100)));
    assert!(meter.probe(now + ms(2_000)));
}

#[test]
fn f15_a_round_trip_that_becomes_longer_is_followed() {
    let mut meter = LinkMeter::new(None);
    let mut knows = |round_trip, at, known| {
        meter.answered(ms(round_trip), ms(at));
        assert_eq!(meter.round_trip(), Some(ms(known)));
    };
    knows(10, 0, 10);
    knows(80, 2_000, 10);
    knows(90, 4_000, 80);
}

#[test]
fn l6_the_round_trip_of_a_path_is_known_without_what_waits_there_and_that_of_another_after_20_s() {
    let mut meter = LinkMeter::new(None);
    assert_eq!(meter.base(), None);
    meter.answered(ms(50), ms(0));
    let mut later = |times: std::ops::Range<u64>, base| {
        for now in times.step_by(2_000) {
            meter.answered(ms(300), ms(now));
        }
        assert_eq!(meter.base(), Some(ms(base)));
    };
    later(2_000..18_000, 50);
    later(18_000..32_000, 300);
    meter.answered(ms(20), ms(32_000));
    assert_eq!(meter.base(), Some(ms(20)));
}

#[test]
fn a_link_is_as_fast_after_a_pause_as_before_it_and_slower_when_nothing_comes() {
    let mut meter = LinkMeter::new(None);
    let now = delivers(&mut meter, 20, ms(10), ms(0));
    meter.idle(now);
    assert!(is_rate(meter.rate(now + ms(60_000)), 10.0));
    meter.wanted(now + ms(60_000));
    assert!(meter.rate(now + ms(61_000)).unwrap() < 65_536.0 / 50.0);
}

#[test]
fn a_link_of_one_frame_a_second_is_measured_by_frames_and_not_by_the_moment_in_which_one_arrives() {
    let mut meter = LinkMeter::new(None);
    let now = delivers(&mut meter, 10, ms(1_000), ms(0));
    assert!(is_rate(meter.rate(now), 1_000.0));
    assert_eq!(meter.window(now), SMALLEST_WINDOW_BYTES);
}
