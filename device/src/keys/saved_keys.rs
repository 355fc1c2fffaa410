//! The keys of a saved beam, as its owner has sealed them (E18) or as they are deposited with the server (E9), and the keyring of a
//! device that begins with them.

use std::time::Duration;

use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::SealedKeys;
use heliograph_shared::e2ee::deposit;
use heliograph_shared::e2ee::envelope::ContentKey;
use heliograph_shared::e2ee::error::Error;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::vault::{self, Vault};
use heliograph_shared::ids::{DepositProof, DepositedKey};
use heliograph_shared::opaque::Opaque;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::keyring::{Keyring, Taken};
use super::shared_keys::{Changes, KeyId, MOST_KEYS, SharedKeys, Written, Written32, key_among};
use super::text::{decode_array, encode};
use crate::bounded_json::Object;
use crate::random::{self, Random};

/// What the owner of a saved beam has sealed to itself.
#[derive(Clone)]
pub struct OwnEntry {
    /// All that a welcome tells.
    pub shared: SharedKeys,
    /// Names the beam in this vault: the same as long as the beam is saved and the vault is this one.
    pub tag: String,
    /// A random id for each share that the owner has ended.
    pub ends: Vec<String>,
    /// The public keys of the people to whom the owner has handed the keys.
    pub people: Vec<String>,
    /// The usernames under which it has done so, in the same order.
    pub names: Vec<String>,
}

#[derive(Deserialize)]
struct BesideShared {
    tag: String,
    #[serde(default)]
    ends: Vec<String>,
    people: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Serialize)]
struct WrittenEntry<'a> {
    #[serde(flatten)]
    shared: Written,
    tag: &'a str,
    ends: &'a [String],
    people: &'a [String],
    names: &'a [String],
}

impl OwnEntry {
    /// Reads what was sealed; `None` for what is not of this form.
    #[must_use]
    pub fn read(json: &[u8]) -> Option<Self> {
        let shared = SharedKeys::read(json)?;
        let Object(beside) = serde_json::from_slice::<Object<BesideShared>>(json).ok()?;
        let BesideShared { tag, ends, people, names } = beside;
        Some(Self { shared, tag, ends, people, names })
    }

    /// The JSON that is sealed.
    #[must_use]
    pub fn write(&self) -> Zeroizing<Vec<u8>> {
        let Self { tag, ends, people, names, .. } = self;
        let shared = SharedKeys { has_let_in: true, is_vaulted: true, ..self.shared.clone() };
        let written = WrittenEntry { shared: shared.written(), tag, ends, people, names };
        // Texts, numbers and maps of texts cannot fail.
        Zeroizing::new(serde_json::to_vec(&written).unwrap_or_default())
    }

    /// Opens what this account has sealed to itself; `None` for anything else.
    #[must_use]
    pub fn open(vault: &Vault, keys: &SealedKeys) -> Option<Self> {
        let keys = parts(keys)?;
        if keys.from != *vault.public() {
            return None;
        }
        Self::read(&vault.open(&keys).ok()?)
    }

    /// Seals it for this account alone.
    ///
    /// # Errors
    /// [`Error::TooLong`] from 64 GiB on.
    pub fn seal(&self, vault: &Vault, random: &mut dyn Random) -> Result<SealedKeys, Error> {
        let keys = vault.seal(vault.public(), &self.write(), &random::secret(random))?;
        Ok(SealedKeys {
            from: Opaque::new(keys.from.to_vec()),
            encapsulated: Opaque::new(keys.encapsulated.to_vec()),
            sealed: Opaque::new(keys.sealed),
        })
    }
}

/// Keys as they go to whoever may open a saved beam.
#[derive(Clone)]
pub struct SavedShared {
    keys: Vec<ContentKey>,
    current: KeyId,
    /// Whether the server ever had them.
    pub is_deposited: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandedKeys {
    keys: Vec<Written32>,
    current: String,
    is_deposited: bool,
}

impl SavedShared {
    /// Opens what another account has sealed to this one; `None` for what does not open, or is not of this form.
    #[must_use]
    pub fn open(vault: &Vault, keys: &SealedKeys) -> Option<Self> {
        let content = vault.open(&parts(keys)?).ok()?;
        let Object(handed) = serde_json::from_slice::<Object<HandedKeys>>(&content).ok()?;
        let keys = handed.keys.into_iter().map(|key| ContentKey::new(key.0));
        Self::of(keys.collect(), decode_array(&handed.current)?, handed.is_deposited)
    }

    fn of(mut keys: Vec<ContentKey>, current: KeyId, is_deposited: bool) -> Option<Self> {
        keys.drain(..keys.len().saturating_sub(MOST_KEYS));
        key_among(&keys, current)?;
        Some(Self { keys, current, is_deposited })
    }

    /// What is deposited; `None` for what is no set of keys.
    pub(super) fn of_deposit(deposited: &BeamKeys) -> Option<Self> {
        let secrets = deposited.keys.iter().map(|key| Secret::new(*key.as_bytes()));
        Self::of(secrets.map(ContentKey::new).collect(), *deposited.current?.as_bytes(), true)
    }

