//! The keys that a device hands to another one when a device was removed or the link was renewed (E15): HPKE (RFC 9180) in its
//! mode with the sender's key, with the suite of a welcome. Each device has a key pair for the beam, so that nobody else can open
//! what it is handed, or hand anything over in its place: a removed device has every other key.

use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::{
    Deserializable as _, Kem, OpModeR, OpModeS, Serializable as _, setup_receiver,
    setup_sender_with_rng,
};
use zeroize::Zeroizing;

use super::error::Error;
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;
use super::welcome::Given;
use crate::ids::DeviceId;

type Encapsulated = <DhP256HkdfSha256 as Kem>::EncappedKey;
type HpkePublicKey = <DhP256HkdfSha256 as Kem>::PublicKey;

/// Keys that are sealed by one device for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    /// The public key that was made for this.
    pub encapsulated: PublicKey,
    /// The content and its tag of 16 bytes.
    pub sealed: Vec<u8>,
}

impl Handed {
    /// Seals a content from one device to another. `randomness` becomes the ephemeral key pair, as for a welcome.
    ///
    /// # Errors
    /// [`Error::NoKey`] when a key is no point of the curve, and [`Error::TooLong`] from 64 GiB on.
    pub fn seal(
        content: &[u8],
        from: (&KeyPair, DeviceId),
        to: (&PublicKey, DeviceId),
        randomness: &Secret<32>,
    ) -> Result<Self, Error> {
        let (own, theirs) = (point(from.0.public())?, point(to.0)?);
        let (encapsulated, mut sender) =
            setup_sender_with_rng::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
                &OpModeS::Auth((from.0.private().clone(), own)),
                &theirs,
                &info(from.1, to.1),
                &mut Given(randomness.expose()),
            )
            .map_err(|_| Error::NoKey)?;
        let sealed = sender.seal(content, b"").map_err(|_| Error::TooLong)?;
        Ok(Self { encapsulated: encapsulated.to_bytes().into(), sealed })
    }

    /// Opens what one device has sealed for another.
    ///
    /// # Errors
    /// [`Error::NoKey`] when a key is no point of the curve, and else [`Error::NotAuthentic`].
    pub fn open(
        &self,
        from: (&PublicKey, DeviceId),
        to: (&KeyPair, DeviceId),
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let encapsulated =
            Encapsulated::from_bytes(&self.encapsulated).map_err(|_| Error::NoKey)?;
        let mut receiver = setup_receiver::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
            &OpModeR::Auth(point(from.0)?),
            to.0.private(),
            &encapsulated,
            &info(from.1, to.1),
        )
        .map_err(|_| Error::NotAuthentic)?;
        receiver.open(&self.sealed, b"").map(Zeroizing::new).map_err(|_| Error::NotAuthentic)
    }
}

fn point(key: &PublicKey) -> Result<HpkePublicKey, Error> {
    HpkePublicKey::from_bytes(key).map_err(|_| Error::NoKey)
}

/// Binds what is handed over to both devices, whose ids are of one length.
fn info(from: DeviceId, to: DeviceId) -> Vec<u8> {
    [b"beam-e2e/1 keys", from.to_string().as_bytes(), to.to_string().as_bytes()].concat()
}
