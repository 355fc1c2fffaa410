//! Devices in a sealed beam, between which an honest server forwards, or another one.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::{Encryption, Input, News};
use heliograph_shared::e2ee::secret::Secret;
use serde_json::{Value, json};

use crate::beam_server::{Beam, item_id, random, raw};

fn signals(beam: &Beam, seat: usize) -> Vec<&str> {
    let told = beam.seats[seat].news.iter().filter_map(|news| match news {
        News::Signal { message, .. } => Some(message.get()),
        _ => None,
    });
    told.collect()
}

#[test]
fn e6_a_device_with_the_link_is_let_in_and_opens_what_was_sealed_before() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.shares(ada, item_id(1), "Oat milk");
    let bob = beam.comes("Bob", &secret);
    assert!(beam.is_in(bob));
    assert_eq!(beam.texts(bob), ["Oat milk"]);
    beam.shares(bob, item_id(2), "two lemons");
    assert_eq!(beam.texts(ada), ["Oat milk", "two lemons"]);
    let shown = beam.shown(ada);
    assert!(shown.iter().all(|item| !item.is_clear));
    assert_eq!((shown[0].from, shown[1].from), (beam.id(ada), beam.id(bob)));
}

#[test]
fn e3_the_server_reads_nothing_of_what_is_shared() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "a very unusual word");
    beam.handle(bob, Input::Signal { to: beam.id(ada), message: raw(&json!("unusual too")) });
    let sent = beam.seats.iter().flat_map(|seat| &seat.sent);
    assert!(sent.clone().count() > 4);
    assert!(!sent.clone().any(|text| text.contains("unusual")));
    assert!(beam.items.iter().all(|item| item.message.get().starts_with("\"e2e1.")));
}

#[test]
fn e6_with_another_secret_nobody_is_let_in_and_the_device_is_told_that_its_link_is_old() {
    let mut beam = Beam::new();
    let (ada, _) = beam.made();
    beam.shares(ada, item_id(1), "Oat milk");
    let eve = beam.comes("Eve", &Secret::new([9; 32]));
    assert_eq!(beam.encryption(eve), &Encryption::Waiting { is_link_old: true });
    beam.passes(Duration::from_mins(1));
    assert!(!beam.is_in(eve));
    assert!(beam.texts(eve).is_empty());
    assert!(beam.seats[eve].news.iter().any(|news| matches!(news, News::Closed)));
}

#[test]
fn e6_a_device_asks_the_next_one_when_one_does_not_answer() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "Oat milk");
    // Ada sleeps, and is still listed.
    beam.is_asleep = Some(ada);
    let cat = beam.comes("Cat", &secret);
    assert!(!beam.is_in(cat));
    beam.passes(Duration::from_secs(3));
    assert!(beam.is_in(cat));
    assert_eq!(beam.texts(cat), ["Oat milk"]);
    assert!(beam.is_in(bob));
}

#[test]
fn e6_what_is_shared_before_a_device_is_let_in_waits_and_is_sealed_then() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.shares(ada, item_id(1), "one");
    beam.is_asleep = Some(ada);
    let bob = beam.comes("Bob", &secret);
    beam.shares(bob, item_id(2), "two");
    beam.shares(bob, item_id(3), "taken back");
    beam.handle(bob, Input::Delete(item_id(3)));
    assert_eq!(beam.items.len(), 1);
    assert!(beam.seats[bob].session.has_unconfirmed());
    beam.is_asleep = None;
    beam.run();
    assert_eq!(beam.texts(ada), ["one", "two"]);
    assert_eq!(beam.texts(bob).len(), 2);
}

#[test]
fn e11_where_nobody_has_a_key_the_first_with_the_link_makes_one_and_lets_the_others_in() {
    let mut beam = Beam::new();
    let secret = Secret::new([5; 32]);
    let ada = beam.comes("Ada", &secret);
    assert!(beam.is_in(ada));
    let bob = beam.comes("Bob", &secret);
    beam.shares(bob, item_id(1), "Oat milk");
    assert_eq!(beam.texts(ada), ["Oat milk"]);
}

#[test]
fn e11_where_something_sealed_is_nobody_makes_another_key() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.shares(ada, item_id(1), "Oat milk");
    beam.leaves(ada);
    beam.is_asleep = Some(ada);
    let bob = beam.comes("Bob", &secret);
    beam.passes(Duration::from_mins(2));
    assert!(!beam.is_in(bob));
}

#[test]
fn e11_a_waiting_device_makes_no_key_from_what_an_earlier_socket_has_told() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.is_asleep = Some(ada);
    let bob = beam.comes("Bob", &secret);
    assert!(!beam.is_in(bob));
    beam.leaves(bob);
    beam.is_asleep = None;
    beam.run();
    beam.shares(ada, item_id(1), "Oat milk");
    beam.leaves(ada);
    beam.handle(bob, Input::Closed(Some(1012)));
    beam.passes(Duration::from_secs(20));
    assert!(!beam.is_in(bob));
}