    /// What is told with them. Nobody told how often they were changed.
    pub(super) fn told(self, link: Option<&Invite>, is_vaulted: bool) -> Option<SharedKeys> {
        let of_key = Invite::of_key(key_among(&self.keys, self.current)?.secret());
        Some(SharedKeys {
            invite: link.unwrap_or(&of_key).secret().clone(),
            keys: self.keys,
            current: self.current,
            has_let_in: true,
            is_deposited: self.is_deposited,
            is_vaulted,
            changes: Changes::default(),
            devices: Vec::new(),
            removed: Vec::new(),
            unverified: Vec::new(),
        })
    }

    /// Whether a link was made of the key that seals, as by who does not know the other one.
    fn names_key(&self, link: &Invite) -> bool {
        key_among(&self.keys, self.current)
            .is_some_and(|key| Invite::of_key(key.secret()).id() == link.id())
    }
}

impl Keyring {
    /// Begins with what the own vault holds. `link` is that by which the device came: only what is of it is taken. `None` for anything else.
    #[must_use]
    pub fn of_own(
        entry: &OwnEntry,
        link: Option<&Invite>,
        random: &mut dyn Random,
    ) -> Option<Self> {
        let shared = SharedKeys { is_vaulted: true, ..entry.shared.clone() };
        let sealing = key_among(&shared.keys, shared.current)?;
        let is_of_link = link.is_none_or(|link| {
            let invites = [Invite::new(shared.invite.clone()), Invite::of_key(sealing.secret())];
            invites.iter().any(|invite| invite.id() == link.id())
        });
        if is_of_link { Self::begun(&shared, random) } else { None }
    }

    /// Begins with what another account has sealed to this one: `link` as for [`Keyring::of_own`].
    #[must_use]
    pub fn of_handed(
        handed: &SavedShared,
        link: Option<&Invite>,
        random: &mut dyn Random,
    ) -> Option<Self> {
        if link.is_some_and(|link| !handed.names_key(link)) {
            return None;
        }
        Self::begun(&handed.clone().told(link, true)?, random)
    }

    /// Begins with what is deposited with the server, which can read it. Who came by a link takes only what is proved to be by who has
    /// it (E9).
    #[must_use]
    pub fn of_deposit(
        deposited: &BeamKeys,
        link: Option<&Invite>,
        random: &mut dyn Random,
    ) -> Option<Self> {
        let shared = SavedShared::of_deposit(deposited)?;
        let secrets = deposited.keys.iter().map(|key| Secret::new(*key.as_bytes()));
        let secrets: Vec<_> = secrets.collect();
        let is_proved = link.is_none_or(|link| {
            let proof = deposited.proof.as_ref().map(|proof| &proof.as_bytes()[..]);
            let proof = proof.unwrap_or_default();
            shared.names_key(link) || deposit::check(link, shared.current, &secrets, proof).is_ok()
        });
        if is_proved { Self::begun(&shared.told(link, false)?, random) } else { None }
    }

    fn begun(told: &SharedKeys, random: &mut dyn Random) -> Option<Self> {
        let mut ring = Self::with_link(told.invite.clone(), random);
        ring.take(told, Taken::All, Duration::ZERO, random).then_some(ring)
    }

    /// What is deposited with the server (E9), which can read it; `None` before this device has been let in.
    #[must_use]
    pub fn for_deposit(&self) -> Option<BeamKeys> {
        let shared = self.shared()?;
        let secrets: Vec<_> = shared.keys.iter().map(|key| key.secret().clone()).collect();
        let proof = deposit::prove(self.invite()?, shared.current, &secrets);
        let parse = |secret: &Secret<32>| {
            DepositedKey::parse(&Zeroizing::new(encode(secret.expose()))).ok()
        };
        Some(BeamKeys {
            keys: secrets.iter().map(parse).collect::<Option<_>>()?,
            current: Some(heliograph_shared::ids::KeyId::from_bytes(shared.current)),
            proof: DepositProof::parse(&encode(&proof)).ok(),
        })
    }

    /// What the owner of the beam seals of it to its own vault; `None` before this device has been let in.
    #[must_use]
    pub fn for_vault(&self, tag: String) -> Option<OwnEntry> {
        let shared = self.shared()?;
        let (ends, people, names) = (Vec::new(), Vec::new(), Vec::new());
        Some(OwnEntry { shared, tag, ends, people, names })
    }
}

fn parts(keys: &SealedKeys) -> Option<vault::SealedKeys> {
    Some(vault::SealedKeys {
        from: keys.from.as_bytes().try_into().ok()?,
        encapsulated: keys.encapsulated.as_bytes().try_into().ok()?,
        sealed: keys.sealed.as_bytes().to_vec(),
    })
}

/// What names a beam in the vault of its owner.
#[must_use]
pub fn new_tag(random: &mut dyn Random) -> String {
    encode(&random::bytes::<16>(random))
}
