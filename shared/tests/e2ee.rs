//! What the browser seals opens here, and what is sealed here is what the browser seals: the vectors that
//! `client/src/crypto/vectors.test.ts` makes as well.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::e2ee::comparing::{Joiner, Member, Share};
use heliograph_shared::e2ee::deposit;
use heliograph_shared::e2ee::envelope::{ContentKey, Header, Kind};
use heliograph_shared::e2ee::error::Error;
use heliograph_shared::e2ee::file_chunks::{
    FileCipher, HEADER_BYTES, SEALED_CHUNK_BYTES, chunk_start, sealed_size,
};
use heliograph_shared::e2ee::handed::Handed;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::key_pair::{KeyPair, PublicKey};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::stretching::Stretch;
use heliograph_shared::e2ee::vault::{Opens, SealedKeys, Vault, key_of_words};
use heliograph_shared::e2ee::welcome::{Psk, Welcome};
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::CHUNK_BYTES;
use serde_json::{Value, json};
use uuid::Uuid;

/// A part of the vectors.
struct Part(Value);

impl Part {
    fn of(name: &str) -> Self {
        let text = include_str!("vectors.json");
        Self(serde_json::from_str::<Value>(text).unwrap()[name].take())
    }

    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap()
    }

    fn bytes<const N: usize>(&self, name: &str) -> [u8; N] {
        self.vec(name).try_into().unwrap()
    }

    fn number(&self, name: &str) -> u32 {
        self.0[name].as_u64().unwrap().try_into().unwrap()
    }

    fn vec(&self, name: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(self.text(name)).unwrap()
    }

    fn secret(&self, name: &str) -> Secret<32> {
        Secret::new(self.bytes(name))
    }

    fn psk(&self) -> Psk {
        Psk { id: self.bytes("pskId"), key: self.secret("psk") }
    }
}

#[test]
fn e2_an_envelope_is_sealed_byte_for_byte_and_opens_as_what_it_was_sealed_as() {
    let mut part = Part::of("envelopes");
    let key = ContentKey::new(part.secret("beamKey"));
    assert_eq!(key.id(), part.bytes("keyId"));
    let page = part.bytes("page");
    let mut sealer = key.sealer(page);
    let Value::Array(vectors) = part.0["envelopes"].take() else { panic!() };
    for (number, vector) in (0..).zip(vectors.into_iter().map(Part)) {
        let (content, envelope) = (vector.vec("content"), vector.text("envelope"));
        let kind = [Kind::ShareClipboard, Kind::DeleteNote, Kind::Signal, Kind::E2e]
            .into_iter()
            .find(|kind| kind.as_str() == vector.text("kind"))
            .unwrap();
        assert_eq!(sealer.seal(kind, &content).as_deref(), Ok(envelope));
        let opened = key.open(kind, envelope).unwrap();
        assert_eq!((opened.header, opened.content), (Header::of(envelope).unwrap(), content));
        assert_eq!((opened.header.page, opened.header.number), (page, number));
        let other = if kind == Kind::E2e { Kind::Signal } else { Kind::E2e };
        assert_eq!(key.open(other, envelope).err(), Some(Error::NotAuthentic));
        let stranger = ContentKey::new(Secret::new([9; 32]));
        assert_eq!(stranger.open(kind, envelope).err(), Some(Error::UnknownKey));
    }
}

#[test]
fn e6_of_an_invite_follow_its_id_what_proves_it_and_a_pre_shared_key() {
    let part = Part::of("invite");
    let invite = Invite::new(part.secret("secret"));
    assert_eq!(invite.id(), part.bytes("id"));
    assert_eq!(*invite.psk().key.expose(), part.bytes("psk"));
    let (key, proof) = (part.bytes("publicKey"), part.bytes("proof"));
    assert_eq!(invite.prove(&key), proof);
    assert_eq!(invite.check(&key, &proof), Ok(()));
    let fragment = invite.to_fragment();
    assert_eq!(*fragment, format!("#k={}", part.text("secret")));
    assert_eq!(Invite::from_fragment(&fragment).map(|again| again.id()), Ok(invite.id()));
}