#[test]
fn e15_who_takes_other_keys_from_a_welcome_says_so_to_those_who_knew_it_under_its_own() {
    let mut beam = Beam::new();
    let keys = Keyring::make(&mut random(1));
    let secret = keys.invite().unwrap().secret().clone();
    // Nothing is there, so the first with the link makes a key.
    let bob = beam.comes("Bob", &secret);
    assert!(beam.is_in(bob));
    let ada = beam.begins("Ada", Some(keys));
    beam.shares(ada, item_id(1), "Oat milk");
    beam.passes(Duration::from_secs(20));
    assert_eq!(beam.texts(bob), ["Oat milk"]);
    let ring = |seat: usize| beam.seats[seat].session.keys().unwrap();
    assert_eq!(ring(ada).current_id(), ring(bob).current_id());
    assert!(ring(ada).key_of(beam.id(bob)).is_some());
}

#[test]
fn e11_a_key_that_nobody_knew_is_asked_for_again_when_another_device_comes() {
    let keys = || Keyring::make(&mut random(1));
    let mut elsewhere = Beam::new();
    let ada = elsewhere.begins("Ada", Some(keys()));
    elsewhere.shares(ada, item_id(1), "Oat milk");
    let mut beam = Beam::new();
    let bob = beam.comes("Bob", keys().invite().unwrap().secret());
    beam.items = elsewhere.items;
    let mut item = serde_json::to_value(&beam.items[0]).unwrap();
    item["type"] = json!("rec_clipboard");
    beam.says(bob, &item);
    beam.passes(Duration::from_secs(20));
    assert_eq!(beam.texts(bob), [""; 0]);

    beam.begins("Ada", Some(keys()));
    beam.passes(Duration::from_secs(20));

    assert_eq!(beam.texts(bob), ["Oat milk"]);
}

#[test]
fn e4_only_a_proven_deletion_of_a_sealed_item_counts() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    let message = serde_json::to_value(&beam.items[0].message).unwrap();
    for extra in [json!(null), json!("e2e1.AA"), json!("because")] {
        let forged =
            json!({"type": "delete_note", "message": message, "extra": extra, "id": item_id(1)});
        beam.says(bob, &forged);
        assert_eq!(beam.texts(bob).len(), 2);
    }
    beam.says(bob, &json!({"type": "delete_note", "message": message}));
    assert_eq!(beam.texts(bob).len(), 2);
    beam.handle(ada, Input::Delete(item_id(1)));
    assert_eq!(beam.texts(bob), ["two"]);
    assert_eq!(beam.texts(ada), ["two"]);
}

#[test]
fn e4_a_proof_counts_once_and_for_one_item() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    beam.handle(ada, Input::Delete(item_id(1)));
    let deletion = beam.seats[ada].sent.iter().rev().find(|text| text.contains("delete_note"));
    let mut deletion: Value = serde_json::from_str(deletion.unwrap()).unwrap();
    // An Undo shares it again, and the server deletes it again with the proof that it has.
    beam.shares(ada, item_id(1), "one");
    beam.says(bob, &deletion);
    assert_eq!(beam.texts(bob), ["two", "one"]);
    deletion["id"] = json!(item_id(2));
    beam.says(bob, &deletion);
    assert_eq!(beam.texts(bob), ["two", "one"]);
}

#[test]
fn e3_an_older_version_or_clear_text_takes_no_sealed_item_away() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "one");
    let old = serde_json::to_value(&beam.items[0]).unwrap();
    beam.shares(ada, item_id(1), "one, changed");
    let put = |item: &Value| {
        let mut item = item.clone();
        item["type"] = json!("rec_clipboard");
        item["seq"] = json!(9_000);
        item
    };
    beam.says(bob, &put(&old));
    assert_eq!(beam.texts(bob), ["one, changed"]);
    let mut clear = old.clone();
    clear["message"] = json!("made up");
    beam.says(bob, &put(&clear));
    assert_eq!(beam.texts(bob), ["one, changed"]);
    // Under another id it is not what it says.
    let mut moved = old;
    moved["id"] = json!(item_id(7));
    beam.says(bob, &put(&moved));
    assert_eq!(beam.texts(bob), ["one, changed"]);
}

#[test]
fn e12_what_comes_in_clear_text_is_marked() {
    let mut beam = Beam::new();
    let (ada, _) = beam.made();
    let plain = beam.begins("Plain", None);
    beam.shares(plain, item_id(1), "hello");
    beam.shares(ada, item_id(2), "sealed");
    assert!(beam.shown(ada)[0].is_clear);
    assert_eq!(beam.texts(plain), ["hello"]);
    assert!(beam.seats[plain].news.iter().any(|news| matches!(news, News::Closed)));
}

