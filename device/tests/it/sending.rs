//! What is sent, in which order, and what is counted of it.

use std::collections::BTreeMap;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize};
use heliograph_device::send_queue::{SendQueue, Turn};
use heliograph_device::sender::Sender;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const fn range(first: u32, count: u32) -> ChunkRange {
    ChunkRange::new(first, count)
}

fn sender(bytes: u64) -> Sender {
    Sender::new(FileSize::new(bytes).unwrap())
}

fn chunks_sent(sender: &Sender) -> u64 {
    sender.sent() / CHUNK_BYTES
}

#[test]
fn what_is_counted_begins_behind_what_the_receiver_had_before_which_it_does_not_want() {
    let mut resumed = sender(10 * CHUNK_BYTES);
    resumed.wanted(range(4, 2), true);
    assert_eq!(chunks_sent(&resumed), 4);
    resumed.gave(range(4, 2));
    assert_eq!(chunks_sent(&resumed), 6);
    resumed.wanted(range(8, 2), true);
    resumed.gave(range(8, 2));
    assert_eq!((chunks_sent(&resumed), resumed.twice()), (10, 0));
    resumed.gave(range(9, 1));
    assert_eq!((chunks_sent(&resumed), resumed.twice()), (10, CHUNK_BYTES));
}

#[test]
fn nothing_is_counted_before_anything_has_left_where_the_receiver_has_none_of_it() {
    let mut fresh = sender(10 * CHUNK_BYTES);
    fresh.wanted(range(0, 4), true);
    assert_eq!(fresh.sent(), 0);
    let mut shared = sender(10 * CHUNK_BYTES);
    shared.wanted(range(6, 2), false);
    assert_eq!(shared.sent(), 0);
}

#[test]
fn what_is_counted_is_less_again_by_what_is_wanted_after_all() {
    let mut resumed = sender(10 * CHUNK_BYTES);
    resumed.wanted(range(6, 2), true);
    resumed.wanted(range(0, 4), true);
    assert_eq!(chunks_sent(&resumed), 2);
    resumed.gave(range(0, 4));
    resumed.gave(range(6, 2));
    assert_eq!((chunks_sent(&resumed), resumed.twice()), (8, 0));
}

#[test]
fn f3_wants_beyond_the_file_are_ignored() {
    let mut sender = sender(40_000);
    assert_eq!(sender.wanted(range(7, u32::MAX), true), None);
    assert_eq!(sender.sent(), 0);
    assert_eq!(sender.wanted(range(1, u32::MAX), true), Some(range(1, 2)));
    sender.gave(range(1, 2));
    assert_eq!(sender.sent(), 40_000);
}

/// The next frame, which leaves at once.
fn leaves(queue: &mut SendQueue<char>, limit: u32) -> Option<Turn<char>> {
    queue.next(limit).inspect(|turn| assert!(queue.sent(*turn)))
}

fn order(queue: &mut SendQueue<char>, limit: u32) -> Vec<(char, u32)> {
    let turns = std::iter::from_fn(|| leaves(queue, limit));
    turns.map(|Turn { transfer, range }| (transfer, range.first)).collect()
}

#[test]
fn f3_each_file_has_a_turn_of_one_frame_so_that_none_waits_for_another() {
    let mut queue = SendQueue::default();
    queue.want('a', range(0, 12));
    queue.want('b', range(0, 8));
    queue.want('c', range(4, 4));
    assert_eq!(queue.size(), 3);
    let turns = [('a', 0), ('b', 0), ('c', 4), ('a', 4), ('b', 4), ('a', 8)];
    assert_eq!(order(&mut queue, 4), turns);
}

#[test]
fn f3_a_chunk_that_is_wanted_twice_before_it_is_sent_is_sent_once() {
    let mut queue = SendQueue::default();
    queue.want('a', range(0, 4));
    queue.want('a', range(2, 4));
    assert_eq!(order(&mut queue, 3), [('a', 0), ('a', 3)]);
}

#[test]
fn f3_what_is_being_read_is_not_queued_again_and_what_was_sent_and_lost_is() {
    let mut queue = SendQueue::default();
    queue.want('a', range(0, 4));
    let taken = queue.next(4).unwrap();
    queue.want('a', range(0, 4));
    assert!(queue.has('a') && queue.size() == 0);
    queue.want('a', range(0, 6));
    assert!(queue.is_taken(taken) && queue.sent(taken) && !queue.sent(taken));
    assert_eq!(leaves(&mut queue, 4), Some(Turn { transfer: 'a', range: range(4, 2) }));
    assert!(!queue.has('a'));
    queue.want('a', range(0, 4));
    assert_eq!(queue.next(4), Some(Turn { transfer: 'a', range: range(0, 4) }));
}