#[test]
fn e9_deposited_keys_are_proved_byte_for_byte_to_who_has_the_link() {
    let part = Part::of("deposit");
    let invite = Invite::new(part.secret("secret"));
    let keys: Vec<Secret<32>> = serde_json::from_value::<Vec<String>>(part.0["keys"].clone())
        .unwrap()
        .iter()
        .map(|key| Secret::from_slice(&URL_SAFE_NO_PAD.decode(key).unwrap()).unwrap())
        .collect();
    let sealing = keys.last().unwrap();
    let (current, proof) = (part.bytes("current"), part.bytes::<32>("proof"));
    assert_eq!(current, ContentKey::new(sealing.clone()).id());
    assert_eq!(deposit::prove(&invite, current, &keys), proof);
    assert_eq!(deposit::check(&invite, current, &keys, &proof), Ok(()));
    let of_key = Invite::of_key(sealing);
    assert_eq!(*of_key.secret().expose(), part.bytes("inviteOfKey"));
    let refused = Err(Error::NotAuthentic);
    assert_eq!(deposit::check(&of_key, current, &keys, &proof), refused);
    assert_eq!(deposit::check(&invite, [9; 8], &keys, &proof), refused);
    assert_eq!(deposit::check(&invite, current, &keys[1..], &proof), refused);
}

#[test]
fn e6_a_welcome_opens_for_its_joiner_with_the_pre_shared_key_alone() {
    let part = Part::of("welcome");
    let keys = KeyPair::from_private(&part.secret("privateKey")).ok().unwrap();
    assert_eq!(*keys.public(), part.bytes("publicKey"));
    let device: DeviceId = serde_json::from_value(part.0["device"].clone()).unwrap();
    let psk = part.psk();
    let from_browser =
        Welcome { encapsulated: part.bytes("encapsulated"), sealed: part.vec("sealed") };
    let content = part.vec("content");
    let randomness = Secret::new([5; 32]);
    let own = Welcome::seal(&content, (keys.public(), device), &psk, &randomness).unwrap();
    // The ephemeral key is the one that RFC 9180, section 7.1.3, derives of the randomness, and nothing else is random.
    assert_eq!(own.encapsulated, *KeyPair::derive(&randomness).public());
    assert_eq!(
        Welcome::seal(&content, (keys.public(), device), &psk, &randomness),
        Ok(own.clone())
    );

    for welcome in [from_browser, own] {
        let opened = |keys: &KeyPair, device, psk: &Psk| {
            welcome.open(keys, device, psk).map(|content| content.to_vec())
        };
        assert_eq!(opened(&keys, device, &psk), Ok(content.clone()));
        let refused = Err(Error::NotAuthentic);
        let other_device = DeviceId::from_bytes([9; 16]);
        let other_psk = Psk { key: Secret::new([9; 32]), ..psk.clone() };
        let other_name = Psk { id: [9; 8], ..psk.clone() };
        assert_eq!(opened(&keys, other_device, &psk), refused);
        assert_eq!(opened(&keys, device, &other_psk), refused);
        assert_eq!(opened(&keys, device, &other_name), refused);
        assert_eq!(opened(&KeyPair::derive(&randomness), device, &psk), refused);
    }
}

#[test]
fn e15_what_a_device_hands_over_opens_for_that_device_and_from_that_device_alone() {
    let part = Part::of("handed");
    let [sender, receiver] = ["sender", "receiver"].map(|name| {
        let keys = KeyPair::derive(&part.secret(&format!("{name}Secret")));
        assert_eq!(*keys.public(), part.bytes(&format!("{name}Public")));
        let device: DeviceId = serde_json::from_value(part.0[name].clone()).unwrap();
        (keys, device)
    });
    let content = part.vec("content");
    let from_browser =
        Handed { encapsulated: part.bytes("encapsulated"), sealed: part.vec("sealed") };
    let own = Handed::seal(
        &content,
        (&sender.0, sender.1),
        (receiver.0.public(), receiver.1),
        &Secret::new([5; 32]),
    )
    .unwrap();

    for handed in [from_browser, own] {
        let opened = |from: (&KeyPair, DeviceId), to: (&KeyPair, DeviceId)| {
            handed.open((from.0.public(), from.1), to).map(|content| content.to_vec())
        };
        let (from, to) = ((&sender.0, sender.1), (&receiver.0, receiver.1));
        assert_eq!(opened(from, to), Ok(content.clone()));
        let refused = Err(Error::NotAuthentic);
        let other = KeyPair::derive(&Secret::new([9; 32]));
        let other_device = DeviceId::from_bytes([9; 16]);
        assert_eq!(opened((&other, from.1), to), refused);
        assert_eq!(opened((from.0, other_device), to), refused);
        assert_eq!(opened(from, (&other, to.1)), refused);
        assert_eq!(opened(from, (to.0, other_device)), refused);
    }
}