#[test]
fn e5_a_signal_comes_once_and_from_whom_it_says() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let (bob, cat) = (beam.comes("Bob", &secret), beam.comes("Cat", &secret));
    let to = beam.id(bob);
    beam.handle(ada, Input::Signal { to, message: raw(&json!({"session": "k3"})) });
    assert_eq!(signals(&beam, bob), [r#"{"session":"k3"}"#]);
    let sent = beam.seats[ada].sent.iter().rev().find(|text| text.contains("\"signal\""));
    let mut again: Value = serde_json::from_str(sent.unwrap()).unwrap();
    for (seat, from) in [(bob, ada), (bob, cat), (cat, ada)] {
        again["extra"] = json!({"from": beam.id(from)});
        beam.says(seat, &again);
    }
    assert_eq!((signals(&beam, bob).len(), signals(&beam, cat).len()), (1, 0));
    let clear = json!({"type": "signal", "message": {"x": 1}, "extra": {"from": beam.id(ada)}});
    beam.says(bob, &clear);
    assert_eq!(signals(&beam, bob).len(), 1);
}

#[test]
fn e4_a_device_says_which_items_were_deleted_and_only_to_those_who_are_in() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "one");
    beam.shares(ada, item_id(2), "two");
    beam.handle(ada, Input::Delete(item_id(1)));
    let question = json!({"ask": "deleted", "round": 4, "ids": [item_id(1), item_id(2)]});
    beam.handle(ada, Input::Signal { to: beam.id(bob), message: raw(&question) });
    let answer: Value = serde_json::from_str(signals(&beam, ada)[0]).unwrap();
    assert_eq!(answer, json!({"have": "deleted", "round": 4, "ids": [item_id(1)]}));
}

#[test]
fn e15_devices_are_shown_by_the_names_that_they_have_said_themselves() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.handle(bob, Input::Rename("Bob's desk\u{202e}".to_owned()));
    // The server does not say it.
    let names = beam.seats[ada].news.iter().rev().find_map(|news| match news {
        News::Devices(devices) => Some(devices.iter().map(|one| one.name.as_str()).collect()),
        _ => None,
    });
    assert_eq!(names, Some(vec!["Ada", "Bob's desk"]));
}

/// An envelope that is under another key by what it says.
fn under_another_key(envelope: &str, key: u16) -> String {
    let mut bytes = URL_SAFE_NO_PAD.decode(&envelope["e2e1.".len()..]).unwrap();
    bytes[1..3].copy_from_slice(&key.to_be_bytes());
    bytes[3..9].fill(0xee);
    format!("e2e1.{}", URL_SAFE_NO_PAD.encode(bytes))
}

#[test]
fn e11_made_up_keys_keep_no_device_from_asking_for_one_that_is_named_later() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "Oat milk");
    let mut item = serde_json::to_value(&beam.items[0]).unwrap();
    item["type"] = "rec_clipboard".into();
    item["id"] = json!(item_id(2));
    let envelope = item["message"].as_str().unwrap().to_owned();
    let mut named = |beam: &mut Beam, key| {
        item["message"] = under_another_key(&envelope, key).into();
        beam.says(bob, &item);
    };
    (0..300).for_each(|key| named(&mut beam, key));
    beam.passes(Duration::from_secs(20));
    beam.seats[bob].sent.clear();
    named(&mut beam, 300);
    assert!(beam.seats[bob].sent.iter().any(|text| text.contains(r#""op":"join""#)));
}

#[test]
fn e2_what_begins_as_an_envelope_and_is_none_makes_no_beam_a_sealed_one() {
    let mut beam = Beam::new();
    let plain = beam.begins("Plain", None);
    beam.shares(plain, item_id(1), "e2e1.is how envelopes begin");
    let bob = beam.comes("Bob", &Secret::new([5; 32]));
    assert!(beam.is_in(bob));
}

#[test]
fn e7_an_item_names_its_stored_copy_behind_the_envelope_and_has_none_that_the_server_names_no_more()
{
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    let url = "/api/uploads/0123456789abcdef0123";
    let file =
        |url: Option<&str>| json!({"file": {"name": "a", "size": 1, "type": "", "url": url}});
    let (id, message) = (item_id(1), raw(&file(Some(url))));
    beam.handle(ada, Input::Share { id, message, extra: "file".to_owned(), to: None });
    let url_of = |beam: &Beam| {
        let shown: Value = serde_json::from_str(beam.shown(bob)[0].message.get()).unwrap();
        shown["file"]["url"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(url_of(&beam).as_deref(), Some(url));
    let sealed: String = serde_json::from_str(beam.items[0].message.get()).unwrap();
    let (envelope, copy) = sealed.split_once('#').unwrap();
    assert_eq!(copy, "0123456789abcdef0123");

    let mut item = beam.items[0].clone();
    for other in [envelope.to_owned(), format!("{envelope}#another0123456789")] {
        item.message = raw(&json!(other));
        item.seq += 1;
        let mut told = serde_json::to_value(&item).unwrap();
        told["type"] = json!("rec_clipboard");
        beam.says(bob, &told);
        assert_eq!(url_of(&beam), None);
    }
}
