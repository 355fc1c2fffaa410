//! All keys that follow of others (E1, E2, E6, E7), against HKDF as RFC 5869 writes it. `client/src/crypto/key-schedule.test.ts` has the
//! same of the browser's side.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use std::collections::HashSet;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::e2ee::envelope::{ContentKey, Kind, PREFIX};
use heliograph_shared::e2ee::file_chunks::{FileCipher, piece_key};
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::secret::Secret;
use hmac::{Hmac, Mac as _};
use proptest::prelude::*;
use sha2::Sha256;

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).unwrap();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The second half of HKDF alone (RFC 5869, section 2.3).
fn expanded(secret: &[u8; 32], info: &[u8], count: usize) -> Vec<u8> {
    let (mut whole, mut block) = (Vec::new(), Vec::new());
    for turn in 1..=count.div_ceil(32) {
        block = hmac(secret, &[&block, info, &[u8::try_from(turn).unwrap()]]).to_vec();
        whole.extend_from_slice(&block);
    }
    whole.truncate(count);
    whole
}

/// The whole of HKDF.
fn follows(secret: &[u8; 32], info: &str, count: usize, salt: &[u8]) -> Vec<u8> {
    expanded(&hmac(salt, &[secret]), info.as_bytes(), count)
}

fn open(key: &[u8], nonce: &[u8], msg: &[u8], aad: &[u8]) -> Vec<u8> {
    let nonce: [u8; 12] = nonce.try_into().unwrap();
    Aes256Gcm::new_from_slice(key).unwrap().decrypt(&nonce.into(), Payload { msg, aad }).unwrap()
}

proptest! {
    #[test]
    fn e2_of_a_beam_key_follow_its_id_and_the_keys_of_pages(
        key in any::<[u8; 32]>(),
        page in any::<[u8; 16]>(),
        content in prop::collection::vec(any::<u8>(), 0..600),
        number in 0_u64..5,
    ) {
        let beam_key = ContentKey::new(Secret::new(key));
        let key_id = follows(&key, "beam-e2e/1 kid", 8, b"");
        prop_assert_eq!(&beam_key.id()[..], &key_id);
        let mut sealer = beam_key.sealer(page);
        for _ in 0..number {
            sealer.seal(Kind::Signal, &content).unwrap();
        }
        let envelope = sealer.seal(Kind::E2e, &content).unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(envelope.strip_prefix(PREFIX).unwrap()).unwrap();
        let header = [&[1][..], &key_id, &page, &number.to_be_bytes()].concat();
        let (head, sealed) = bytes.split_at(header.len());
        prop_assert_eq!(head, &header);
        let padded = open(
            &follows(&key, "beam-e2e/1 msg", 32, &page),
            &[&[0; 4][..], &number.to_be_bytes()].concat(),
            sealed,
            &[b"beam-e2e/1e2e", head].concat(),
        );
        prop_assert_eq!(&padded[4..4 + content.len()], &content);
    }

    #[test]
    fn e6_of_an_invite_follow_its_id_what_proves_it_and_a_pre_shared_key(
        secret in any::<[u8; 32]>(),
        key in prop::collection::vec(any::<u8>(), 65),
    ) {
        let invite = Invite::new(Secret::new(secret));
        prop_assert_eq!(&invite.id()[..], &follows(&secret, "beam-e2e/1 invite-id", 8, b""));
        let psk = follows(&secret, "beam-e2e/1 join-psk", 32, b"");
        prop_assert_eq!(&invite.psk().key.expose()[..], &psk);
        let mac = follows(&secret, "beam-e2e/1 join-mac", 32, b"");
        let proof = invite.prove(&key.clone().try_into().unwrap());
        prop_assert_eq!(proof, hmac(&mac, &[b"join", &key]));
    }

    #[test]
    fn e7_of_the_key_and_salt_of_a_file_follow_the_key_and_nonces_of_its_chunks(
        key in any::<[u8; 32]>(),
        salt in any::<[u8; 24]>(),
        content in prop::collection::vec(any::<u8>(), 0..600),
        chunk in any::<u32>(),
    ) {
        let name = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";
        let derived = expanded(&key, &[&name[..], &salt, b"beam-e2e/1 file"].concat(), 76);
        let cipher = FileCipher::sealing(&Secret::new(key), salt);
        prop_assert_eq!(&cipher.header()[..], &[&salt[..], &derived[44..]].concat());
        let place = [&[0; 8][..], &chunk.to_be_bytes()].concat();
        let nonce: Vec<u8> = derived[32..44].iter().zip(place).map(|(one, other)| one ^ other).collect();
        let sealed = cipher.seal(chunk, &content).unwrap();
        prop_assert_eq!(open(&derived[..32], &nonce, &sealed, b""), content);
        let pieces = piece_key(&Secret::new(key));
        prop_assert_eq!(&pieces.expose()[..], &expanded(&key, b"beam-e2e/1 pieces", 32));
    }

    #[test]
    fn what_follows_of_one_secret_differs_for_each_use_and_with_each_bit(
        secret in any::<[u8; 32]>(),
        bit in 0_usize..256,
    ) {
        let mut other = secret;
        other[bit / 8] ^= 1 << (bit % 8);
        let all = |secret: [u8; 32]| {
            let invite = Invite::new(Secret::new(secret));
            let file = FileCipher::sealing(&Secret::new(secret), [0; 24]);
            [
                secret.to_vec(),
                invite.psk().key.expose().to_vec(),
                piece_key(&Secret::new(secret)).expose().to_vec(),
                file.header()[24..].to_vec(),
                ContentKey::new(Secret::new(secret)).id().to_vec(),
                invite.id().to_vec(),
            ]
        };
        let different: HashSet<_> = all(secret).into_iter().chain(all(other)).collect();
        prop_assert_eq!(different.len(), 12);
    }
}
