//! What a person has compared in an earlier run (E8) counts in the next one as long as the other device has its key.

use heliograph_device::keys::handing_over::HandingOver;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::trust::TrustState;
use heliograph_device::session::{Input, News};
use heliograph_shared::ids::{DeviceId, DeviceToken};

use crate::beam_server::{Beam, random};

fn stands(beam: &Beam, seat: usize, of: usize) -> Option<TrustState> {
    beam.trust(seat, of).map(|trust| trust.state)
}

/// A beam in which two devices were compared, and what the second one remembers of it.
fn compared()
-> (Beam, usize, Vec<(DeviceId, [u8; 65])>, heliograph_shared::e2ee::secret::Secret<32>) {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.types("Bob");
    beam.confirms(ada, bob);
    beam.confirms(bob, ada);
    let remembered = beam.seats[bob].session.compared();
    assert_eq!(remembered.iter().map(|(device, _)| *device).collect::<Vec<_>>(), [beam.id(ada)]);
    beam.leaves(bob);
    (beam, ada, remembered, secret)
}

#[test]
fn e8_a_device_that_was_compared_in_an_earlier_run_is_verified_again() {
    let (mut beam, ada, remembered, secret) = compared();
    let bob = beam.comes("Bob", &secret);
    assert_eq!(stands(&beam, bob, ada), None);
    beam.handle(bob, Input::ComparedBefore(remembered.clone()));
    assert_eq!(stands(&beam, bob, ada), Some(TrustState::Verified));
    // It stays so, and a later run is told of it.
    beam.leaves(ada);
    beam.cuts(bob, None);
    beam.passes(std::time::Duration::from_mins(1));
    assert_eq!(stands(&beam, bob, ada), Some(TrustState::Verified));
    assert_eq!(beam.seats[bob].session.compared(), remembered);
}

#[test]
fn e8_of_a_device_that_has_another_key_than_when_it_was_compared_that_is_said() {
    let (mut beam, ada, mut remembered, secret) = compared();
    remembered[0].1[7] ^= 1;
    let bob = beam.comes("Bob", &secret);
    beam.handle(bob, Input::ComparedBefore(remembered));
    let id = beam.id(ada);
    let is_said = |news: &News| matches!(news, News::OtherKey(device) if *device == id);
    assert_eq!(beam.seats[bob].news.iter().filter(|news| is_said(news)).count(), 1);
    assert_eq!(stands(&beam, bob, ada), Some(TrustState::Unverified));
    assert!(beam.seats[bob].session.compared().is_empty());
}

#[test]
fn e8_what_was_compared_before_counts_nothing_where_the_device_that_let_this_one_in_is_not_compared()
 {
    let (mut beam, ada, remembered, secret) = compared();
    let carol = beam.comes("Carol", &secret);
    // Nobody has compared her: what is remembered of her says that somebody had.
    let both = |beam: &Beam, bob: usize| {
        let key = *beam.seats[bob].session.keys().unwrap().key_of(beam.id(carol)).unwrap();
        [remembered.clone(), vec![(beam.id(carol), key)]].concat()
    };
    let bob = beam.types("Bob");
    beam.confirms(ada, bob);
    assert!(beam.is_in(bob));
    let told = both(&beam, bob);
    beam.handle(bob, Input::ComparedBefore(told));
    // The one that let it in could have made the other one up.
    assert_eq!(stands(&beam, bob, ada), Some(TrustState::Unverified));
    assert_ne!(stands(&beam, bob, carol), Some(TrustState::Verified));
    beam.confirms(bob, ada);
    for device in [ada, carol] {
        assert_eq!(stands(&beam, bob, device), Some(TrustState::Verified));
    }
}

#[test]
fn e15_of_a_device_the_first_key_counts_and_another_one_is_noticed() {
    let now = std::time::Duration::ZERO;
    let [ada, bob] =
        [1, 2].map(|number| DeviceId::from_token(&DeviceToken::from_random([number; 32])));
    let mut ring = Keyring::make(&mut random(1));
    let entry = ring.for_vault("tag".to_owned()).unwrap();
    let mut handing = HandingOver::default();
    let mut says = |seed| {
        let mut other = Keyring::of_own(&entry, None, &mut random(seed)).unwrap();
        let said = HandingOver::introduce(&mut other, bob, ada, "Bob", false).unwrap();
        let heard = handing.introduced(&mut ring, bob, ada, &said, now, &mut random(9));
        heard.other_key.map(|key| key == *other.own().public())
    };
    assert_eq!((says(2), says(2), says(3)), (None, None, Some(true)));
}
