//! Vaults of accounts, and the keys of saved beams that are sealed to them (section E). The server opens nothing of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::ids::BeamId;
use crate::names::Username;
use crate::opaque::Opaque;

/// Bytes of a salt.
const SALT_BYTES: usize = 16;
/// Bytes of a public key (P-256, uncompressed), and of a key that HPKE has encapsulated.
const PUBLIC_KEY_BYTES: usize = 65;
/// Fewest bytes of anything sealed: a nonce and a tag, and a key between them.
const SEALED_BYTES: usize = 28;

/// How a password is stretched before it is split (E16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Stretch {
    /// 16 random bytes.
    pub salt: Opaque,
    /// Memory of argon2id in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
}

/// Body of `POST /api/auth/way/` (H53).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct AskedWay {
    /// The username, matched without case.
    pub username: String,
}

/// Answer to `POST /api/auth/way/` (H53).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct LoginWay {
    /// How the password is stretched; null where it is sent as it was typed.
    pub stretch: Option<Stretch>,
}

/// The vault of an account (E17). All but the public key is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Vault {
    /// How often it was written.
    pub version: u32,
    /// How the password is stretched that opens it.
    pub stretch: Stretch,
    /// Its secret, sealed under a part of the password; null since the operator has replaced the password.
    pub by_password: Option<Opaque>,
    /// Its secret, sealed under the recovery words.
    pub by_words: Opaque,
    /// To which others seal for this account.
    pub public_key: Opaque,
}

impl Vault {
    /// Whether its parts have the lengths of what they are to be.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let length = |part: &Opaque| part.as_bytes().len();
        length(&self.stretch.salt) == SALT_BYTES
            && length(&self.public_key) == PUBLIC_KEY_BYTES
            && length(&self.by_words) > SEALED_BYTES
            && self.by_password.as_ref().is_some_and(|sealed| length(sealed) > SEALED_BYTES)
    }
}

/// Answer to `GET /api/auth/vault/` (H54).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct OwnVault {
    /// The vault; null where the account has none.
    pub vault: Option<Vault>,
}

/// Body of `PUT /api/auth/vault/` (H54). Without `Debug`, so that no log can contain a password.
#[derive(Clone, Serialize, Deserialize, TS, ToSchema)]
pub struct VaultChange {
    /// The password of now, as it is sent at login.
    pub password: String,
    /// What is sent at login from now on.
    pub new_password: String,
    /// The vault, its version one more than that of now; 1 for the first.
    pub vault: Vault,
}

/// The keys of a beam, sealed by one account to one account (E18).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct SealedKeys {
    /// The public key of the account that has sealed them.
    pub from: Opaque,
    /// What HPKE has encapsulated.
    pub encapsulated: Opaque,
    /// The keys.
    pub sealed: Opaque,
}

impl SealedKeys {
    /// Whether its parts have the lengths of what they are to be.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_key = |part: &Opaque| part.as_bytes().len() == PUBLIC_KEY_BYTES;
        is_key(&self.from) && is_key(&self.encapsulated) && !self.sealed.as_bytes().is_empty()
    }
}

/// A person with access to a saved beam.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct VaultPerson {
    /// The username.
    pub username: String,
    /// The public key of the person's vault; null without one.
    pub public_key: Option<Opaque>,
    /// Whether the beam's keys are sealed to it.
    pub has_keys: bool,
}

/// Answer to `GET /api/beams/{beam_id}/vault/` (H55).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamVault {
    /// How often the keys were written; 0 where they are in no vault.
    pub version: u32,
    /// The keys as they are sealed to the caller; null where they are not.
    pub keys: Option<SealedKeys>,
    /// The owner, and the people with a share. Only for the owner; empty for others.
    pub people: Vec<VaultPerson>,
}

/// The keys for one person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct KeysForPerson {
    /// The username.
    pub username: String,
    /// The public key of that person, to which they are sealed.
    pub to: Opaque,
    /// The keys.
    pub keys: SealedKeys,
}

/// Body of `PUT /api/beams/{beam_id}/vault/` (H55).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct BeamVaultChange {
    /// One more than the version of now.
    pub version: u32,
    /// For everybody who is to have them. They take the place of those before.
    pub keys: Vec<KeysForPerson>,
}

impl BeamVaultChange {
    /// Whether it names nobody twice, has keys for the one who writes it, who must not lose them, and all of them have the lengths
    /// of what they are to be.
    #[must_use]
    pub fn is_whole(&self, writer: &str) -> bool {
        let key = |username: &str| Username::parse(username).map(|username| username.key());
        let people: Result<BTreeSet<_>, _> =
            self.keys.iter().map(|one| key(&one.username)).collect();
        people.is_ok_and(|people| {
            people.len() == self.keys.len()
                && key(writer).is_ok_and(|writer| people.contains(&writer))
        }) && self.keys.iter().all(|one| one.keys.is_whole())
    }
}

/// How the keys of a saved beam are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct KeptBeam {
    /// The beam.
    pub beam_id: BeamId,
    /// The keys as they are sealed to the caller; null where the server has them as they are (H52).
    pub keys: Option<SealedKeys>,
}

/// Answer to `GET /api/auth/vault/beams/` (H56): the beams of the caller, and those shared with them, whose keys are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct KeptBeams {
    /// The beams.
    pub beams: Vec<KeptBeam>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h55_keys_are_written_for_each_person_once_and_for_who_writes_them() {
        let bytes = |count: usize| Opaque::new(vec![1; count]);
        let with = |sealed: usize, usernames: &[&str]| {
            let one = |username: &&str| KeysForPerson {
                username: (*username).to_owned(),
                to: bytes(65),
                keys: SealedKeys {
                    from: bytes(65),
                    encapsulated: bytes(65),
                    sealed: bytes(sealed),
                },
            };
            BeamVaultChange { version: 1, keys: usernames.iter().map(one).collect() }
        };
        assert!(with(300, &["ada"]).is_whole("Ada"));
        assert!(with(300, &["bob", " ADA "]).is_whole("Ada"));
        for (change, why) in [
            (with(0, &["ada"]), "nothing is sealed"),
            (with(300, &[]), "nobody has keys"),
            (with(300, &["bob"]), "the writer has none"),
            (with(300, &["ada", "bob", "ADA "]), "one person twice"),
            (with(300, &["ada", "a b"]), "what is no username"),
        ] {
            assert!(!change.is_whole("Ada"), "{why}");
        }
    }
}
