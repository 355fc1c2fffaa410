//! The keys of a beam on several devices, without a session between them.

use std::time::Duration;

use heliograph_device::keys::handing_over::HandingOver;
use heliograph_device::keys::keyring::{Keyring, Reading};
use heliograph_device::keys::link_joining::LinkJoining;
use heliograph_device::keys::shared_keys::SharedKeys;
use heliograph_device::keys::way_in::{Refusal, WayIn};
use heliograph_shared::e2ee::envelope::Kind;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{DeviceId, DeviceToken};
use serde_json::{Value, json};

use crate::beam_server::random;

const NOW: Duration = Duration::ZERO;

fn device(number: u8) -> DeviceId {
    DeviceId::from_token(&DeviceToken::from_random([number; 32]))
}

/// Lets a device in by the link of another one.
fn let_in(member: &mut Keyring, me: DeviceId, seed: u64) -> Keyring {
    let mut random = random(seed);
    let mut joiner = Keyring::with_link(member.invite().unwrap().secret().clone(), &mut random);
    let mut joining = LinkJoining::default();
    let request = joining.ask(&joiner, &mut random).unwrap();
    let welcome = LinkJoining::answer(member, me, &request, &mut random).unwrap();
    assert!(joining.welcomed(&mut joiner, &welcome, me, &[me], NOW, &mut random));
    joiner
}

/// Two devices tell each other of themselves.
fn meet(one: (&mut Keyring, DeviceId), other: (&mut Keyring, DeviceId)) {
    tells((&mut *one.0, one.1), (&mut *other.0, other.1));
    tells(other, one);
}

fn tells((teller, from): (&mut Keyring, DeviceId), (hearer, to): (&mut Keyring, DeviceId)) {
    let said = HandingOver::introduce(teller, from, to, "x", true).unwrap();
    HandingOver::default().introduced(hearer, from, to, &said, NOW, &mut random(77));
    assert!(hearer.key_of(from).is_some());
}

fn opens(ring: &Keyring, envelope: &str) -> bool {
    matches!(ring.open(Kind::ShareClipboard, envelope, NOW), Reading::Open(_))
}

#[test]
fn e6_a_wrong_proof_is_refused_before_anything_is_sealed() {
    let (mut member, mut random) = (Keyring::make(&mut random(1)), random(2));
    let joiner = Keyring::with_link(member.invite().unwrap().secret().clone(), &mut random);
    let mut joining = LinkJoining::default();
    let right = joining.ask(&joiner, &mut random).unwrap();
    let mut other = LinkJoining::default();
    let mut wrong = other.ask(&joiner, &mut random).unwrap();
    wrong.proof = right.proof.clone();
    let answer = LinkJoining::answer(&mut member, device(1), &wrong, &mut random);
    assert_eq!(answer.unwrap_err(), Refusal::Proof);
    let mut keyless = Keyring::with_link(Secret::new([1; 32]), &mut random);
    let answer = LinkJoining::answer(&mut keyless, device(1), &right, &mut random);
    assert_eq!(answer.unwrap_err(), Refusal::Keyless);
}

#[test]
fn e6_the_request_of_the_example_in_the_protocol_is_let_in() {
    let protocol = include_str!("../../../shared/PROTOCOL.md");
    let line = protocol.lines().find(|line| line.starts_with("→ {\"type\":\"e2e\"")).unwrap();
    let message: Value = serde_json::from_str(line.strip_prefix("→ ").unwrap()).unwrap();
    let Some(WayIn::Join(request)) = WayIn::read(&message["message"].to_string()) else {
        panic!("no request");
    };
    let vectors: Value =
        serde_json::from_str(include_str!("../../../shared/tests/vectors.json")).unwrap();
    let fragment = format!("#k={}", vectors["invite"]["secret"].as_str().unwrap());
    let invite = Invite::from_fragment(&fragment).unwrap();
    let mut random = random(1);
    let mut ring = Keyring::with_link(invite.secret().clone(), &mut random);
    ring.make_key(NOW, &mut random);
    assert!(LinkJoining::answer(&mut ring, device(1), &request, &mut random).is_ok());
}

