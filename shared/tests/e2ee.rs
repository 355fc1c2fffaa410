//! What the browser seals, opened by another implementation: the vectors that `client/src/crypto/vectors.test.ts` makes.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use hmac::{Hmac, Mac as _};
use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::{Deserializable as _, Kem, OpModeR, PskBundle};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

const HEADER: usize = 1 + 8 + 16 + 8;
const CHUNK: usize = 16_384;

fn vectors(part: &str) -> Value {
    let text = include_str!("vectors.json");
    serde_json::from_str::<Value>(text).unwrap()[part].take()
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap()
}

fn bytes(of: &Value, name: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text(of, name)).unwrap()
}

/// HKDF-SHA-256 (RFC 5869).
fn derive<const N: usize>(secret: &[u8], info: &str, salt: &[u8]) -> [u8; N] {
    let mut derived = [0; N];
    Hkdf::<Sha256>::new(Some(salt), secret).expand(info.as_bytes(), &mut derived).unwrap();
    derived
}

fn open(key: &[u8], nonce: [u8; 12], sealed: &[u8], about: &[u8]) -> Option<Vec<u8>> {
    let payload = Payload { msg: sealed, aad: about };
    Aes256Gcm::new_from_slice(key).unwrap().decrypt(&Nonce::from(nonce), payload).ok()
}

fn open_envelope(beam_key: &[u8], kind: &str, envelope: &str) -> Option<Vec<u8>> {
    let whole = URL_SAFE_NO_PAD.decode(envelope.strip_prefix("e2e1.").unwrap()).unwrap();
    let (header, sealed) = whole.split_at(HEADER);
    assert_eq!(header[0], 1);
    assert_eq!(header[1..9], derive::<8>(beam_key, "beam-e2e/1 kid", b""));
    let key: [u8; 32] = derive(beam_key, "beam-e2e/1 msg", &header[9..25]);
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&header[25..]);
    let about = [b"beam-e2e/1", kind.as_bytes(), header].concat();
    let padded = open(&key, nonce, sealed, &about)?;
    let (length, rest) = padded.split_at(4);
    let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
    assert!(padded.len() >= 256 && rest[length..].iter().all(|byte| *byte == 0));
    Some(rest[..length].to_vec())
}

#[test]
fn an_envelope_opens_as_what_it_was_sealed_as_and_as_nothing_else() {
    let part = vectors("envelopes");
    let beam_key = bytes(&part, "beamKey");
    for vector in part["envelopes"].as_array().unwrap() {
        let (kind, envelope) = (text(vector, "kind"), text(vector, "envelope"));
        assert_eq!(open_envelope(&beam_key, kind, envelope), Some(bytes(vector, "content")));
        assert_eq!(open_envelope(&beam_key, "e2e", envelope), None);
    }
}

#[test]
fn of_an_invite_follow_its_id_what_proves_it_and_a_pre_shared_key() {
    let part = vectors("invite");
    let secret = bytes(&part, "secret");
    let mac: [u8; 32] = derive(&secret, "beam-e2e/1 join-mac", b"");
    assert_eq!(derive::<8>(&secret, "beam-e2e/1 invite-id", b"").to_vec(), bytes(&part, "id"));
    assert_eq!(derive::<32>(&secret, "beam-e2e/1 join-psk", b"").to_vec(), bytes(&part, "psk"));
    assert_eq!(mac.to_vec(), bytes(&part, "mac"));
    let mut proof = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&mac).unwrap();
    proof.update(b"join");
    proof.update(&bytes(&part, "publicKey"));
    proof.verify_slice(&bytes(&part, "proof")).unwrap();
}