#[test]
fn e7_a_file_is_sealed_byte_for_byte_and_no_chunk_opens_at_another_place() {
    let part = Part::of("file");
    let (key, whole) = (part.secret("fileKey"), part.vec("sealed"));
    let size = part.0["content"]["bytes"].as_u64().unwrap();
    let step = part.0["content"]["step"].as_u64().unwrap();
    let file: Vec<_> = (1..=size).map(|place| (place * step).to_le_bytes()[0]).collect();
    assert_eq!(sealed_size(size), Some(whole.len() as u64));

    let sealing = FileCipher::sealing(&key, part.bytes("salt"));
    let chunks = (0..).zip(file.chunks(CHUNK_BYTES));
    let sealed = chunks.flat_map(|(place, bytes)| sealing.seal(place, bytes).unwrap());
    assert_eq!([sealing.header(), &sealed.collect::<Vec<_>>()[..]].concat(), whole);

    let header: [u8; HEADER_BYTES] = whole[..HEADER_BYTES].try_into().unwrap();
    let opening = FileCipher::opening(&key, &header).ok().unwrap();
    let sealed: Vec<_> = whole[HEADER_BYTES..].chunks(SEALED_CHUNK_BYTES).collect();
    let last = u32::try_from(sealed.len() - 1).unwrap();
    let mut opened = Vec::new();
    for (place, chunk) in (0..).zip(sealed) {
        assert_eq!(&whole[usize::try_from(chunk_start(place)).unwrap()..][..chunk.len()], chunk);
        assert_eq!(opening.open(place, chunk, place != last), Err(Error::Malformed));
        assert_eq!(opening.open(place + 1, chunk, place == last), Err(Error::NotAuthentic));
        opened.extend(opening.open(place, chunk, place == last).unwrap());
    }
    assert_eq!(opened, file);
    let stranger = FileCipher::opening(&Secret::new([9; 32]), &header).map(drop);
    assert_eq!(stranger, Err(Error::NotAuthentic));
}

#[test]
fn e7_sizes_and_places_of_chunks_follow_from_the_size_of_the_file() {
    for (size, sealed) in [(0, 72), (1, 73), (16_383, 16_455), (16_384, 16_472), (20_000, 20_088)] {
        assert_eq!(sealed_size(size), Some(sealed), "{size}");
    }
    assert_eq!(sealed_size(u64::MAX), None);
    assert_eq!([0, 1, u32::MAX].map(chunk_start), [56, 16_456, 56 + 16_400 * u64::from(u32::MAX)]);
}

#[test]
fn two_people_compare_the_same_four_signs() {
    let part = Part::of("comparing");
    let beam = Uuid::from_bytes(part.bytes("beam"));
    let keys = |name| KeyPair::from_private(&part.secret(name)).ok().unwrap();
    let (joining, admitting) = (keys("joinerPrivate"), keys("memberPrivate"));
    assert_eq!(*joining.public(), part.bytes("joinerPublic"));
    assert_eq!(*admitting.public(), part.bytes("memberPublic"));

    let joiner = Joiner::new(beam, &joining, part.bytes("joinerNonce"));
    let commitment = joiner.commitment();
    assert_eq!(commitment, part.bytes("commitment"));
    let member = Member::new(beam, &admitting, part.bytes("memberNonce"), commitment);
    let (revealed, of_joiner) = joiner.accept(member.share()).ok().unwrap();
    let of_member = member.reveal(&revealed).ok().unwrap();
    for compared in [of_joiner, of_member] {
        assert_eq!(json!(compared.signs), part.0["signs"]);
        assert_eq!(compared.psk.id, part.bytes("pskId"));
        assert_eq!(*compared.psk.key.expose(), part.bytes("psk"));
    }

    let changed = Share { nonce: [9; 32], ..revealed };
    let member = Member::new(beam, &admitting, part.bytes("memberNonce"), commitment);
    assert_eq!(member.reveal(&changed).map(drop), Err(Error::NotAuthentic));
}

