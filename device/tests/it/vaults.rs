//! What opens the saved beams of an account, where the server shows what it likes. `client/src/crypto/saved-keys.test.ts` and
//! `client/src/transport/vaulted-keys.test.ts` have the same of the browser.

use std::time::Duration;

use heliograph_device::keys::keyring::{Keyring, Reading};
use heliograph_device::keys::saved_keys::{OwnEntry, new_tag};
use heliograph_device::keys::shared_keys::{Changes, SharedKeys};
use heliograph_device::keys::vault_memory::VaultMemory;
use heliograph_device::session::saved_beams::{Closed, HowKept, OwnBeams, Place, public_of};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::{KeptBeam, SealedKeys};
use heliograph_shared::e2ee::envelope::Kind;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::vault::Vault;
use heliograph_shared::ids::BeamId;
use heliograph_shared::opaque::Opaque;
use heliograph_shared::time::Millis;
use serde_json::{Value, json};

use crate::beam_server::random;

const NOW: Millis = Millis::new(1_000);

fn beam(number: u8) -> BeamId {
    BeamId::from_random([number; 16])
}

fn vault(number: u8) -> Vault {
    Vault::new(Secret::new([number; 32]))
}

/// What an owner seals to itself of a beam.
fn entry(ring: &Keyring, tag: &str) -> OwnEntry {
    ring.for_vault(tag.to_owned()).unwrap()
}

fn sealed(vault: &Vault, entry: &OwnEntry) -> SealedKeys {
    entry.seal(vault, &mut random(5)).unwrap()
}

/// What another account seals to this one.
fn handed(from: &Vault, to: &Vault, ring: &Keyring) -> SealedKeys {
    let Value::Object(mut all) = serde_json::from_slice(&ring.shared().unwrap().write()).unwrap()
    else {
        panic!("no object");
    };
    all.retain(|name, _| ["keys", "current", "isDeposited"].contains(&name.as_str()));
    sealed_by(from, to, &serde_json::to_vec(&all).unwrap())
}

fn sealed_by(from: &Vault, to: &Vault, content: &[u8]) -> SealedKeys {
    let keys = from.seal(to.public(), content, &Secret::new([9; 32])).unwrap();
    SealedKeys {
        from: Opaque::new(keys.from.to_vec()),
        encapsulated: Opaque::new(keys.encapsulated.to_vec()),
        sealed: Opaque::new(keys.sealed),
    }
}

fn deposit(ring: &Keyring) -> BeamKeys {
    let shared: Value = serde_json::from_slice(&ring.shared().unwrap().write()).unwrap();
    let keys = json!({"keys": shared["keys"], "current": shared["current"], "proof": null});
    serde_json::from_value(keys).unwrap()
}

/// Opens an own beam for which the server shows this, beside others.
fn opens(
    vault: &Vault,
    shown: &[(BeamId, &SealedKeys)],
    memory: &VaultMemory,
    link: Option<&Invite>,
) -> Result<Keyring, Closed> {
    let kept =
        shown.iter().map(|(id, keys)| KeptBeam { beam_id: *id, keys: Some((*keys).clone()) });
    let kept: Vec<_> = kept.collect();
    let own = OwnBeams::of(Some(vault), shown.iter().map(|(id, _)| *id), &kept, memory);
    let (id, keys) = shown[0];
    own.open(id, Place::Vaults(Some(keys)), link, &mut random(3)).map(|opened| opened.ring)
}

fn reads(ring: &Keyring, envelope: &str) -> bool {
    matches!(ring.open(Kind::ShareClipboard, envelope, Duration::ZERO), Reading::Open(_))
}

#[test]
fn e18_a_device_takes_from_its_own_vault_all_that_a_device_in_the_beam_would_tell() {
    let (vault, mut laptop) = (vault(1), Keyring::make(&mut random(1)));
    laptop.rekey(&[], Duration::ZERO, &mut random(2));
    let keys = sealed(&vault, &entry(&laptop, "tag"));
    let mut ring = opens(&vault, &[(beam(1), &keys)], &VaultMemory::default(), None).unwrap();
    assert_eq!(ring.current_id(), laptop.current_id());
    assert_eq!(ring.invite().unwrap().id(), laptop.invite().unwrap().id());
    assert_eq!(ring.shared().unwrap().changes, Changes { keys: 2, invites: 2 });
    assert!(!ring.is_deposited());
    let said = ring.seal(Kind::ShareClipboard, b"oat milk").unwrap();
    assert!(reads(&laptop, &said));
}

