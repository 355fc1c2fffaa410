//! What a device in a beam gives to one that joins (E6): HPKE (RFC 9180) in its mode with a pre-shared key, DHKEM(P-256,
//! HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. Who does not have the pre-shared key can neither make a welcome nor open one, and
//! the key pair of the joiner is made for it alone, so that a link that leaks later opens nothing that was recorded.

use hpke::{OpModeR, OpModeS, PskBundle};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::error::Error;
use super::hpke_suite;
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;
use crate::ids::DeviceId;

/// A pre-shared key and its name: of an invite, or of a comparison.
#[derive(Clone)]
pub struct Psk {
    /// Names it, and tells nothing of it.
    pub id: [u8; 8],
    /// The key.
    pub key: Secret<32>,
}

impl Psk {
    fn bundle(&self) -> Result<PskBundle<'_>, Error> {
        PskBundle::new(self.key.expose(), &self.id).map_err(|_| Error::Malformed)
    }
}

/// A sealed welcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The public key that was made for this welcome.
    pub encapsulated: PublicKey,
    /// The content and its tag of 16 bytes.
    pub sealed: Vec<u8>,
}

impl Welcome {
    /// Seals a content for a joiner. `randomness` becomes the ephemeral key pair: `ikmE` of RFC 9180, appendix A.
    ///
    /// # Errors
    /// [`Error::NoKey`] when the joiner's key is no point of the curve, and [`Error::TooLong`] from 64 GiB on.
    pub fn seal(
        content: &[u8],
        joiner: (&PublicKey, DeviceId),
        psk: &Psk,
        randomness: &Secret<32>,
    ) -> Result<Self, Error> {
        let (key, device) = joiner;
        let mode = OpModeS::Psk(psk.bundle()?);
        let (encapsulated, sealed) =
            hpke_suite::seal(&mode, key, &info(key, device), content, randomness)?;
        Ok(Self { encapsulated, sealed })
    }

    /// Opens a welcome that was sealed for this key pair and this device.
    ///
    /// # Errors
    /// [`Error::NoKey`] when the encapsulated key is no point of the curve, and else [`Error::NotAuthentic`].
    pub fn open(
        &self,
        keys: &KeyPair,
        device: DeviceId,
        psk: &Psk,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mode = OpModeR::Psk(psk.bundle()?);
        let message = (&self.encapsulated, &self.sealed[..]);
        hpke_suite::open(&mode, keys, &info(keys.public(), device), message)
    }
}

/// Binds a welcome to the key and to the device of the joiner.
fn info(key: &PublicKey, device: DeviceId) -> Vec<u8> {
    [b"beam-e2e/1 welcome", &Sha256::digest(key)[..], device.to_string().as_bytes()].concat()
}
