//! Key pairs on the curve P-256 (FIPS 186-5): one for each join, and never again, and one for each device of a beam (E15).

use hpke::kem::DhP256HkdfSha256;
use hpke::{Deserializable as _, Kem, Serializable as _};
use p256::ecdh::diffie_hellman;
use zeroize::Zeroizing;

use super::error::Error;
use super::secret::Secret;

pub(super) type PrivateKey = <DhP256HkdfSha256 as Kem>::PrivateKey;

/// A public key, uncompressed (SEC 1, section 2.3.3).
pub type PublicKey = [u8; 65];

/// A private key with its public key. The private one is overwritten when the pair is dropped.
#[derive(Clone)]
pub struct KeyPair {
    private: PrivateKey,
    public: PublicKey,
}

impl KeyPair {
    /// The pair that follows from 32 random bytes, which are used for nothing else (RFC 9180, section 7.1.3).
    #[must_use]
    pub fn derive(randomness: &Secret<32>) -> Self {
        let (private, _) = DhP256HkdfSha256::derive_keypair(randomness.expose());
        Self::of(private)
    }

    /// The pair of a private key, most significant byte first.
    ///
    /// # Errors
    /// [`Error::NoKey`] for zero, and from the order of the curve on.
    pub fn from_private(bytes: &Secret<32>) -> Result<Self, Error> {
        PrivateKey::from_bytes(bytes.expose()).map(Self::of).map_err(|_| Error::NoKey)
    }

    fn of(private: PrivateKey) -> Self {
        let public = DhP256HkdfSha256::sk_to_pk(&private).to_bytes().into();
        Self { private, public }
    }

    /// The public key.
    #[must_use]
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(super) const fn private(&self) -> &PrivateKey {
        &self.private
    }

    /// What both ends of a key agreement have: the x-coordinate of ECDH (NIST SP 800-56A, section 5.7.1.2).
    ///
    /// # Errors
    /// [`Error::NoKey`] when the other key is no point of the curve.
    pub(super) fn agree(&self, theirs: &PublicKey) -> Result<Secret<32>, Error> {
        let private = Zeroizing::new(self.private.to_bytes());
        let private = p256::SecretKey::from_bytes(&private).map_err(|_| Error::NoKey)?;
        let theirs = p256::PublicKey::from_sec1_bytes(theirs).map_err(|_| Error::NoKey)?;
        let shared = diffie_hellman(private.to_nonzero_scalar(), theirs.as_affine());
        Secret::from_slice(shared.raw_secret_bytes())
    }
}