#[test]
fn f3_while_a_frame_is_being_read_the_others_go_on_and_at_most_eight_are_read_at_a_time() {
    let mut queue = SendQueue::default();
    for file in 'a'..='j' {
        queue.want(file, range(0, 8));
    }
    let taken: Vec<_> = std::iter::from_fn(|| queue.next(4)).collect();
    assert_eq!(taken.iter().map(|turn| turn.transfer).collect::<String>(), "abcdefgh");
    assert!(queue.sent(taken[2]));
    assert_eq!(queue.next(4), Some(Turn { transfer: 'i', range: range(0, 4) }));
    assert!(queue.sent(taken[0]) && queue.sent(taken[1]));
    assert_eq!(queue.next(4), Some(Turn { transfer: 'j', range: range(0, 4) }));
    assert_eq!(queue.next(4), Some(Turn { transfer: 'a', range: range(4, 4) }));
}

#[test]
fn f6_the_chunks_of_an_ended_transfer_or_link_are_dropped() {
    let mut queue = SendQueue::default();
    queue.want('a', range(0, 1));
    queue.want('b', range(0, 1));
    queue.forget('a');
    assert_eq!(queue.next(4), Some(Turn { transfer: 'b', range: range(0, 1) }));
    queue.forget('b');
    assert!(!queue.has('b'));
    queue.want('a', range(0, 1));
    queue.clear();
    assert_eq!(queue.next(4), None);
}

/// What a device may want: a little here and there, or all that there can be.
fn any_range() -> impl Strategy<Value = ChunkRange> {
    prop_oneof![
        9 => (0..3_000_u32, 0..4_u32).prop_map(|(first, count)| range(first, count)),
        1 => (select(&[0, 7, u32::MAX][..]), select(&[0, 40, u32::MAX][..]))
            .prop_map(|(first, count)| range(first, count)),
    ]
}

/// A little here and there alone, so that there soon are many ranges.
fn scattered() -> impl Strategy<Value = ChunkRange> {
    (0..30_000_u32, 1..4_u32).prop_map(|(first, count)| range(first, count))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn f3_a_queue_has_at_most_256_ranges_and_one_that_the_frame_under_way_has_split(
        steps in vec((select(&['a', 'b'][..]), scattered(), option::weighted(0.2, 1..10_u32)), 700..900),
    ) {
        let mut queue = SendQueue::default();
        for (transfer, range, take) in steps {
            match take {
                None => queue.want(transfer, range),
                Some(limit) => drop(leaves(&mut queue, limit)),
            }
        }
        let mut ranges = BTreeMap::new();
        while let Some(turn) = leaves(&mut queue, u32::MAX) {
            *ranges.entry(turn.transfer).or_insert(0) += 1;
        }
        prop_assert!(ranges.values().all(|count| *count <= 257), "{ranges:?}");
    }

    #[test]
    fn f3_a_chunk_is_sent_at_most_once_for_each_want_that_has_it(
        steps in vec((any_range(), option::of(1..10_u32)), 200..900),
    ) {
        let (mut queue, mut wants, mut sent) = (SendQueue::default(), Vec::new(), BTreeMap::new());
        for (range, take) in steps {
            let Some(limit) = take else {
                wants.push(range);
                queue.want('a', range);
                continue;
            };
            let turn = leaves(&mut queue, limit);
            for chunk in turn.into_iter().flat_map(|turn| turn.range.first..turn.range.end()) {
                let times = sent.entry(chunk).or_insert(0);
                *times += 1;
                let wanted = wants.iter().filter(|want| (want.first..want.end()).contains(&chunk));
                prop_assert!(*times <= wanted.count());
            }
        }
    }
}

#[test]
fn f3_a_queue_stays_small_when_a_hostile_device_wants_every_second_chunk_of_a_large_file() {
    let mut queue = SendQueue::default();
    for first in (0..100_000).step_by(2) {
        queue.want('a', range(first, 1));
    }
    assert_eq!(order(&mut queue, 4).len(), 256);
}
