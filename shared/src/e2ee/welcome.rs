//! What a device in a beam gives to one that joins (E6): HPKE (RFC 9180) in its mode with a pre-shared key, DHKEM(P-256,
//! HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. Who does not have the pre-shared key can neither make a welcome nor open one, and
//! the key pair of the joiner is made for it alone, so that a link that leaks later opens nothing that was recorded.

use std::convert::Infallible;

use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::rand_core::{TryCryptoRng, TryRng};
use hpke::{
    Deserializable as _, Kem, OpModeR, OpModeS, PskBundle, Serializable as _, setup_receiver,
    setup_sender_with_rng,
};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::error::Error;
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;
use crate::ids::DeviceId;

type Encapsulated = <DhP256HkdfSha256 as Kem>::EncappedKey;

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
        let recipient =
            <DhP256HkdfSha256 as Kem>::PublicKey::from_bytes(key).map_err(|_| Error::NoKey)?;
        let (encapsulated, mut sender) =
            setup_sender_with_rng::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
                &OpModeS::Psk(psk.bundle()?),
                &recipient,
                &info(key, device),
                &mut Given(randomness.expose()),
            )
            .map_err(|_| Error::NoKey)?;
        let sealed = sender.seal(content, b"").map_err(|_| Error::TooLong)?;
        Ok(Self { encapsulated: encapsulated.to_bytes().into(), sealed })
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
        let encapsulated =
            Encapsulated::from_bytes(&self.encapsulated).map_err(|_| Error::NoKey)?;
        let mut receiver = setup_receiver::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
            &OpModeR::Psk(psk.bundle()?),
            keys.private(),
            &encapsulated,
            &info(keys.public(), device),
        )
        .map_err(|_| Error::NotAuthentic)?;
        receiver.open(&self.sealed, b"").map(Zeroizing::new).map_err(|_| Error::NotAuthentic)
    }
}

/// Binds a welcome to the key and to the device of the joiner.
fn info(key: &PublicKey, device: DeviceId) -> Vec<u8> {
    [b"beam-e2e/1 welcome", &Sha256::digest(key)[..], device.to_string().as_bytes()].concat()
}

/// Gives the bytes that it was given, each once. HPKE asks for as many as a private key has, and no more.
pub(super) struct Given<'a>(pub(super) &'a [u8]);

impl TryRng for Given<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let (now, later) = self.0.split_at(bytes.len().min(self.0.len()));
        bytes[..now.len()].copy_from_slice(now);
        self.0 = later;
        Ok(())
    }
}

impl TryCryptoRng for Given<'_> {}
