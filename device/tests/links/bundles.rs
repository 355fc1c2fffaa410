//! Which connections two devices make, and when (L1, L3, L6).

use heliograph_device::io::link_contract::PeerPath::{Direct, Turn};
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use serde_json::json;

use crate::device_stage::{ADA, BOB, Stage, offer};

#[test]
fn l1_the_device_later_in_the_list_initiates() {
    let bob = Stage::with_both(BOB);
    assert!(bob.opened[0].is_initiator && bob.opened.len() == 1);
    assert!(Stage::with_both(ADA).opened.is_empty());
}

#[test]
fn l1_an_offer_opens_a_link_and_the_signals_that_follow_reach_it() {
    let mut ada = Stage::with_both(ADA);
    ada.hears(BOB, json!({ "session": "s", "signal": { "type": "offer" } }));
    ada.hears(BOB, json!({ "session": "s", "signal": { "candidate": 1 } }));
    assert_eq!(ada.opened.len(), 1);
    assert_eq!(ada.opened[0].signals, [json!({ "type": "offer" }), json!({ "candidate": 1 })]);
}

#[test]
fn l1_an_offer_of_a_new_session_replaces_the_link_and_late_signals_of_the_old_one_count_for_nothing()
 {
    let mut ada = Stage::with_both(ADA);
    ada.hears(BOB, offer("old", 0));
    ada.hears(BOB, offer("new", 0));
    ada.passes(1);
    ada.hears(BOB, json!({ "session": "old", "signal": { "candidate": 1 } }));
    assert_eq!(ada.closed(), [true, false]);
    assert_eq!(ada.opened[1].signals.len(), 1);
    ada.closes(0);
    assert_eq!(ada.closed(), [true, false]);
}

#[test]
fn l1_of_many_offers_one_a_second_is_taken_up_the_newest() {
    let mut ada = Stage::with_both(ADA);
    for number in 0..100 {
        ada.hears(BOB, offer(&format!("s{number}"), 0));
    }
    assert_eq!(ada.opened.len(), 1);
    ada.passes(1);
    assert_eq!(ada.opened.len(), 2);
    assert_eq!(ada.opened[1].signals, [json!({ "type": "offer", "sdp": "s99" })]);
}

#[test]
fn l1_what_is_no_signal_counts_for_nothing() {
    let mut ada = Stage::with_both(ADA);
    let wrong = [
        json!(null),
        json!("x"),
        json!({}),
        json!({ "session": 1 }),
        json!({ "session": "s", "signal": { "candidate": 1 } }),
        json!({ "session": "s", "index": -1, "signal": { "type": "offer" } }),
        json!({ "session": "s", "index": 0.5, "signal": { "type": "offer" } }),
        json!({ "session": "s", "index": 16, "signal": { "type": "offer" } }),
    ];
    for message in wrong {
        ada.hears(BOB, message);
    }
    assert!(ada.opened.is_empty());
}

#[test]
fn a_link_that_dies_is_rebuilt_by_the_initiator_and_told_of() {
    let mut bob = Stage::with_both(BOB);
    bob.closes(0);
    assert_eq!(bob.paths, [None]);
    bob.passes(1);
    assert_eq!(bob.opened.len(), 2);
    let link = bob.opened[1].link;
    bob.does(|links, _| links.has_signal(link, &json!("offer")));
    let message = json!({ "session": "name 2", "index": 0, "signal": "offer" });
    assert_eq!(bob.sent, [(ADA, message)]);
}

#[test]
fn l3_an_attempt_that_has_not_connected_within_15_s_has_failed() {
    let mut bob = Stage::with_both(BOB);
    bob.passes(14);
    assert_eq!(bob.closed(), [false]);
    bob.passes(2);
    assert_eq!(bob.closed(), [true, false]);
    bob.connects(1, Direct);
    bob.passes(600);
    assert_eq!(bob.closed(), [true, false]);
}

#[test]
fn l3_an_attempt_is_given_up_over_a_new_socket_and_a_link_that_works_is_not() {
    let mut bob = Stage::with_both(BOB);
    bob.does(|links, _| links.welcome(BOB, Vec::new()));
    bob.lists(&[ADA, BOB]);
    assert_eq!(bob.closed(), [true, false]);
    bob.connects(1, Direct);
    bob.does(|links, _| links.welcome(BOB, Vec::new()));
    bob.lists(&[ADA, BOB]);
    assert_eq!(bob.closed(), [true, false]);
    assert_eq!(bob.opened[1].renewed, 1);
}

#[test]
fn l3_an_attempt_is_given_up_when_a_signal_cannot_be_passed_on() {
    let mut bob = Stage::with_both(BOB);
    bob.does(|links, now| links.unreachable(ADA, now));
    bob.passes(1);
    assert_eq!(bob.closed(), [true, false]);
    bob.connects(1, Direct);
    bob.does(|links, now| links.unreachable(ADA, now));
    assert_eq!(bob.closed(), [true, false]);
}

#[test]
fn l4_a_link_ends_once_it_is_broken_and_its_device_is_gone_in_either_order() {
    for is_broken_first in [true, false] {
        let mut bob = Stage::with_both(BOB);
        bob.connects(0, Direct);
        let link = bob.opened[0].link;
        if is_broken_first {
            bob.does(|links, now| links.is_broken(link, true, now));
            assert_eq!(bob.closed(), [false]);
        }
        bob.lists(&[BOB]);
        if !is_broken_first {
            assert_eq!(bob.closed(), [false], "it lives on where the server lists it no more");
            bob.does(|links, now| links.is_broken(link, true, now));
        }
        assert_eq!(bob.closed(), [true]);
    }
}

