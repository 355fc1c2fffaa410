//! What the password of an account with a vault becomes before anything of it is sent (E16): argon2id (RFC 9106), and then two parts
//! that say nothing of each other.

use std::ops::RangeInclusive;

use argon2::{Algorithm, Argon2, Params, Version};
use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

use super::error::Error;
use super::hkdf::derive;
use super::secret::Secret;

const LANES: u32 = 1;
const HASH_BYTES: usize = 32;

/// How a password is stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Of the account.
    pub salt: [u8; 16],
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
}

/// The two parts of a stretched password.
#[derive(Clone)]
pub struct Parts {
    /// What the server checks at login. It is sent as base64url.
    pub login: Secret<32>,
    /// What opens the vault. It goes nowhere.
    pub vault: Secret<32>,
}

impl Stretch {
    /// With less, a server could have all passwords tried; more would be one that wants to keep a device busy.
    pub const MEMORY_KIB: RangeInclusive<u32> = 64 * 1024..=1024 * 1024;
    /// As for the memory.
    pub const PASSES: RangeInclusive<u32> = 3..=16;

    /// Stretches a password, however a keyboard writes its letters (NFC).
    ///
    /// # Errors
    /// [`Error::Malformed`] for too little or too much memory, or too few or too many passes.
    pub fn parts(&self, password: &str) -> Result<Parts, Error> {
        if !(Self::MEMORY_KIB.contains(&self.memory_kib) && Self::PASSES.contains(&self.passes)) {
            return Err(Error::Malformed);
        }
        let secret = self.hash(password)?;
        Ok(Parts {
            login: derive(&secret, "beam-e2e/1 login", b""),
            vault: derive(&secret, "beam-e2e/1 vault-password", b""),
        })
    }

    fn hash(&self, password: &str) -> Result<Secret<32>, Error> {
        let password: Zeroizing<String> = Zeroizing::new(password.nfc().collect());
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(HASH_BYTES));
        let params = params.map_err(|_| Error::Malformed)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut done = Ok(());
        let hash = Secret::written_by(|bytes| {
            done = argon2.hash_password_into(password.as_bytes(), &self.salt, bytes);
        });
        done.map(|()| hash).map_err(|_| Error::Malformed)
    }
}
