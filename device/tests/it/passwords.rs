//! What becomes of a password, and which vault it opens.

use heliograph_device::keys::password::{OwnVault, Proof, Unsent};
use heliograph_shared::api::vaults::{self, LoginWay, Stretch};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::vault::{Opens, Vault};
use heliograph_shared::opaque::Opaque;
use serde_json::json;

fn way(memory_kib: u32, passes: u32, salt: usize) -> LoginWay {
    let salt = Opaque::new(vec![4; salt]);
    LoginWay { stretch: Some(Stretch { salt, memory_kib, passes }) }
}

#[test]
fn e16_nothing_is_sent_of_a_password_that_would_be_stretched_too_little_or_too_much() {
    for way in [way(1024, 3, 16), way(65_536, 2, 16), way(1 << 21, 3, 16), way(65_536, 3, 15)] {
        for is_from_operator in [false, true] {
            let proof = Proof::of("correct horse", &way, false, is_from_operator);
            assert_eq!(proof.err(), Some(Unsent::Stretch));
        }
    }
}

#[test]
fn e16_a_password_is_not_sent_as_typed_where_this_device_knows_of_a_vault() {
    let typed = LoginWay { stretch: None };
    let refused = Proof::of("correct horse", &typed, true, false);
    assert_eq!(refused.err(), Some(Unsent::WantsPassword));
    for (knows, is_from_operator) in [(false, false), (true, true)] {
        let proof = Proof::of("correct horse", &typed, knows, is_from_operator).ok().unwrap();
        assert_eq!(proof.sent("correct horse").as_str(), "correct horse");
        assert!(proof.opener().is_none());
    }
}

#[test]
fn e17_the_part_that_is_not_sent_opens_the_vault_and_no_other_one_that_a_server_shows() {
    let proof = Proof::of("correct horse", &way(65_536, 3, 16), false, false).ok().unwrap();
    let sent = proof.sent("correct horse");
    assert_eq!(sent.len(), 43);
    let [mine, other] = [1, 2].map(|number| Vault::new(Secret::new([number; 32])));
    let shown = |wrapped: &Vault, key: &Secret<32>, opens, public: &Vault| {
        let text = wrapped.wrapped(key, opens, [7; 12]);
        let sealed: Opaque = serde_json::from_value(json!(text)).unwrap();
        vaults::Vault {
            version: 1,
            stretch: way(65_536, 3, 16).stretch.unwrap(),
            by_password: Some(sealed.clone()),
            by_words: sealed,
            public_key: Opaque::new(public.public().to_vec()),
        }
    };
    let key = proof.opener().unwrap();
    let right = shown(&mine, key, Opens::Password, &mine);
    let OwnVault::Open(opened) = OwnVault::open(Some(&right), &proof, false) else {
        panic!("it does not open");
    };
    assert_eq!(opened.public(), mine.public());
    let replaced = vaults::Vault { by_password: None, ..right.clone() };
    for wrong in [
        shown(&mine, key, Opens::Password, &other),
        shown(&mine, key, Opens::Words, &mine),
        shown(&mine, &Secret::new([3; 32]), Opens::Password, &mine),
        replaced,
    ] {
        assert!(matches!(OwnVault::open(Some(&wrong), &proof, false), OwnVault::Locked));
    }
    assert!(matches!(OwnVault::open(Some(&right), &Proof::AsTyped, false), OwnVault::Locked));
    // One that denies it is believed only where this device knows of none, or the password was not that of a vault.
    assert!(matches!(OwnVault::open(None, &proof, true), OwnVault::Locked));
    assert!(matches!(OwnVault::open(None, &proof, false), OwnVault::None));
    assert!(matches!(OwnVault::open(None, &Proof::AsTyped, true), OwnVault::None));
}