#[test]
fn e18_what_the_own_vault_holds_of_another_account_or_vault_opens_nothing() {
    let (vault, other, laptop) = (vault(1), vault(2), Keyring::make(&mut random(1)));
    let memory = VaultMemory::default();
    let mine = entry(&laptop, "tag");
    let by_other = handed(&other, &vault, &laptop);
    let as_own = sealed_by(&other, &vault, &mine.write());
    let for_other = sealed(&other, &mine);
    let mut forged = sealed(&other, &mine);
    forged.from = Opaque::new(vault.public().to_vec());
    let mut changed = sealed(&vault, &mine);
    let mut bytes = changed.sealed.as_bytes().to_vec();
    bytes[7] ^= 1;
    changed.sealed = Opaque::new(bytes);
    let mut cut = sealed(&vault, &mine);
    cut.encapsulated = Opaque::new(vec![4; 64]);
    for keys in [by_other, as_own, for_other, forged, changed, cut] {
        let opened = opens(&vault, &[(beam(1), &keys)], &memory, None);
        assert_eq!(opened.err(), Some(Closed::Forged));
    }
}

#[test]
fn e18_what_lies_in_the_vault_for_another_beam_gives_a_device_no_keys() {
    let vault = vault(1);
    let (cabin, party) = (Keyring::make(&mut random(1)), Keyring::make(&mut random(2)));
    let [cabin, party] =
        [(&cabin, "cabin"), (&party, "party")].map(|(ring, tag)| sealed(&vault, &entry(ring, tag)));
    let mut memory = VaultMemory::default();
    // Of two beams with one tag, a device that knows neither can tell nothing.
    for shown in [[(beam(1), &party), (beam(2), &party)], [(beam(2), &party), (beam(1), &party)]] {
        assert_eq!(opens(&vault, &shown, &memory, None).err(), Some(Closed::OtherBeam));
    }
    let public = public_of(&vault);
    memory.note(beam(2), (&public, "party"), (&[], Changes::default()), NOW);
    let shown = [(beam(1), &party), (beam(2), &party)];
    assert_eq!(opens(&vault, &shown, &memory, None).err(), Some(Closed::OtherBeam));
    assert!(opens(&vault, &[shown[1], shown[0]], &memory, None).is_ok());
    // Once it knows what names the beam, it takes nothing else.
    memory.note(beam(1), (&public, "cabin"), (&[], Changes::default()), NOW);
    let opened = opens(&vault, &[(beam(1), &party)], &memory, None);
    assert_eq!(opened.err(), Some(Closed::OtherBeam));
    assert!(opens(&vault, &[(beam(1), &cabin)], &memory, None).is_ok());
    // Another vault of the same person has another tag.
    let fresh = self::vault(3);
    let moved = sealed(&fresh, &entry(&Keyring::make(&mut random(1)), "fresh"));
    assert!(opens(&fresh, &[(beam(1), &moved)], &memory, None).is_ok());
}

#[test]
fn e18_with_an_older_state_than_it_has_seen_a_device_does_not_begin() {
    let (vault, mut ring) = (vault(1), Keyring::make(&mut random(1)));
    let older = sealed(&vault, &entry(&ring, "tag"));
    ring.rekey(&[], Duration::ZERO, &mut random(2));
    let newer = entry(&ring, "tag");
    let mut memory = VaultMemory::default();
    let public = public_of(&vault);
    let ends = ["end".to_owned()];
    memory.note(beam(1), (&public, "tag"), (&ends, newer.shared.changes), NOW);
    memory.note(beam(1), (&public, "tag"), (&[], Changes::default()), NOW);
    assert_eq!(memory.ends(&public, "tag"), ends);
    // Under the same id, and where the server says that the link was renewed.
    for id in [beam(1), beam(2)] {
        assert_eq!(opens(&vault, &[(id, &older)], &memory, None).err(), Some(Closed::Older));
    }
    assert!(opens(&vault, &[(beam(1), &sealed(&vault, &newer))], &memory, None).is_ok());
    // For a year.
    let later = Millis::new(NOW.get() + 366 * 24 * 60 * 60 * 1_000);
    memory.note(beam(9), (&public, "x"), (&[], Changes::default()), later);
    assert!(opens(&vault, &[(beam(1), &older)], &memory, None).is_ok());
}

#[test]
fn e18_a_device_that_came_by_a_link_takes_only_what_is_of_that_link() {
    let (vault, ring) = (vault(1), Keyring::make(&mut random(1)));
    let (mine, memory) = (sealed(&vault, &entry(&ring, "tag")), VaultMemory::default());
    let shared = ring.shared().unwrap();
    let of_key = Invite::of_key(shared.keys[0].secret());
    let wrong = Invite::new(Secret::new([8; 32]));
    let shown = [(beam(1), &mine)];
    for link in [ring.invite().unwrap(), &of_key] {
        assert!(opens(&vault, &shown, &memory, Some(link)).is_ok());
    }
    assert_eq!(opens(&vault, &shown, &memory, Some(&wrong)).err(), Some(Closed::OtherLink));

    // Of another account's, only a link that was made of the key proves anything.
    let bob = self::vault(2);
    let keys = handed(&vault, &bob, &ring);
    let own = OwnBeams::of(Some(&bob), [], &[], &memory);
    let opens = |link| {
        let opened = own.open(beam(1), Place::Vaults(Some(&keys)), link, &mut random(3));
        opened.map(|opened| opened.ring.current_id())
    };
    assert_eq!(opens(None), Ok(ring.current_id()));
    assert_eq!(opens(Some(&of_key)), Ok(ring.current_id()));
    assert_eq!(opens(ring.invite()), Err(Closed::OtherLink));
}