#[test]
fn e15_new_keys_go_to_those_who_are_in_and_not_to_the_one_that_was_removed() {
    let (ada, bob, eve) = (device(1), device(2), device(3));
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, bob, 20);
    let mut of_eve = let_in(&mut of_ada, eve, 30);
    meet((&mut of_ada, ada), (&mut of_bob, bob));
    meet((&mut of_ada, ada), (&mut of_eve, eve));
    let before = of_ada.seal(Kind::ShareClipboard, b"before").unwrap();
    let old_invite = of_ada.invite().unwrap().id();
    of_ada.rekey(&[eve], NOW, &mut random);
    assert!(HandingOver::hand_to(&of_ada, eve, ada, &mut random).is_none());
    let handed = HandingOver::hand_to(&of_ada, bob, ada, &mut random).unwrap();
    let here = [ada, bob];
    // Nobody is told that one of those who are here was removed, nor by another device than says it.
    for (from, here) in [(ada, vec![ada, bob, eve]), (eve, here.to_vec())] {
        let is_taken =
            HandingOver::handed(&mut of_bob, from, bob, &handed, &here, NOW, &mut random);
        assert!(!is_taken);
    }
    assert!(HandingOver::handed(&mut of_bob, ada, bob, &handed, &here, NOW, &mut random));
    let after = of_ada.seal(Kind::ShareClipboard, b"after").unwrap();
    assert!(opens(&of_bob, &after) && opens(&of_bob, &before));
    assert!(!opens(&of_eve, &after) && opens(&of_eve, &before));
    assert!(of_bob.is_removed(eve));
    assert_eq!(of_bob.invite().unwrap().id(), of_ada.invite().unwrap().id());
    assert!(of_bob.invite_named(old_invite).is_none() && of_bob.is_past(old_invite));
}

#[test]
fn e15_a_device_that_was_away_is_handed_the_keys_when_it_introduces_itself() {
    let (ada, bob) = (device(1), device(2));
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, bob, 20);
    meet((&mut of_ada, ada), (&mut of_bob, bob));
    of_ada.rekey(&[device(3)], NOW, &mut random);
    let said = HandingOver::introduce(&mut of_bob, bob, ada, "Bob", true).unwrap();
    let introduced =
        HandingOver::default().introduced(&mut of_ada, bob, ada, &said, NOW, &mut random);
    assert!(introduced.name.is_none());
    let keys = introduced.keys.unwrap();
    assert!(HandingOver::handed(&mut of_bob, ada, bob, &keys, &[ada, bob], NOW, &mut random));
    assert_eq!(of_bob.current_id(), of_ada.current_id());
}

#[test]
fn e15_of_a_device_the_first_key_counts() {
    let (ada, bob) = (device(1), device(2));
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, bob, 20);
    meet((&mut of_ada, ada), (&mut of_bob, bob));
    let first = *of_ada.key_of(bob).unwrap();
    let mut of_eve = let_in(&mut of_ada, device(3), 30);
    let said = HandingOver::introduce(&mut of_eve, bob, ada, "Bob", true).unwrap();
    HandingOver::default().introduced(&mut of_ada, bob, ada, &said, NOW, &mut random);
    assert_eq!(*of_ada.key_of(bob).unwrap(), first);
}

#[test]
fn e15_two_that_changed_the_keys_at_once_come_to_the_same() {
    let (ada, bob) = (device(1), device(2));
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, bob, 20);
    meet((&mut of_ada, ada), (&mut of_bob, bob));
    of_ada.rekey(&[device(3)], NOW, &mut random);
    of_bob.rekey(&[device(3)], NOW, &mut random);
    let (by_ada, by_bob) = (of_ada.current_id(), of_bob.current_id());
    let to_bob = HandingOver::hand_to(&of_ada, bob, ada, &mut random).unwrap();
    let to_ada = HandingOver::hand_to(&of_bob, ada, bob, &mut random).unwrap();
    let here = [ada, bob];
    assert!(HandingOver::handed(&mut of_bob, ada, bob, &to_bob, &here, NOW, &mut random));
    assert!(HandingOver::handed(&mut of_ada, bob, ada, &to_ada, &here, NOW, &mut random));
    assert_eq!(of_ada.current_id(), of_bob.current_id());
    assert!([by_ada, by_bob].contains(&of_ada.current_id()));
    let sealed = of_ada.seal(Kind::ShareClipboard, b"x").unwrap();
    assert!(opens(&of_bob, &sealed));
}

#[test]
fn e5_signals_under_a_key_of_before_count_for_a_minute() {
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, device(2), 20);
    let signal = of_bob.seal(Kind::Signal, b"x").unwrap();
    let item = of_bob.seal(Kind::ShareClipboard, b"x").unwrap();
    of_ada.rekey(&[], Duration::from_secs(100), &mut random);
    let at = |seconds| of_ada.open(Kind::Signal, &signal, Duration::from_secs(seconds));
    assert!(matches!(at(159), Reading::Open(_)));
    assert!(matches!(at(160), Reading::Past));
    assert!(opens(&of_ada, &item));
}

