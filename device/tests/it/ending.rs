//! Ends of transfers that a device does not answer.

use std::time::Duration;

use heliograph_device::frames::{CancelReason, ControlFrame};
use heliograph_device::unheard_ends::{End, UnheardEnds};
use heliograph_shared::ids::ItemId;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

fn done(number: u8) -> ControlFrame {
    ControlFrame::Done { transfer: item(number) }
}

fn cancel(number: u8, reason: CancelReason) -> ControlFrame {
    ControlFrame::Cancel { transfer: item(number), reason }
}

#[test]
fn f7_an_end_is_said_again_after_8_s_and_at_most_five_times_on_a_link() {
    let mut ends = UnheardEnds::default();
    assert_eq!(ends.ends(item(1), End::Done, seconds(0)), done(1));
    assert_eq!(ends.say_again(seconds(8)), []);
    for time in [9, 18, 27, 36] {
        assert!(ends.is_ending(item(1)) && ends.are_left());
        assert_eq!(ends.say_again(seconds(time)), [done(1)]);
        assert_eq!(ends.say_again(seconds(time + 8)), []);
    }
    assert!(!ends.is_ending(item(1)) && !ends.are_left());
    assert_eq!(ends.say_again(seconds(999)), []);
}

#[test]
fn f7_an_end_that_was_not_answered_is_said_on_every_new_link_and_then_again() {
    let mut ends = UnheardEnds::default();
    ends.ends(item(1), End::Done, seconds(0));
    ends.ends(item(2), End::Cancel(CancelReason::Gone), seconds(1));
    for time in [9, 18, 27, 36, 45] {
        ends.say_again(seconds(time));
    }
    assert!(!ends.are_left());
    let both = [done(1), cancel(2, CancelReason::Gone)];
    assert_eq!(ends.say_on_new_link(seconds(50)), both);
    assert!(ends.are_left());
    assert_eq!(ends.say_again(seconds(59)), both);
}

#[test]
fn f7_an_end_that_was_answered_is_not_said_again() {
    let mut ends = UnheardEnds::default();
    ends.ends(item(1), End::Done, seconds(0));
    ends.ends(item(2), End::Cancel(CancelReason::Paused), seconds(0));
    assert_eq!(ends.heard(item(1), seconds(1)), None);
    assert_eq!(ends.heard(item(9), seconds(1)), None);
    assert!(!ends.is_ending(item(1)));
    assert_eq!(ends.say_again(seconds(9)), [cancel(2, CancelReason::Paused)]);
    assert_eq!(ends.heard(item(2), seconds(1)), None);
    assert_eq!(ends.say_on_new_link(seconds(10)), []);
}

#[test]
fn f7_a_later_end_of_a_transfer_counts_in_place_of_the_first() {
    let mut ends = UnheardEnds::default();
    ends.ends(item(1), End::Cancel(CancelReason::Paused), seconds(0));
    ends.ends(item(1), End::Cancel(CancelReason::Person), seconds(5));
    assert_eq!(ends.say_again(seconds(9)), []);
    assert_eq!(ends.say_again(seconds(14)), [cancel(1, CancelReason::Person)]);
    // The answer may be that to the first.
    assert_eq!(ends.heard(item(1), seconds(15)), Some(cancel(1, CancelReason::Person)));
    assert_eq!(ends.heard(item(1), seconds(16)), None);
    assert!(!ends.is_ending(item(1)));
}

#[test]
fn f7_an_end_is_said_once_more_to_a_device_that_went_on_before_it_answered() {
    let mut ends = UnheardEnds::default();
    ends.ends(item(1), End::Done, seconds(0));
    ends.contradicts(item(1));
    assert_eq!(ends.heard(item(1), seconds(1)), Some(done(1)));
    assert_eq!(ends.heard(item(1), seconds(2)), None);
}

#[test]
fn f7_chunks_of_any_number_of_unknown_transfers_are_answered_once_a_second() {
    let mut ends = UnheardEnds::default();
    let answers = (0..100).filter_map(|number| ends.refuses(item(number), seconds(3))).count();
    assert_eq!(answers, 1);
    assert_eq!(ends.refuses(item(7), seconds(4)), Some(cancel(7, CancelReason::Person)));
    assert!(!ends.are_left());
    ends.ends(item(8), End::Done, seconds(5));
    assert_eq!(ends.refuses(item(8), seconds(9)), None, "done is said of it already");
}
