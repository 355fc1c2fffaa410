//! Devices that come without the link (E8), between which an honest server forwards, or another one.

use std::time::Duration;

use heliograph_device::keys::comparisons::Comparisons;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::keys::signs::pictures;
use heliograph_device::keys::way_in::WayIn;
use heliograph_device::session::trust::{TrustState, TurnedAway};
use heliograph_device::session::{Encryption, Input};
use heliograph_shared::ids::DeviceId;
use serde_json::{Value, json};

use crate::beam_server::{Beam, beam_id, item_id, random};

const MINUTE: Duration = Duration::from_mins(1);

#[track_caller]
fn stands(beam: &Beam, seat: usize, of: usize, state: TrustState) {
    assert_eq!(beam.trust(seat, of).map(|trust| trust.state), Some(state));
}

#[track_caller]
fn show_the_same(beam: &Beam, one: usize, other: usize) {
    let signs = |seat, of| beam.trust(seat, of).unwrap().signs.unwrap();
    assert_eq!(signs(one, other), signs(other, one));
}

fn sends(beam: &Beam, seat: usize, what: &str) -> usize {
    beam.seats[seat].sent.iter().filter(|text| text.contains(what)).count()
}

#[test]
fn e8_every_client_shows_the_same_picture_for_a_number() {
    let text = include_str!("../../../shared/tests/signs.json");
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    let own = (0..64).map(|place| pictures([place; 4])[3]);
    let own: Vec<_> = own.map(|sign| json!({"picture": sign.picture, "name": sign.name})).collect();
    assert_eq!(own, all);
}

#[test]
fn e8_the_first_that_types_the_id_is_in_at_once_and_both_list_the_other_as_not_verified() {
    let mut beam = Beam::new();
    let (ada, _) = beam.made();
    beam.shares(ada, item_id(1), "Oat milk");
    let bob = beam.types("Bob");
    assert_eq!(beam.texts(bob), ["Oat milk"]);
    stands(&beam, ada, bob, TrustState::Unverified);
    stands(&beam, bob, ada, TrustState::Unverified);
    show_the_same(&beam, ada, bob);
    let unverified = vec![beam.id(bob)];
    assert_eq!(beam.encryption(ada), &Encryption::Sealed { is_deposited: false, unverified });
}

#[test]
fn e8_two_that_were_compared_on_both_ends_are_verified_and_nobody_is_told_otherwise() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.types("Bob");
    beam.confirms(ada, bob);
    stands(&beam, ada, bob, TrustState::Verified);
    stands(&beam, bob, ada, TrustState::Unverified);
    beam.confirms(bob, ada);
    stands(&beam, bob, ada, TrustState::Verified);
    let eve = beam.comes("Eve", &secret);
    for seat in [ada, bob, eve] {
        let verified = Encryption::Sealed { is_deposited: false, unverified: vec![] };
        assert_eq!(beam.encryption(seat), &verified);
    }
}

#[test]
fn e8_who_comes_by_the_link_later_is_told_of_a_device_that_nobody_has_compared() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.types("Bob");
    let cat = beam.comes("Cat", &secret);
    let known = beam.trust(cat, bob).unwrap();
    assert_eq!((known.signs, known.state, known.is_in), (None, TrustState::Unverified, true));
    assert_eq!(beam.trust(cat, ada), None);
}

#[test]
fn e8_a_later_one_waits_until_a_person_lets_it_in() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "Oat milk");
    let cat = beam.types("Cat");
    assert!(!beam.is_in(cat));
    for seat in [ada, bob] {
        stands(&beam, seat, cat, TrustState::Asking);
        show_the_same(&beam, seat, cat);
    }
    // What its own person has seen before counts.
    beam.confirms(cat, bob);
    beam.confirms(bob, cat);
    assert_eq!(beam.texts(cat), ["Oat milk"]);
    stands(&beam, cat, bob, TrustState::Verified);
    stands(&beam, bob, cat, TrustState::Verified);
    // The others need not be compared any more.
    assert_eq!((beam.trust(cat, ada), beam.trust(ada, cat)), (None, None));
}