#[test]
fn e10_who_has_the_link_opens_what_is_kept_and_nobody_else() {
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let item = of_ada.seal(Kind::ShareClipboard, b"x").unwrap();
    let kept = of_ada.seal_kept(&mut random).unwrap();
    assert!(kept.starts_with("e2k1."));
    let me = device(2);
    let mut of_bob = Keyring::with_link(of_ada.invite().unwrap().secret().clone(), &mut random);
    assert!(of_bob.open_kept(&kept, &[me], NOW, &mut random));
    assert!(opens(&of_bob, &item));
    let mut of_eve = Keyring::with_link(Secret::new([3; 32]), &mut random);
    assert!(!of_eve.open_kept(&kept, &[me], NOW, &mut random));
    assert!(!of_eve.is_keyed());
}

#[test]
fn e12_a_device_that_is_in_takes_of_a_welcome_the_keys_alone() {
    let mut random = random(9);
    let mut of_ada = Keyring::make(&mut random);
    let mut of_bob = let_in(&mut of_ada, device(2), 20);
    let mut told = of_bob.shared().unwrap();
    of_ada.rekey(&[], NOW, &mut random);
    let newer = of_ada.shared().unwrap();
    assert!(of_bob.welcomed(&newer, &[], NOW, &mut random));
    assert_eq!(of_bob.current_id(), Some(told.current));
    let sealed = of_ada.seal(Kind::ShareClipboard, b"x").unwrap();
    assert!(opens(&of_bob, &sealed));
    // From so many changes more nothing newer could come.
    told.changes.keys = 5_000_000;
    assert!(!of_bob.welcomed(&told, &[], NOW, &mut random));
}

#[test]
fn e6_what_the_devices_have_in_common_is_written_as_browsers_read_it() {
    let mut random = random(9);
    let mut ring = Keyring::make(&mut random);
    ring.rekey(&[device(3)], NOW, &mut random);
    let shared = ring.shared().unwrap();
    let text = shared.write();
    let value: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(value["changes"], json!([2, 2]));
    assert_eq!(value["removed"], json!([device(3)]));
    assert_eq!((&value["hasLetIn"], &value["isDeposited"]), (&json!(false), &json!(false)));
    assert_eq!(value["keys"].as_array().unwrap().len(), 2);
    assert_eq!(value["current"].as_str().unwrap().len(), 11);
    let again = SharedKeys::read(&text).unwrap();
    assert_eq!(*again.write(), *text);
}

#[test]
fn e6_what_is_not_of_the_form_of_a_welcome_is_refused() {
    let ring = Keyring::make(&mut random(9));
    let text = ring.shared().unwrap().write();
    let right: Value = serde_json::from_slice(&text).unwrap();
    let changed = |field: &str, to: Value| {
        let mut value = right.clone();
        value[field] = to;
        SharedKeys::read(value.to_string().as_bytes())
    };
    assert!(changed("later", json!([1])).is_some());
    assert!(changed("devices", json!({"x": "y"})).is_some_and(|one| one.devices.is_empty()));
    for (field, to) in [
        ("keys", json!([])),
        ("keys", json!(["AA"])),
        ("current", json!("AAAAAAAAAAA")),
        ("invite", json!("")),
        ("changes", json!([1])),
        ("changes", json!([1, -1])),
        ("changes", json!([1, 1.5])),
        ("hasLetIn", json!(null)),
    ] {
        assert!(changed(field, to.clone()).is_none(), "{field} {to}");
    }
    assert!(SharedKeys::read(b"[]").is_none() && SharedKeys::read(b"").is_none());
}

#[test]
fn e15_a_later_run_has_the_same_keys_and_is_the_same_device() {
    let mut ada = Keyring::make(&mut random(1));
    let mut bob = let_in(&mut ada, device(1), 2);
    meet((&mut ada, device(1)), (&mut bob, device(2)));
    let sealed = ada.seal(Kind::ShareClipboard, b"before").unwrap();
    let mut later = Keyring::kept(&bob.keep().unwrap(), &mut random(3)).unwrap();
    assert!(opens(&later, &sealed));
    assert_eq!(later.own().public(), bob.own().public());
    assert_eq!(later.key_of(device(1)), bob.key_of(device(1)));
    assert_eq!(later.invite().unwrap().id(), ada.invite().unwrap().id());
    let answer = later.seal(Kind::ShareClipboard, b"after").unwrap();
    assert!(opens(&ada, &answer));
}

#[test]
fn e15_what_was_not_let_in_or_was_cut_is_not_kept() {
    let outside = Keyring::with_link(Secret::new([1; 32]), &mut random(1));
    assert!(outside.keep().is_none());
    let kept = Keyring::make(&mut random(1)).keep().unwrap();
    for end in 0..kept.len() {
        assert!(Keyring::kept(&kept[..end], &mut random(2)).is_none());
    }
}
