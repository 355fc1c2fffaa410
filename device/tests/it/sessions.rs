//! A device in a beam: its socket, and what it says again.

use std::time::Duration;

use heliograph_device::session::{Input, News, Status, Why};
use heliograph_shared::limits::{PING_INTERVAL, RECONNECT_ATTEMPTS, SOCKET_IDLE};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::beam_server::{Beam, item_id, raw};

fn confirmed(beam: &Beam, seat: usize) -> usize {
    let is_confirmed = |news: &&News| matches!(news, News::Confirmed(_));
    beam.seats[seat].news.iter().filter(is_confirmed).count()
}

/// The messages of one type that a device has sent.
fn sent(beam: &Beam, seat: usize, kind: &str) -> Vec<Value> {
    let all = beam.seats[seat].sent.iter().filter_map(|text| serde_json::from_str(text).ok());
    all.filter(|message: &Value| message["type"] == kind).collect()
}

#[test]
fn s7_what_is_shared_comes_to_all_and_is_confirmed_by_its_echo() {
    let mut beam = Beam::new();
    let (ada, bob) = (beam.begins("Ada", None), beam.begins("Bob", None));
    beam.shares(ada, item_id(1), "Oat milk");
    assert_eq!(beam.texts(bob), ["Oat milk"]);
    assert_eq!((beam.texts(ada), confirmed(&beam, ada)), (vec!["Oat milk".to_owned()], 1));
    assert!(!beam.seats[ada].session.has_unconfirmed());
}

#[test]
fn s11_who_comes_later_is_told_of_everything() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    let bob = beam.begins("Bob", None);
    assert_eq!(beam.texts(bob), ["one", "two"]);
    assert!(beam.seats[bob].news.iter().any(|news| matches!(news, News::Synced { .. })));
}

#[test]
fn s9_what_was_not_echoed_goes_again_over_the_next_socket_as_the_same_text() {
    let mut beam = Beam::new();
    let (ada, _) = beam.made();
    beam.is_deaf = true;
    beam.shares(ada, item_id(1), "Oat milk");
    assert!(beam.seats[ada].session.has_unconfirmed());
    beam.cuts(ada, None);
    beam.is_deaf = false;
    beam.passes(Duration::from_secs(7));
    assert_eq!(confirmed(&beam, ada), 1);
    let shared = sent(&beam, ada, "share_clipboard");
    assert_eq!(shared.len(), 2);
    assert_eq!(shared[0], shared[1]);
}

#[test]
fn s14_what_the_server_cannot_take_now_goes_again_later_and_all_else_is_refused() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.is_deaf = true;
    beam.shares(ada, item_id(1), "Oat milk");
    let refuse =
        |code: &str| json!({"type": "error", "message": "No.", "extra": code, "id": item_id(1)});
    beam.says(ada, &refuse("unavailable"));
    beam.passes(Duration::from_millis(900));
    assert_eq!(sent(&beam, ada, "share_clipboard").len(), 1);
    beam.passes(Duration::from_millis(200));
    assert_eq!(sent(&beam, ada, "share_clipboard").len(), 2);
    beam.says(ada, &refuse("no_room"));
    assert!(!beam.seats[ada].session.has_unconfirmed());
    let is_refused = |news: &News| matches!(news, News::Refused { why, .. } if why == "No.");
    assert!(beam.seats[ada].news.iter().any(is_refused));
}

#[test]
fn s13_a_socket_lives_over_which_files_come_even_where_the_answers_to_pings_wait_behind_them() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.is_asleep = Some(ada);
    beam.passes(SOCKET_IDLE / 2);
    beam.handle(ada, Input::Heard);
    beam.passes(SOCKET_IDLE * 3 / 4);
    assert_eq!(beam.status(ada), Status::Live);
    beam.passes(SOCKET_IDLE / 4);
    assert_ne!(beam.status(ada), Status::Live, "nothing has come since");
}