#[test]
fn e8_a_confirmation_of_other_pictures_than_are_shown_lets_nobody_in() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    let cat = beam.types("Cat");
    let [first, rest @ ..] = beam.trust(ada, cat).unwrap().signs.unwrap();
    let signs = [(first + 1) % 64, rest[0], rest[1], rest[2]];
    beam.handle(ada, Input::Confirm { device: beam.id(cat), signs });
    assert!(!beam.is_in(cat));
    stands(&beam, ada, cat, TrustState::Asking);
}

#[test]
fn e8_one_that_a_person_refuses_is_told_so_and_comes_in_by_another_device() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    let cat = beam.types("Cat");
    beam.handle(ada, Input::Refuse(beam.id(cat)));
    stands(&beam, ada, cat, TrustState::Refused);
    let away = beam.seats[cat].session.trust().unwrap().turned_away_by(beam.id(ada));
    assert_eq!(away, Some(TurnedAway::Person));
    beam.passes(MINUTE * 20);
    stands(&beam, ada, cat, TrustState::Refused);
    beam.confirms(bob, cat);
    assert!(beam.is_in(cat));
}

#[test]
fn e8_where_the_person_or_the_operator_wants_it_nobody_comes_in_unasked() {
    for is_operator in [false, true] {
        let mut beam = Beam::new();
        beam.wants_all_compared = is_operator;
        let (ada, _) = beam.made();
        beam.handle(ada, Input::AskBefore(!is_operator));
        let bob = beam.types("Bob");
        assert!(!beam.is_in(bob));
        stands(&beam, ada, bob, TrustState::Asking);
        beam.confirms(ada, bob);
        assert!(beam.is_in(bob));
    }
}

#[test]
fn e8_after_three_tries_a_joiner_waits_ten_minutes() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    for _ in 0..3 {
        let cat = beam.types("Cat");
        stands(&beam, ada, cat, TrustState::Asking);
        beam.leaves(cat);
        beam.run();
        assert_eq!(beam.trust(ada, cat), None);
    }
    let cat = beam.types("Cat");
    assert_eq!(beam.trust(ada, cat), None);
    let away = beam.seats[cat].session.trust().unwrap().turned_away_by(beam.id(ada));
    assert_eq!(away, Some(TurnedAway::Locked));
    beam.passes(MINUTE * 11);
    stands(&beam, ada, cat, TrustState::Asking);
}

#[test]
fn e8_over_a_new_socket_both_show_what_they_have_shown_before() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    let cat = beam.types("Cat");
    let before = beam.trust(ada, cat).unwrap().signs;
    for _ in 0..5 {
        beam.cuts(cat, None);
        beam.passes(MINUTE);
    }
    assert_eq!(beam.trust(ada, cat).unwrap().signs, before);
    show_the_same(&beam, ada, cat);
}

#[test]
fn e8_one_that_gets_the_link_meanwhile_needs_no_comparison() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    let cat = beam.types("Cat");
    stands(&beam, ada, cat, TrustState::Asking);
    beam.leaves(cat);
    beam.run();
    let cat = beam.comes("Cat", &secret);
    assert!(beam.is_in(cat));
    assert_eq!(beam.trust(ada, cat), None);
}

#[test]
fn e11_without_a_link_a_device_makes_no_key_and_shares_nothing_in_clear_text() {
    let mut beam = Beam::new();
    let bob = beam.types("Bob");
    beam.shares(bob, item_id(1), "waits");
    beam.passes(MINUTE);
    assert!(!beam.is_in(bob) && beam.items.is_empty());
    let secret = heliograph_shared::e2ee::secret::Secret::new([5; 32]);
    let ada = beam.comes("Ada", &secret);
    assert_eq!(beam.texts(ada), ["waits"]);
    assert!(!beam.items[0].message.get().contains("waits"));
}

#[test]
fn e11_without_a_link_a_device_is_told_that_others_share_in_clear_text() {
    let mut beam = Beam::new();
    let plain = beam.begins("Plain", None);
    beam.shares(plain, item_id(1), "for everybody to read");
    let bob = beam.types("Bob");
    assert_eq!(beam.encryption(bob), &Encryption::Unsealed);
    beam.shares(bob, item_id(2), "for nobody to read");
    assert_eq!(beam.items.len(), 1);
}

