//! The vault of an account (E17): one secret, of which a key pair follows. The keys of saved beams are sealed to it (E18).

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hpke::{OpModeR, OpModeS};
use zeroize::Zeroizing;

use super::error::Error;
use super::hkdf::derive;
use super::hpke_suite::{self, point};
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;

const NONCE_BYTES: usize = 12;

/// What a vault is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// The part of the password (E16).
    Password,
    /// What follows of the recovery words ([`key_of_words`]).
    Words,
}

impl Opens {
    const fn about(self) -> &'static [u8] {
        match self {
            Self::Password => b"beam-e2e/1 vault-by-password",
            Self::Words => b"beam-e2e/1 vault-by-words",
        }
    }
}

/// What the twelve words open with. `entropy` are the bytes that they stand for (BIP 39).
#[must_use]
pub fn key_of_words(entropy: &Secret<16>) -> Secret<32> {
    derive(entropy, "beam-e2e/1 vault-words", b"")
}

/// The keys of a beam as they are sealed to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKeys {
    /// The public key of the vault that has sealed them.
    pub from: PublicKey,
    /// The public key that was made for this.
    pub encapsulated: PublicKey,
    /// The content and its tag of 16 bytes.
    pub sealed: Vec<u8>,
}

/// An opened vault.
#[derive(Clone)]
pub struct Vault {
    secret: Secret<32>,
    keys: KeyPair,
}

impl Vault {
    /// The vault of 32 random bytes.
    #[must_use]
    pub fn new(secret: Secret<32>) -> Self {
        let keys = KeyPair::derive(&secret);
        Self { secret, keys }
    }

    /// To which others seal.
    #[must_use]
    pub const fn public(&self) -> &PublicKey {
        self.keys.public()
    }

    /// The secret, of which all else follows. It goes nowhere but to where this device keeps it.
    #[must_use]
    pub const fn secret(&self) -> &Secret<32> {
        &self.secret
    }

    /// The secret, sealed under a key. `nonce` is random.
    #[must_use]
    pub fn wrapped(&self, key: &Secret<32>, opens: Opens, nonce: [u8; NONCE_BYTES]) -> String {
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(self.secret.expose()));
        let payload = Payload { msg: text.as_bytes(), aad: opens.about() };
        let Ok(sealed) = cipher(key).encrypt(&nonce.into(), payload) else {
            unreachable!("a secret is short");
        };
        URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// Opens what [`Vault::wrapped`] has made of the vault with this public key.
    ///
    /// # Errors
    /// [`Error::Malformed`] for what has not its form, and else [`Error::NotAuthentic`].
    pub fn unwrap(
        wrapped: &str,
        key: &Secret<32>,
        opens: Opens,
        public: &PublicKey,
    ) -> Result<Self, Error> {
        let bytes = URL_SAFE_NO_PAD.decode(wrapped).map_err(|_| Error::Malformed)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(Error::Malformed)?;
        let text = cipher(key)
            .decrypt(&(*nonce).into(), Payload { msg: sealed, aad: opens.about() })
            .map(Zeroizing::new)
            .map_err(|_| Error::NotAuthentic)?;
        let secret = URL_SAFE_NO_PAD.decode(&*text).map(Zeroizing::new);
        let vault = Self::new(Secret::from_slice(&secret.map_err(|_| Error::Malformed)?)?);
        if vault.public() == public { Ok(vault) } else { Err(Error::NotAuthentic) }
    }

    /// Seals the keys of a beam to an account, perhaps this one. `randomness` becomes the ephemeral key pair, as for a welcome.
    ///
    /// # Errors
    /// [`Error::NoKey`] when its public key is no point of the curve, and [`Error::TooLong`] from 64 GiB on.
    pub fn seal(
        &self,
        to: &PublicKey,
        content: &[u8],
        randomness: &Secret<32>,
    ) -> Result<SealedKeys, Error> {
        let from = *self.public();
        let mode = OpModeS::Auth((self.keys.private().clone(), point(&from)?));
        let (encapsulated, sealed) =
            hpke_suite::seal(&mode, to, &info(&from, to), content, randomness)?;
        Ok(SealedKeys { from, encapsulated, sealed })
    }

    /// Opens what an account has sealed to this one.
    ///
    /// # Errors
    /// [`Error::NoKey`] when a key is no point of the curve, and else [`Error::NotAuthentic`].
    pub fn open(&self, keys: &SealedKeys) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mode = OpModeR::Auth(point(&keys.from)?);
        let message = (&keys.encapsulated, &keys.sealed[..]);
        hpke_suite::open(&mode, &self.keys, &info(&keys.from, self.public()), message)
    }
}

fn cipher(key: &Secret<32>) -> Aes256Gcm {
    Aes256Gcm::new(key.expose().into())
}

/// Binds what is sealed to both accounts, whose keys are of one length.
fn info(from: &PublicKey, to: &PublicKey) -> Vec<u8> {
    let [from, to] = [from, to].map(|key| URL_SAFE_NO_PAD.encode(key));
    ["beam-e2e/1 vault-keys", &from, &to].concat().into_bytes()
}
