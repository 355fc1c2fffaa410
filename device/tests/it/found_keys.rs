//! What a device that is in takes of the keys that lie with its saved beam, where others have changed them (S38).

use std::time::Duration;

use heliograph_device::keys::found_keys::FoundKeys;
use heliograph_device::keys::keyring::{Keyring, Taken};
use heliograph_device::keys::saved_keys::{OwnEntry, SavedShared};
use heliograph_device::session::Input;
use heliograph_shared::api::vaults::SealedKeys;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::vault::Vault;
use heliograph_shared::opaque::Opaque;

use crate::beam_server::{Beam, item_id, random};

fn own(entry: &OwnEntry, is_named: bool, is_behind: bool) -> FoundKeys {
    FoundKeys::Own { entry: entry.clone(), is_named, is_behind }
}

/// The same keys on another device, before this one changes them.
fn copy_of(ring: &Keyring) -> Keyring {
    Keyring::of_own(&entry(ring), None, &mut random(8)).unwrap()
}

fn entry(ring: &Keyring) -> OwnEntry {
    ring.for_vault("tag".to_owned()).unwrap()
}

/// The keys as another account has sealed them.
fn handed(ring: &Keyring) -> FoundKeys {
    let (from, to) = (Vault::new(Secret::new([1; 32])), Vault::new(Secret::new([2; 32])));
    let shared = ring.shared().unwrap().write();
    let keys = from.seal(to.public(), &shared, &Secret::new([9; 32])).unwrap();
    let keys = SealedKeys {
        from: Opaque::new(keys.from.to_vec()),
        encapsulated: Opaque::new(keys.encapsulated.to_vec()),
        sealed: Opaque::new(keys.sealed),
    };
    FoundKeys::Handed(SavedShared::open(&to, &keys).unwrap())
}

#[test]
fn e18_of_the_own_vault_a_device_that_is_in_takes_all_where_it_knows_that_this_is_of_the_beam() {
    let ring = Keyring::make(&mut random(1));
    let mut renewed = copy_of(&ring);
    renewed.rekey(&[], Duration::ZERO, &mut random(2));
    let (same, newer) = (entry(&ring), entry(&renewed));
    assert_eq!(ring.takes_of(&own(&newer, true, false)), Some(Taken::All));
    // Before it knows the tag, the key that seals here says it.
    assert_eq!(ring.takes_of(&own(&same, false, false)), Some(Taken::All));
    assert_eq!(ring.takes_of(&own(&newer, false, false)), Some(Taken::All));
    let mut other = entry(&renewed);
    other.shared.keys.retain(|key| key.id() == other.shared.current);
    assert_eq!(ring.takes_of(&own(&other, false, false)), None);
    assert_eq!(renewed.takes_of(&own(&same, false, false)), Some(Taken::Keys));
    // What lay there before gives nothing to seal with.
    assert_eq!(ring.takes_of(&own(&newer, true, true)), Some(Taken::Keys));
    let waiting = Keyring::without_link(&mut random(3));
    assert_eq!(waiting.takes_of(&own(&newer, true, false)), None);
}

#[test]
fn e9_of_others_a_device_that_is_in_takes_keys_to_open_with_and_never_one_to_seal_with() {
    // Its key was never changed: where changes are counted, what has no count is never the newer one, and nothing would be seen.
    let mut before = Keyring::with_link(Secret::new([7; 32]), &mut random(1));
    before.make_key(Duration::ZERO, &mut random(1));
    // What others seal does not say how often the keys were changed, so which of two states is the newer one would be seen by their keys
    // alone: it takes several to have one among them that would be it.
    for seed in 2..10 {
        let mut renewed = copy_of(&before);
        renewed.rekey(&[], Duration::ZERO, &mut random(seed));
        let current = renewed.current_id().unwrap();
        for found in [handed(&renewed), FoundKeys::Deposit(renewed.for_deposit().unwrap())] {
            let mut beam = Beam::new();
            let ada = beam.begins("Ada", Some(copy_of(&before)));
            beam.handle(ada, Input::Found(Box::new(found)));
            let keys = beam.seats[ada].session.keys().unwrap();
            assert!(keys.knows(current));
            assert_eq!(keys.current_id(), before.current_id(), "{seed}");
        }
    }
}

#[test]
fn s38_newer_keys_of_the_own_vault_open_what_was_closed_and_are_handed_to_those_who_are_in() {
    let mut beam = Beam::new();
    let first = Keyring::make(&mut random(1));
    let mut renewed = copy_of(&first);
    renewed.rekey(&[], Duration::ZERO, &mut random(2));
    let found = own(&entry(&renewed), true, false);
    let secret = first.invite().unwrap().secret().clone();
    let ada = beam.begins("Ada", Some(first));
    let bob = beam.comes("Bob", &secret);
    // A device of the account that was never here: it knows nobody, and nobody knows it.
    let page = beam.begins("A page", Some(renewed));
    beam.shares(page, item_id(1), "oat milk");
    beam.leaves(page);
    assert!(beam.texts(ada).is_empty() && beam.texts(bob).is_empty());
    beam.handle(ada, Input::Found(Box::new(found)));
    assert_eq!(beam.texts(ada), ["oat milk"]);
    assert_eq!(beam.texts(bob), ["oat milk"]);
    let ids = [ada, bob].map(|seat| beam.seats[seat].session.keys().unwrap().current_id());
    assert_eq!(ids[0], ids[1]);
}