#[test]
fn e11_two_without_a_link_do_not_ask_each_other_without_an_end_and_both_come_in_by_a_third() {
    let mut beam = Beam::new();
    let (bob, cat) = (beam.types("Bob"), beam.types("Cat"));
    beam.passes(MINUTE * 25);
    assert!(sends(&beam, bob, "commit") < 5);
    let (ada, _) = beam.made();
    beam.confirms(ada, bob);
    beam.confirms(ada, cat);
    assert!(beam.is_in(bob) && beam.is_in(cat));
}

#[test]
fn e8_one_that_always_answers_that_the_proof_is_wrong_is_asked_three_times() {
    let mut beam = Beam::new();
    beam.between = Some(Box::new(|_, _, message| match message["op"].as_str() {
        Some("reveal") => json!({"op": "commit", "commitment": ""}),
        _ => message,
    }));
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    let cat = beam.types("Cat");
    let refused = json!({"op": "refused", "why": "proof"});
    for _ in 0..20 {
        let from = json!({"from": beam.id(ada)});
        beam.says(cat, &json!({"type": "e2e", "message": refused, "extra": from}));
    }
    assert!(sends(&beam, cat, "commit") <= 5);
}

/// Stands between a joiner and the devices of the beam, with keys of its own to each end.
fn eve(member: DeviceId, joiner: DeviceId) -> crate::beam_server::Between {
    let (mut random, mut ring) = (random(66), Keyring::without_link(&mut random(67)));
    let mut comparisons = Comparisons::new(beam_id());
    let mut to_joiner = None;
    let mut to_member = None;
    Box::new(move |from, to, message| {
        if ![member, joiner].contains(&from) || ![member, joiner].contains(&to) {
            return message;
        }
        let swapped = match WayIn::read(&message.to_string()) {
            Some(WayIn::Commit { commitment }) => {
                let accepted = comparisons.accept(joiner, &commitment, true, &mut random);
                to_joiner = accepted.map(|accepted| accepted.share);
                WayIn::Commit { commitment: comparisons.commit(member, &mut random) }
            }
            Some(WayIn::Accept(share)) => {
                to_member = comparisons.reveal(member, &share).map(|(share, _)| share);
                WayIn::Accept(to_joiner.clone().unwrap())
            }
            Some(WayIn::Reveal(share)) => {
                comparisons.revealed(joiner, &share).unwrap();
                WayIn::Reveal(to_member.clone().unwrap())
            }
            Some(WayIn::Welcome(welcome)) => {
                let (ends, here) = ((member, joiner), [member, joiner]);
                let now = Duration::ZERO;
                comparisons.welcomed(&mut ring, ends, &welcome, &here, now, &mut random).unwrap();
                return message;
            }
            _ => return message,
        };
        serde_json::to_value(swapped).unwrap()
    })
}

#[test]
fn e8_a_server_that_swaps_the_keys_makes_the_two_show_different_pictures() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    beam.comes("Bob", &secret);
    let cat = beam.seats.len();
    let id = DeviceId::from_token(&heliograph_shared::ids::DeviceToken::from_random(
        [u8::try_from(cat).unwrap() + 1; 32],
    ));
    beam.between = Some(eve(beam.id(ada), id));
    assert_eq!(beam.types("Cat"), cat);
    assert_eq!(beam.id(cat), id);
    stands(&beam, ada, cat, TrustState::Asking);
    stands(&beam, cat, ada, TrustState::Unverified);
    let signs = |seat, of| beam.trust(seat, of).unwrap().signs.unwrap();
    assert_ne!(signs(ada, cat), signs(cat, ada));
    // Nobody has seen the same, so nobody is let in, and the server has no keys.
    beam.passes(MINUTE * 30);
    assert!(!beam.is_in(cat));
    assert_eq!(sends(&beam, ada, "welcome"), 1);
}

#[test]
fn e8_a_server_that_was_let_in_between_two_in_the_first_place_is_seen_by_both() {
    let mut beam = Beam::new();
    let (ada, _) = beam.made();
    let id = DeviceId::from_token(&heliograph_shared::ids::DeviceToken::from_random([2; 32]));
    beam.between = Some(eve(beam.id(ada), id));
    let bob = beam.types("Bob");
    let signs = |seat, of| beam.trust(seat, of).unwrap().signs.unwrap();
    assert_ne!(signs(ada, bob), signs(bob, ada));
    stands(&beam, ada, bob, TrustState::Unverified);
    // The welcome that was made for the server does not open with what Bob has.
    assert!(!beam.is_in(bob));
}