#[test]
fn e18_of_an_own_beam_nothing_counts_that_another_account_has_sealed_or_the_server_has() {
    let (vault, ring) = (vault(1), Keyring::make(&mut random(1)));
    let (mine, mut memory) = (entry(&ring, "tag"), VaultMemory::default());
    memory.note(beam(1), (&public_of(&vault), "tag"), (&[], mine.shared.changes), NOW);
    let mallory = Keyring::make(&mut random(6));
    let made_up = handed(&self::vault(7), &vault, &mallory);
    // The server does not list it as an own one any more.
    let kept = [KeptBeam { beam_id: beam(1), keys: Some(made_up.clone()) }];
    let own = OwnBeams::of(Some(&vault), [], &kept, &memory);
    let opens = |place| own.open(beam(1), place, None, &mut random(3)).err();
    assert_eq!(opens(Place::Vaults(Some(&made_up))), Some(Closed::Forged));
    assert_eq!(own.how_kept(beam(1), Place::Vaults(Some(&made_up))), HowKept::Closed);
    let deposited = deposit(&mallory);
    assert_eq!(opens(Place::Deposit(&deposited)), Some(Closed::Hidden));
    assert_eq!(opens(Place::Nowhere), Some(Closed::Hidden));
    assert_eq!(opens(Place::Vaults(None)), Some(Closed::Hidden));
    // Of a beam that was never in the vault, the deposit counts, and the server can read it.
    let opened = own.open(beam(2), Place::Deposit(&deposited), None, &mut random(3)).ok().unwrap();
    assert!(opened.ring.is_deposited());
    assert_eq!(opened.ring.current_id(), mallory.current_id());
}

#[test]
fn e18_a_vault_that_is_not_open_opens_nothing_and_what_is_not_handed_neither() {
    let (vault, ring) = (vault(1), Keyring::make(&mut random(1)));
    let (keys, memory) = (sealed(&vault, &entry(&ring, "tag")), VaultMemory::default());
    let locked = OwnBeams::of(None, [beam(1)], &[], &memory);
    let open = locked.open(beam(1), Place::Vaults(Some(&keys)), None, &mut random(3));
    assert_eq!(open.err(), Some(Closed::Locked));
    let guest = OwnBeams::of(Some(&vault), [], &[], &memory);
    let open = guest.open(beam(1), Place::Vaults(None), None, &mut random(3));
    assert_eq!(open.err(), Some(Closed::NotHanded));
    let open = guest.open(beam(1), Place::Nowhere, None, &mut random(3));
    assert_eq!(open.err(), Some(Closed::Keyless));
}

#[test]
fn e9_a_deposit_is_taken_by_who_came_by_a_link_only_where_it_is_proved() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../shared/tests/vectors.json")).unwrap();
    let mut vector = vectors["deposit"].clone();
    let fragment = |name: &str| format!("#k={}", vectors["deposit"][name].as_str().unwrap());
    let link = Invite::from_fragment(&fragment("secret")).unwrap();
    let of_key = Invite::from_fragment(&fragment("inviteOfKey")).unwrap();
    let wrong = Invite::new(Secret::new([8; 32]));
    let takes = |vector: &Value, link: Option<&Invite>| {
        let deposited: BeamKeys = serde_json::from_value(vector.clone()).unwrap();
        Keyring::of_deposit(&deposited, link, &mut random(1)).is_some()
    };
    for link in [None, Some(&link), Some(&of_key)] {
        assert!(takes(&vector, link));
    }
    assert!(!takes(&vector, Some(&wrong)));
    vector["keys"].as_array_mut().unwrap().remove(0);
    assert!(!takes(&vector, Some(&link)));
    vector["proof"] = Value::Null;
    assert!(!takes(&vector, Some(&link)));
    assert!(takes(&vector, Some(&of_key)));
    // Its key that seals is not among them.
    vector["keys"] = json!(["A".repeat(43)]);
    assert!(!takes(&vector, None));
}

