//! What a server or a stranger can make of sealed bytes: each byte that is changed, left out or made up is refused, and none
//! makes the program panic.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heliograph_shared::e2ee::comparing::{Joiner, Share};
use heliograph_shared::e2ee::envelope::{ContentKey, Header, Kind, PREFIX};
use heliograph_shared::e2ee::error::Error;
use heliograph_shared::e2ee::file_chunks::{FileCipher, SEALED_CHUNK_BYTES, sealed_size};
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::key_pair::KeyPair;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::welcome::{Psk, Welcome};
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::CHUNK_BYTES;
use proptest::prelude::*;
use uuid::Uuid;

const DEVICE: DeviceId = DeviceId::from_bytes([3; 16]);

fn key() -> ContentKey {
    ContentKey::new(Secret::new([1; 32]))
}

fn psk() -> Psk {
    Invite::new(Secret::new([2; 32])).psk().clone()
}

fn keys() -> KeyPair {
    KeyPair::derive(&Secret::new([4; 32]))
}

fn welcome(content: &[u8]) -> Welcome {
    Welcome::seal(content, (keys().public(), DEVICE), &psk(), &Secret::new([5; 32])).unwrap()
}

/// The same bytes with one bit turned, or without their end.
fn harmed(bytes: &[u8]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let (turned, cut) = (bytes.to_vec(), bytes.to_vec());
    let turn = (0..bytes.len() * 8).prop_map(move |bit| {
        let mut bytes = turned.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    prop_oneof![turn, (0..bytes.len()).prop_map(move |end| cut[..end].to_vec())]
}

proptest! {
    #[test]
    fn e2_what_was_sealed_opens(content in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let envelope = key().sealer([7; 16]).seal(Kind::Signal, &content).unwrap();
        let opened = key().open(Kind::Signal, &envelope).unwrap();
        prop_assert_eq!(opened.content, content);
    }

    #[test]
    fn e2_a_harmed_envelope_does_not_open(
        harmed in harmed(key().sealer([7; 16]).seal(Kind::Signal, b"hi").unwrap().as_bytes()),
    ) {
        let text = String::from_utf8_lossy(&harmed);
        prop_assert!(key().open(Kind::Signal, &text).is_err());
    }

    #[test]
    fn e2_no_text_harms_who_opens_it(text in ".{0,80}", inner in "[A-Za-z0-9_-]{0,120}") {
        for envelope in [&text, &inner, &format!("{PREFIX}{text}"), &format!("{PREFIX}{inner}")] {
            prop_assert!(key().open(Kind::Signal, envelope).is_err());
            let _ = Header::of(envelope);
            prop_assert!(Invite::from_fragment(envelope).is_err());
            let _ = Invite::from_fragment(&format!("#k={envelope}"));
        }
    }

    #[test]
    fn e6_a_harmed_proof_is_wrong(
        harmed in harmed(&Invite::new(Secret::new([2; 32])).prove(keys().public())),
    ) {
        let invite = Invite::new(Secret::new([2; 32]));
        prop_assert_eq!(invite.check(keys().public(), &harmed), Err(Error::NotAuthentic));
    }

    #[test]
    fn e7_a_harmed_chunk_does_not_open(
        harmed in harmed(&FileCipher::sealing(&Secret::new([1; 32]), [6; 24]).seal(0, &[7; 90]).unwrap()),
    ) {
        let cipher = FileCipher::sealing(&Secret::new([1; 32]), [6; 24]);
        prop_assert!(cipher.open(0, &harmed, true).is_err());
    }

    #[test]
    fn e7_a_harmed_header_is_of_no_key(
        harmed in harmed(FileCipher::sealing(&Secret::new([1; 32]), [6; 24]).header()),
    ) {
        if let Ok(header) = harmed[..].try_into() {
            let opening = FileCipher::opening(&Secret::new([1; 32]), header).map(drop);
            prop_assert_eq!(opening, Err(Error::NotAuthentic));
        }
    }

    #[test]
    fn e7_no_chunk_harms_who_opens_it(
        place in any::<u32>(),
        sealed in prop::collection::vec(any::<u8>(), 0..200),
        is_last in any::<bool>(),
        size in any::<u64>(),
    ) {
        let cipher = FileCipher::sealing(&Secret::new([1; 32]), [6; 24]);
        prop_assert!(cipher.open(place, &sealed, is_last).is_err());
        let _ = sealed_size(size);
    }
}

proptest! {
    // Each case costs a few multiplications on the curve.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn e6_a_harmed_welcome_does_not_open(harmed in harmed(&welcome(b"keys").sealed)) {
        let welcome = Welcome { sealed: harmed, ..welcome(b"keys") };
        prop_assert!(welcome.open(&keys(), DEVICE, &psk()).is_err());
    }

    #[test]
    fn e6_no_key_harms_who_is_given_it(random in any::<[u8; 32]>(), more in any::<[u8; 32]>()) {
        let mut point = [4; 65];
        point[1..33].copy_from_slice(&random);
        point[33..].copy_from_slice(&more);
        let given = Welcome { encapsulated: point, ..welcome(b"keys") };
        prop_assert_eq!(given.open(&keys(), DEVICE, &psk()).map(drop), Err(Error::NoKey));
        let sealed = Welcome::seal(b"", (&point, DEVICE), &psk(), &Secret::new(more)).map(drop);
        prop_assert_eq!(sealed, Err(Error::NoKey));
        let beam = Uuid::from_bytes([8; 16]);
        let keys = keys();
        let share = Share { key: point, nonce: more };
        let accepted = Joiner::new(beam, &keys, random).accept(&share).map(drop);
        prop_assert_eq!(accepted, Err(Error::NoKey));
    }
}

#[test]
fn e7_a_chunk_that_is_too_long_is_neither_sealed_nor_opened() {
    let cipher = FileCipher::sealing(&Secret::new([1; 32]), [6; 24]);
    let full = cipher.seal(0, &[0; CHUNK_BYTES]).unwrap();
    assert_eq!(full.len(), SEALED_CHUNK_BYTES);
    assert_eq!(cipher.seal(0, &vec![0; CHUNK_BYTES + 1]), Err(Error::TooLong));
    let longer = [&full[..], &[0]].concat();
    assert_eq!(cipher.open(0, &longer, false), Err(Error::Malformed));
}

#[test]
fn e6_neither_zero_nor_the_order_of_the_curve_is_a_private_key() {
    for bytes in [[0; 32], [0xff; 32]] {
        let pair = KeyPair::from_private(&Secret::new(bytes)).map(drop);
        assert_eq!(pair, Err(Error::NoKey));
    }
}