#[test]
fn l6_there_are_as_many_as_the_initiator_wants_and_each_is_rebuilt_alone() {
    let mut bob = Stage::with_both(BOB);
    bob.connects(0, Direct);
    bob.wants(ADA, 4);
    assert_eq!(bob.opened.len(), 4);
    for number in 1..4 {
        bob.connects(number, Direct);
    }
    bob.closes(2);
    assert!(!bob.paths.contains(&None));
    bob.passes(6);
    assert_eq!(bob.closed(), [false, false, true, false, false]);
    assert_eq!(bob.opened[4].place, 2);
}

#[test]
fn l6_there_are_as_many_as_the_other_device_asks_for() {
    let mut ada = Stage::with_both(ADA);
    ada.wants(BOB, 8);
    assert_eq!(ada.sent, [(BOB, json!({ "size": 8 }))]);
    let mut bob = Stage::with_both(BOB);
    bob.hears(ADA, json!({ "size": 8 }));
    assert_eq!(bob.opened.len(), 8);
    for size in [json!(0), json!(17), json!(1.5), json!("4"), json!(null)] {
        bob.hears(ADA, json!({ "size": size }));
    }
    assert!(bob.closed().iter().all(|is_closed| !is_closed));
    bob.hears(ADA, json!({ "size": 2 }));
    assert_eq!(bob.closed().iter().filter(|is_closed| !**is_closed).count(), 2);
}

#[test]
fn l6_a_wish_is_said_again_where_the_other_device_now_initiates() {
    let mut bob = Stage::with_both(BOB);
    bob.wants(ADA, 3);
    bob.lists(&[BOB, ADA]);
    assert_eq!(bob.sent, [(ADA, json!({ "size": 3 }))]);
}

#[test]
fn l6_a_wish_that_changes_again_and_again_costs_one_connection_in_5_s_in_each_place() {
    let mut bob = Stage::with_both(BOB);
    for size in [16, 1].repeat(100) {
        bob.hears(ADA, json!({ "size": size }));
    }
    bob.hears(ADA, json!({ "size": 16 }));
    assert_eq!(bob.opened.len(), 16);
    bob.passes(5);
    assert_eq!(bob.opened.len(), 31);
}

#[test]
fn l6_the_one_that_works_stays_when_a_smaller_bundle_would_have_none() {
    let mut bob = Stage::with_both(BOB);
    bob.wants(ADA, 2);
    bob.connects(1, Direct);
    bob.wants(ADA, 1);
    assert_eq!(bob.closed(), [false, false]);
}

#[test]
fn l6_further_ones_of_a_direct_bundle_take_no_place_at_turn() {
    let mut bob = Stage::of(BOB);
    let server =
        |url: &str| IceServer { urls: vec![url.to_owned()], username: None, credential: None };
    let servers = vec![server("stun:a.example"), server("turn:a.example")];
    bob.does(|links, _| links.welcome(BOB, servers));
    bob.lists(&[ADA, BOB]);
    bob.connects(0, Direct);
    bob.wants(ADA, 2);
    assert_eq!(bob.opened[0].servers.len(), 2);
    assert_eq!(bob.opened[1].servers, [server("stun:a.example")]);
}

#[test]
fn l6_at_most_four_go_over_turn_and_48_further_ones_there_are_in_all() {
    let others: Vec<DeviceId> = (10..20).map(|number| DeviceId::from_bytes([number; 16])).collect();
    let mut bob = Stage::of(BOB);
    bob.lists(&[others.as_slice(), &[BOB]].concat());
    for other in &others {
        bob.wants(*other, 16);
    }
    assert_eq!(bob.opened.len(), 10 + 48);
    let mut bob = Stage::with_both(BOB);
    bob.connects(0, Turn);
    bob.wants(ADA, 16);
    assert_eq!(bob.opened.len(), 4);
}

#[test]
fn l6_a_device_with_little_to_spend_ends_what_is_too_much_and_takes_up_no_offer_for_it() {
    let mut ada = Stage::with_both(ADA);
    for place in 0..6 {
        ada.hears(BOB, offer(&format!("s{place}"), place));
        ada.connects(place as usize, Direct);
    }
    ada.does(|links, now| links.set_most(4, now));
    assert_eq!(ada.closed(), [false, false, false, false, true, true]);
    ada.passes(5);
    ada.hears(BOB, offer("later", 5));
    assert_eq!(ada.opened.len(), 6);
}

#[test]
fn l6_a_bundle_is_direct_where_any_of_it_is_and_has_ended_with_its_last() {
    let mut bob = Stage::with_both(BOB);
    bob.wants(ADA, 2);
    bob.connects(0, Turn);
    bob.connects(1, Direct);
    bob.closes(0);
    assert_eq!(bob.paths.last(), Some(&Some(Direct)));
    bob.closes(1);
    assert_eq!(bob.paths.last(), Some(&None));
}

#[test]
fn s25_links_to_a_removed_device_end_and_stay_ended() {
    let mut bob = Stage::with_both(BOB);
    bob.connects(0, Direct);
    bob.does(|links, _| links.remove(&[ADA]));
    assert_eq!(bob.closed(), [true]);
    bob.passes(600);
    assert_eq!(bob.opened.len(), 1);
}

#[test]
fn s37_links_get_new_credentials() {
    let mut bob = Stage::with_both(BOB);
    bob.does(|links, _| links.renew(Vec::new()));
    assert_eq!(bob.opened[0].renewed, 1);
}

#[test]
fn nothing_is_left_to_do_when_the_beam_is_left() {
    let mut bob = Stage::with_both(BOB);
    bob.wants(ADA, 3);
    bob.closes(1);
    bob.does(|links, _| links.close());
    assert!(bob.closed().iter().all(|is_closed| *is_closed));
    assert_eq!(bob.links.next_tick(), None);
}