#[test]
fn e16_a_password_becomes_two_parts_and_none_where_it_would_be_stretched_too_little_or_too_much() {
    let part = Part::of("stretching");
    let stretch = Stretch {
        salt: part.bytes("salt"),
        memory_kib: part.number("memoryKib"),
        passes: part.number("passes"),
    };
    let parts = stretch.parts(part.text("password")).ok().unwrap();
    assert_eq!(*parts.login.expose(), part.bytes("login"));
    assert_eq!(*parts.vault.expose(), part.bytes("vault"));
    for refused in [
        Stretch { memory_kib: 64 * 1024 - 1, ..stretch },
        Stretch { memory_kib: 1024 * 1024 + 1, ..stretch },
        Stretch { passes: 2, ..stretch },
        Stretch { passes: 17, ..stretch },
    ] {
        assert_eq!(refused.parts("correct horse").err(), Some(Error::Malformed), "{refused:?}");
    }
}

#[test]
fn e17_a_vault_is_sealed_byte_for_byte_and_opens_by_the_password_or_the_words() {
    let part = Part::of("vault");
    let vault = Vault::new(part.secret("secret"));
    let public = *vault.public();
    assert_eq!(public, part.bytes("publicKey"));
    let by_words = key_of_words(&Secret::new(part.bytes("entropy")));
    assert_eq!(*by_words.expose(), part.bytes("wordsKey"));
    let by_password = part.secret("passwordKey");
    for (name, key, opens, other) in [
        ("byPassword", by_password, Opens::Password, Opens::Words),
        ("byWords", by_words, Opens::Words, Opens::Password),
    ] {
        let wrapped = part.text(name);
        let nonce = *part.vec(name).first_chunk().unwrap();
        assert_eq!(vault.wrapped(&key, opens, nonce), wrapped);
        let opened = |key: &Secret<32>, opens, public: &PublicKey| {
            Vault::unwrap(wrapped, key, opens, public).map(|vault| *vault.public())
        };
        assert_eq!(opened(&key, opens, &public), Ok(public));
        let refused = Err(Error::NotAuthentic);
        assert_eq!(opened(&key, other, &public), refused);
        assert_eq!(opened(&Secret::new([9; 32]), opens, &public), refused);
        assert_eq!(opened(&key, opens, &part.bytes("receiverPublic")), refused);
    }
}

#[test]
fn e18_keys_of_a_saved_beam_open_in_the_vault_they_are_sealed_to_and_from_that_account_alone() {
    let part = Part::of("vault");
    let [sender, receiver] = ["secret", "receiverSecret"].map(|name| Vault::new(part.secret(name)));
    assert_eq!(*receiver.public(), part.bytes("receiverPublic"));
    let content = part.vec("content");
    let from_browser = SealedKeys {
        from: part.bytes("publicKey"),
        encapsulated: part.bytes("encapsulated"),
        sealed: part.vec("sealed"),
    };
    let own = sender.seal(receiver.public(), &content, &Secret::new([5; 32])).unwrap();
    for keys in [from_browser, own] {
        let opened =
            |vault: &Vault, keys: &SealedKeys| vault.open(keys).map(|content| content.to_vec());
        assert_eq!(opened(&receiver, &keys), Ok(content.clone()));
        let refused = Err(Error::NotAuthentic);
        assert_eq!(opened(&sender, &keys), refused);
        let forged = SealedKeys { from: *receiver.public(), ..keys };
        assert_eq!(opened(&receiver, &forged), refused);
    }
}