#[test]
fn e18_an_entry_is_read_with_and_without_what_earlier_versions_did_not_seal() {
    let ring = Keyring::make(&mut random(1));
    let written = entry(&ring, "tag").write();
    let whole: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!((&whole["hasLetIn"], &whole["isVaulted"]), (&json!(true), &json!(true)));
    let read = |json: &Value| OwnEntry::read(json.to_string().as_bytes());
    let mut earlier = whole.clone();
    for name in ["ends", "names", "unverified"] {
        earlier.as_object_mut().unwrap().remove(name).unwrap();
    }
    assert!(read(&earlier).unwrap().ends.is_empty());
    for name in ["tag", "people", "keys", "current", "invite", "changes"] {
        let mut lacks = whole.clone();
        lacks.as_object_mut().unwrap().remove(name).unwrap();
        assert!(read(&lacks).is_none(), "{name}");
        lacks[name] = json!({"no": "such"});
        assert!(read(&lacks).is_none(), "{name}");
    }
    assert!(SharedKeys::read(&written).is_some());
}

#[test]
fn e18_every_entry_has_a_tag_of_its_own() {
    let [one, other] = [1, 2].map(|seed| new_tag(&mut random(seed)));
    assert_eq!(one.len(), 22);
    assert_ne!(one, other);
}

#[test]
fn e16_accounts_with_a_vault_are_remembered_without_case_until_they_are_made_anew() {
    let mut memory = VaultMemory::default();
    memory.remember_vault("Ada");
    let kept = serde_json::to_string(&memory).unwrap();
    let mut memory: VaultMemory = serde_json::from_str(&kept).unwrap();
    assert!(memory.has_vault(" ADA ") && !memory.has_vault("bob"));
    memory.forget_vault("ada");
    assert!(!memory.has_vault("Ada"));
}

#[test]
fn e18_what_is_remembered_leads_to_no_beam() {
    let mut memory = VaultMemory::default();
    memory.note(beam(1), ("vault", "tag"), (&[], Changes::default()), NOW);
    assert!(!serde_json::to_string(&memory).unwrap().contains(&beam(1).to_string()));
    assert_eq!(memory.tag_of(beam(1), "vault"), Some("tag"));
    assert_eq!(memory.tag_of(beam(1), "another vault"), None);
}

fn vectors() -> Value {
    let mut all: Value =
        serde_json::from_str(include_str!("../../../shared/tests/vectors.json")).unwrap();
    all["savedKeys"].take()
}

fn sealed_in(vectors: &Value, keys: &Value) -> SealedKeys {
    let mut keys = keys.clone();
    keys["from"] = vectors["publicKey"].clone();
    serde_json::from_value(keys).unwrap()
}

fn vault_in(vectors: &Value, name: &str) -> Vault {
    let secret: Opaque = serde_json::from_value(vectors[name].clone()).unwrap();
    Vault::new(Secret::from_slice(secret.as_bytes()).unwrap())
}

#[test]
fn e18_what_a_browser_has_sealed_to_its_own_vault_and_to_that_of_another_opens_here() {
    let vectors = vectors();
    let envelope = vectors["envelope"].as_str().unwrap();
    let (owner, guest) = (vault_in(&vectors, "secret"), vault_in(&vectors, "receiverSecret"));
    assert_eq!(json!(public_of(&guest)), vectors["receiverPublic"]);
    let own = sealed_in(&vectors, &vectors["ofBrowser"]["own"]);
    let entry = OwnEntry::open(&owner, &own).unwrap();
    assert_eq!((json!(entry.tag), &entry.names), (vectors["tag"].clone(), &vec!["bob".to_owned()]));
    assert_eq!((entry.people, entry.ends.len()), (vec![public_of(&guest)], 1));
    let memory = VaultMemory::default();
    let ring = opens(&owner, &[(beam(1), &own)], &memory, None).unwrap();
    assert!(reads(&ring, envelope));
    let handed = sealed_in(&vectors, &vectors["ofBrowser"]["handed"]);
    let shared = OwnBeams::of(Some(&guest), [], &[], &memory);
    let opened = shared.open(beam(1), Place::Vaults(Some(&handed)), None, &mut random(1));
    assert!(reads(&opened.ok().unwrap().ring, envelope));
    assert!(OwnEntry::open(&guest, &own).is_none());
    assert!(OwnEntry::open(&guest, &handed).is_none());
}

#[test]
fn e18_what_is_sealed_here_is_what_the_vectors_have_for_browsers_to_open() {
    let vectors = vectors();
    let owner = vault_in(&vectors, "secret");
    let of_browser = sealed_in(&vectors, &vectors["ofBrowser"]["own"]);
    let entry = OwnEntry::open(&owner, &of_browser).unwrap();
    let mut seed = |bytes: &mut [u8]| bytes.fill(5);
    let mut sealed = serde_json::to_value(entry.seal(&owner, &mut seed).unwrap()).unwrap();
    sealed.as_object_mut().unwrap().remove("from");
    assert_eq!(sealed, vectors["ofNative"]);
}