#[test]
fn a_welcome_opens_for_its_joiner_with_the_pre_shared_key_alone() {
    let part = vectors("welcome");
    let private = <DhP256HkdfSha256 as Kem>::PrivateKey::from_bytes(&bytes(&part, "privateKey"));
    let encapsulated =
        <DhP256HkdfSha256 as Kem>::EncappedKey::from_bytes(&bytes(&part, "encapsulated"));
    let (private, encapsulated) = (private.unwrap(), encapsulated.unwrap());
    let public = Sha256::digest(bytes(&part, "publicKey"));
    let info = [b"beam-e2e/1 welcome", &public[..], text(&part, "device").as_bytes()].concat();
    let opened_with = |psk: &[u8]| {
        let id = bytes(&part, "pskId");
        let mode = OpModeR::Psk(PskBundle::new(psk, &id).unwrap());
        let mut receiver = hpke::setup_receiver::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
            &mode,
            &private,
            &encapsulated,
            &info,
        )
        .unwrap();
        receiver.open(&bytes(&part, "sealed"), b"").ok()
    };
    assert_eq!(opened_with(&bytes(&part, "psk")), Some(bytes(&part, "content")));
    assert_eq!(opened_with(&[9; 32]), None);
}

#[test]
fn a_file_opens_chunk_by_chunk_and_no_chunk_at_another_place() {
    let part = vectors("file");
    let (whole, salt) = (bytes(&part, "sealed"), bytes(&part, "salt"));
    let name = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";
    let info = [&name[..], &salt, b"beam-e2e/1 file"].concat();
    let mut derived = [0; 76];
    Hkdf::<Sha256>::from_prk(&bytes(&part, "fileKey"))
        .unwrap()
        .expand(&info, &mut derived)
        .unwrap();
    assert_eq!(whole[..56], [&salt, &derived[44..]].concat());
    let open_at = |place: usize, sealed: &[u8]| {
        let mut nonce: [u8; 12] = derived[32..44].try_into().unwrap();
        for (byte, counter) in nonce[4..].iter_mut().zip((place as u64).to_be_bytes()) {
            *byte ^= counter;
        }
        open(&derived[..32], nonce, sealed, b"")
    };
    let mut file = Vec::new();
    for (place, sealed) in whole[56..].chunks(CHUNK + 16).enumerate() {
        assert_eq!(open_at(place + 1, sealed), None);
        file.extend(open_at(place, sealed).unwrap());
    }
    let size = usize::try_from(part["content"]["bytes"].as_u64().unwrap()).unwrap();
    let step = part["content"]["step"].as_u64().unwrap();
    let expected = (1..=size as u64).map(|place| (place * step).to_le_bytes()[0]);
    assert_eq!(file, expected.collect::<Vec<_>>());
}

#[test]
fn two_people_compare_the_same_four_signs() {
    let part = vectors("comparing");
    let of = |name: &str| bytes(&part, name);
    let joiner = [of("joinerPublic"), of("joinerNonce")].concat();
    let commitment = Sha256::digest([&b"beam-e2e/1 sas-commit"[..], &of("beam"), &joiner].concat());
    assert_eq!(commitment.to_vec(), of("commitment"));
    let said = [of("beam"), of("commitment"), of("memberPublic"), of("memberNonce"), joiner];
    let transcript = Sha256::digest([&b"beam-e2e/1 sas-transcript"[..], &said.concat()].concat());
    for (mine, theirs) in [("joinerPrivate", "memberPublic"), ("memberPrivate", "joinerPublic")] {
        let mine = p256::SecretKey::from_slice(&of(mine)).unwrap();
        let theirs = p256::PublicKey::from_sec1_bytes(&of(theirs)).unwrap();
        let shared = p256::ecdh::diffie_hellman(mine.to_nonzero_scalar(), theirs.as_affine());
        let shared = shared.raw_secret_bytes();
        let [first, second, third] = derive::<3>(shared, "beam-e2e/1 sas", &transcript);
        let bits = u32::from_be_bytes([0, first, second, third]);
        let signs = [18, 12, 6, 0].map(|shift| (bits >> shift) & 63);
        assert_eq!(serde_json::json!(signs), part["signs"]);
        let psk: [u8; 32] = derive(shared, "beam-e2e/1 sas-psk", &transcript);
        let id: [u8; 8] = derive(shared, "beam-e2e/1 sas-id", &transcript);
        assert_eq!((psk.to_vec(), id.to_vec()), (of("psk"), of("pskId")));
    }
}
