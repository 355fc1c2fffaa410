//! The links through the server (R).

use std::time::Duration;

use heliograph_device::io::relay::{self, Relay};
use heliograph_shared::ids::DeviceId;

const KIB: u64 = 1024;
const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
const BOB: DeviceId = DeviceId::from_bytes([2; 16]);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Hands over chunks until there is no room, and returns how many bytes of messages these are.
fn fill(relay: &mut Relay) -> u64 {
    let before = relay.waiting();
    while relay.buffer(ADA).room > 0 {
        relay.send(ADA, &[2; 16 * 1024 - 16]).expect("there is room");
    }
    relay.waiting() - before
}

#[test]
fn r1_a_message_is_the_address_and_the_frame() {
    let message = Relay::default().say(ADA, b"frame").expect("there is room");
    assert_eq!(message.len(), 21);
    assert_eq!(relay::read(&message), Some((ADA, b"frame".as_slice())));
    assert_eq!(relay::read(&[1; 16]), Some((ADA, b"".as_slice())));
    assert_eq!(relay::read(&[1; 15]), None);
}

#[test]
fn what_waits_is_told_for_each_device_and_for_other_frames_than_chunks() {
    let mut relay = Relay::default();
    relay.send(ADA, &[2; 984]).expect("there is room");
    relay.say(BOB, &[1; 84]).expect("there is room");
    relay.say(ADA, &[1; 34]).expect("there is room");
    assert_eq!((relay.buffer(ADA).unsent, relay.buffer(ADA).unsaid), (1_050, 50));
    assert_eq!((relay.buffer(BOB).unsent, relay.buffer(BOB).unsaid), (100, 100));
    relay.left(600, ms(1));
    assert_eq!((relay.buffer(ADA).unsent, relay.buffer(ADA).unsaid), (450, 50));
    relay.left(1_100, ms(2));
    assert_eq!((relay.buffer(ADA).unsent, relay.buffer(BOB).unsent), (50, 0));
    relay.left(1_150, ms(3));
    assert_eq!(relay.waiting(), 0);
}

#[test]
fn chunks_wait_for_one_device_where_those_for_another_fill_the_socket() {
    let mut relay = Relay::default();
    fill(&mut relay);
    assert_eq!(relay.buffer(BOB).room, 0);
    assert!(relay.say(BOB, b"ping").is_some(), "other frames do not wait for room");
}

#[test]
fn a_slow_line_has_60_ms_of_chunks_in_the_socket() {
    let mut relay = Relay::default();
    let (mut left, mut now) = (0, 0);
    // 400 KiB a second, looked at each 50 ms.
    for _ in 0..40 {
        fill(&mut relay);
        (left, now) = (left + 20 * KIB, now + 50);
        relay.left(left, ms(now));
    }
    let waits = relay.waiting() + relay.buffer(ADA).room;
    assert!((16 * KIB..=40 * KIB).contains(&waits), "{waits}");
}

#[test]
fn a_socket_that_runs_dry_may_have_more_up_to_512_kib() {
    let mut relay = Relay::default();
    let mut left = 0;
    for look in 1..20 {
        left += fill(&mut relay);
        relay.left(left, ms(look * 10));
        assert_eq!(relay.waiting(), 0);
    }
    assert_eq!(relay.buffer(ADA).room, 512 * KIB);
}

#[test]
fn what_a_device_does_not_read_is_dropped_beyond_8_mib() {
    let mut relay = Relay::default();
    let mut taken = 0;
    while relay.say(ADA, &vec![7; 256 * 1024]).is_some() {
        taken += 1;
        assert!(taken < 100);
    }
    assert!(relay.waiting() > 8 * 1024 * KIB);
}

#[test]
fn a_socket_that_counts_wrongly_does_no_harm() {
    let mut relay = Relay::default();
    relay.say(ADA, b"frame").expect("there is room");
    relay.left(u64::MAX, ms(1));
    assert_eq!(relay.waiting(), 0);
    relay.left(0, ms(1));
    assert_eq!(relay.waiting(), 0);
}