#[test]
fn s10_a_deletion_takes_the_item_from_all() {
    let mut beam = Beam::new();
    let (ada, bob) = (beam.begins("Ada", None), beam.begins("Bob", None));
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    beam.handle(bob, Input::Delete(item_id(1)));
    assert_eq!((beam.texts(ada), beam.texts(bob)), (vec!["two".into()], vec!["two".to_owned()]));
    beam.says(ada, &json!({"type": "delete_note", "message": "two"}));
    assert!(beam.texts(ada).is_empty());
}

#[test]
fn s11_an_item_that_the_server_lacks_after_a_reconnect_was_deleted() {
    let mut beam = Beam::new();
    let (ada, bob) = (beam.begins("Ada", None), beam.begins("Bob", None));
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    beam.cuts(bob, Some(1012));
    beam.handle(ada, Input::Delete(item_id(1)));
    beam.passes(Duration::from_secs(7));
    assert_eq!(beam.texts(bob), ["two"]);
}

#[test]
fn s33_an_item_for_one_device_that_was_deleted_while_it_was_away_is_gone_and_a_lost_one_stays() {
    let mut beam = Beam::new();
    let (ada, bob) = (beam.begins("Ada", None), beam.begins("Bob", None));
    let to = Some(beam.id(bob));
    for (number, text) in [(1, "one"), (2, "two")] {
        let (message, extra) = (raw(&json!(text)), "text".to_owned());
        beam.handle(ada, Input::Share { id: item_id(number), message, extra, to });
    }
    beam.leaves(bob);
    beam.handle(ada, Input::Delete(item_id(1)));
    beam.cuts(bob, None);
    beam.passes(Duration::from_secs(20));
    assert_eq!(beam.texts(bob), ["two"]);
    // A restart of a saved beam, whose numbers go on.
    beam.items.clear();
    beam.epoch = "another";
    beam.cuts(bob, None);
    beam.passes(Duration::from_secs(20));
    assert_eq!(beam.texts(bob), ["two"]);
    assert!(sent(&beam, bob, "restore").is_empty());
}

#[test]
fn s28_what_a_restart_took_from_the_server_is_brought_back() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.shares(ada, item_id(1), "Oat milk");
    beam.items.clear();
    (beam.seq, beam.oldest) = (5_000, 5_001);
    beam.cuts(ada, Some(1012));
    beam.passes(Duration::from_secs(7));
    let held = sent(&beam, ada, "held").pop().unwrap();
    assert_eq!(held["message"]["known"], json!([[1_001, 1_001]]));
    assert_eq!(beam.items.len(), 1);
    assert_eq!(beam.items[0].seq, 1_001);
    assert_eq!(beam.texts(ada), ["Oat milk"]);
}

#[test]
fn s13_a_device_says_ping_and_takes_a_silent_socket_for_dead() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.passes(PING_INTERVAL * 4);
    assert_eq!(beam.seats[ada].sent.iter().filter(|text| *text == "ping").count(), 4);
    assert_eq!(beam.status(ada), Status::Live);
    // Nothing comes any more, and nobody says that the socket is closed.
    beam.leaves(ada);
    beam.passes(SOCKET_IDLE);
    let is_tried = |news: &&News| matches!(news, News::Status(Status::Reconnecting { attempt: 1 }));
    assert_eq!(beam.seats[ada].news.iter().filter(is_tried).count(), 1);
}

#[test]
fn s19_after_a_final_code_nothing_is_tried_again() {
    for (code, why) in [(4401, Why::LoggedOut), (4403, Why::Forbidden), (4404, Why::Ended)] {
        let mut beam = Beam::new();
        let ada = beam.begins("Ada", None);
        beam.cuts(ada, Some(code));
        assert_eq!(beam.status(ada), Status::Stopped(why));
        assert_eq!(beam.seats[ada].session.next_due(), None);
    }
}

