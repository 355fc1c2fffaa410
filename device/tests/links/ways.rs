//! By which kind of link two devices connect (L7).

use heliograph_device::io::direct_link::LinkKind::{self, Quic, WebRtc};
use heliograph_device::io::link_contract::PeerPath::Direct;
use heliograph_shared::ids::DeviceId;
use serde_json::{Value, json};

use crate::device_stage::{ADA, BOB, Stage, offer};

/// Ada, then Bob are in the beam, and all devices have QUIC.
fn with_quic(me: DeviceId) -> Stage {
    let mut stage = Stage::of(me);
    stage.does(|links, _| links.set_quic(vec![ADA, BOB]));
    stage.lists(&[ADA, BOB]);
    stage
}

fn quic_offer(session: &str) -> Value {
    json!({ "session": session, "index": 0, "signal": { "type": "offer", "quic": {} } })
}

fn kinds(stage: &Stage) -> Vec<LinkKind> {
    stage.opened.iter().map(|opened| opened.kind).collect()
}

#[test]
fn l7_two_devices_that_have_quic_use_it_in_every_place() {
    let mut bob = with_quic(BOB);
    bob.connects(0, Direct);
    bob.wants(ADA, 2);
    assert_eq!(kinds(&bob), [Quic, Quic]);
}

#[test]
fn l7_a_device_that_has_none_is_connected_to_by_webrtc() {
    assert_eq!(kinds(&Stage::with_both(BOB)), [WebRtc]);
}

#[test]
fn l7_what_has_not_opened_within_3_s_is_tried_by_webrtc() {
    let mut bob = with_quic(BOB);
    bob.passes(2);
    assert_eq!(bob.closed(), [false]);
    bob.passes(1);
    assert_eq!((kinds(&bob), bob.closed()), (vec![Quic, WebRtc], vec![true, false]));
}

#[test]
fn l7_what_ends_is_followed_at_once_by_a_link_of_the_other_kind() {
    let mut bob = with_quic(BOB);
    bob.connects(0, Direct);
    bob.closes(0);
    assert_eq!(kinds(&bob), [Quic, WebRtc]);
    bob.connects(1, Direct);
    bob.closes(1);
    bob.passes(1);
    assert_eq!(kinds(&bob), [Quic, WebRtc, Quic]);
}

#[test]
fn l7_over_a_new_socket_quic_is_tried_again() {
    let mut bob = with_quic(BOB);
    bob.closes(0);
    bob.does(|links, _| links.welcome(BOB, Vec::new()));
    bob.lists(&[ADA, BOB]);
    assert_eq!(kinds(&bob), [Quic, WebRtc, Quic]);
}

#[test]
fn l7_a_link_over_which_nothing_comes_has_ended() {
    let mut bob = with_quic(BOB);
    bob.connects(0, Direct);
    bob.breaks(0);
    assert_eq!((kinds(&bob), bob.closed()), (vec![Quic, WebRtc], vec![true, false]));
    bob.connects(1, Direct);
    bob.breaks(1);
    assert_eq!(bob.closed(), [true, false], "WebRTC restarts ICE (L4)");
    let mut ada = with_quic(ADA);
    ada.hears(BOB, quic_offer("s"));
    ada.connects(0, Direct);
    ada.breaks(0);
    assert_eq!((kinds(&ada), ada.closed()), (vec![Quic], vec![true]));
}

#[test]
fn l4_the_initiator_makes_anew_what_is_broken_when_its_socket_is_new() {
    for (me, closed) in [(BOB, vec![true, false]), (ADA, vec![false])] {
        let mut stage = Stage::with_both(me);
        if me == ADA {
            stage.hears(BOB, offer("s", 0));
        }
        stage.connects(0, Direct);
        stage.breaks(0);
        stage.does(|links, _| links.welcome(me, Vec::new()));
        stage.lists(&[ADA, BOB]);
        assert_eq!(stage.closed(), closed);
    }
}

#[test]
fn l7_what_ends_after_a_gap_and_was_open_before_it_has_not_failed() {
    let mut bob = with_quic(BOB);
    bob.connects(0, Direct);
    bob.does(|links, _| links.welcome(BOB, Vec::new()));
    bob.lists(&[ADA, BOB]);
    bob.closes(0);
    assert_eq!(kinds(&bob), [Quic, Quic]);
    bob.closes(1);
    assert_eq!(kinds(&bob), [Quic, Quic, WebRtc]);
}

#[test]
fn l7_what_ends_while_its_device_is_gone_has_not_failed() {
    let mut bob = with_quic(BOB);
    bob.connects(0, Direct);
    bob.does(|links, _| links.set_quic(vec![BOB]));
    bob.lists(&[BOB]);
    bob.closes(0);
    bob.does(|links, _| links.set_quic(vec![ADA, BOB]));
    bob.lists(&[ADA, BOB]);
    assert_eq!(kinds(&bob), [Quic, Quic]);
}

#[test]
fn l7_an_offer_is_taken_up_by_its_kind_and_one_by_quic_only_by_a_device_that_has_it() {
    let mut ada = with_quic(ADA);
    ada.hears(BOB, quic_offer("s"));
    ada.passes(3);
    ada.hears(BOB, offer("later", 0));
    assert_eq!((kinds(&ada), ada.closed()), (vec![Quic, WebRtc], vec![true, false]));
    let mut ada = Stage::with_both(ADA);
    ada.hears(BOB, quic_offer("s"));
    assert_eq!(kinds(&ada), []);
}