#[test]
fn s19_a_server_that_is_not_reached_is_tried_twenty_times() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.cuts(ada, None);
    for attempt in 1..=RECONNECT_ATTEMPTS {
        assert_eq!(beam.status(ada), Status::Reconnecting { attempt });
        let due = beam.seats[ada].session.next_due().unwrap().saturating_sub(beam.now);
        assert!((5_000..=6_000).contains(&due.as_millis()), "{due:?}");
        beam.now += due;
        let _ = beam.seats[ada].session.handle(Input::Time, beam.now);
        beam.cuts(ada, None);
    }
    assert_eq!(beam.status(ada), Status::Stopped(Why::Unreachable));
}

#[test]
fn s5_a_device_whose_token_another_one_has_takes_a_new_one_and_seals_anew() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.is_deaf = true;
    beam.shares(ada, item_id(1), "Oat milk");
    let before = beam.id(ada);
    beam.cuts(ada, Some(4001));
    beam.is_deaf = false;
    beam.passes(Duration::from_secs(7));
    assert_ne!(beam.id(ada), before);
    assert_eq!(beam.shown(bob)[0].from, beam.id(ada));
}

#[test]
fn who_leaves_says_nothing_more() {
    let mut beam = Beam::new();
    let ada = beam.begins("Ada", None);
    beam.handle(ada, Input::Leave);
    assert_eq!(beam.status(ada), Status::Stopped(Why::Left));
    beam.seats[ada].sent.clear();
    beam.shares(ada, item_id(1), "late");
    beam.passes(Duration::from_mins(5));
    assert!(beam.seats[ada].sent.is_empty());
}

fn message() -> impl Strategy<Value = Value> {
    let kinds = [
        "auth_success",
        "welcome",
        "authed_users",
        "rec_clipboard",
        "delete_note",
        "sync",
        "wanted",
        "signal",
        "e2e",
        "error",
        "beam_saved",
        "kept",
        "devices_removed",
    ];
    let text = prop_oneof![
        Just(json!("e2e1.AX3ZZQxm6onsBQoPFBkeIygtMjc8QUZLUAAAAAAAAAAAXKfO468jfT_NtNDI5Ln6n")),
        Just(json!("e2k1.AAAA")),
        Just(json!({"op": "welcome", "encapsulated": "AA", "sealed": "AA"})),
        Just(json!({"op": "join", "id": "AAAAAAAAAAA", "key": "AA", "proof": "AA"})),
        Just(json!({"op": "keys", "encapsulated": "", "sealed": "e2e1."})),
        Just(json!({"op": "device", "sealed": "e2e1.AA", "isAnswer": false})),
        Just(json!(null)),
        ".*".prop_map(|text| json!(text)),
    ];
    let from = "0b5a1c2e-9c1d-8f6a-8b3e-2d4c6e8f0a1b";
    (prop::sample::select(kinds.to_vec()), text, any::<u64>()).prop_map(move |(kind, message, seq)| {
        let page = json!({"epoch": "", "oldest": seq, "dropped": seq, "items": [], "next": null});
        match kind {
            "sync" => json!({"type": kind, "message": page}),
            "signal" | "e2e" => json!({"type": kind, "message": message, "extra": {"from": from}}),
            "authed_users" => json!({"type": kind, "message": [
                {"device_id": from, "name": "x", "caps": ["e2e1"]}]}),
            _ => json!({"type": kind, "message": message, "extra": "text", "id": from, "seq": seq,
                "from": from, "at": 1}),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_server_says_a_device_goes_on(said in prop::collection::vec(message(), 0..30)) {
        let mut beam = Beam::new();
        let (ada, secret) = beam.made();
        let bob = beam.comes("Bob", &secret);
        for message in said {
            beam.says(ada, &message);
            beam.says(bob, &message);
            beam.passes(Duration::from_secs(1));
        }
        beam.handle(ada, Input::Say(heliograph_shared::socket::ClientMessage::SaveBeam {
            message: raw(&json!("x")),
        }));
        prop_assert!(!matches!(beam.status(ada), Status::Stopped(_)));
    }
}
