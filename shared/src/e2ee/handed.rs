//! The keys that a device hands to another one when a device was removed or the link was renewed (E15): HPKE (RFC 9180) in its
//! mode with the sender's key, with the suite of a welcome. Each device has a key pair for the beam, so that nobody else can open
//! what it is handed, or hand anything over in its place: a removed device has every other key.

use hpke::{OpModeR, OpModeS};
use zeroize::Zeroizing;

use super::error::Error;
use super::hpke_suite::{self, point};
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;
use crate::ids::DeviceId;

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
        let mode = OpModeS::Auth((from.0.private().clone(), point(from.0.public())?));
        let (encapsulated, sealed) =
            hpke_suite::seal(&mode, to.0, &info(from.1, to.1), content, randomness)?;
        Ok(Self { encapsulated, sealed })
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
        let mode = OpModeR::Auth(point(from.0)?);
        let message = (&self.encapsulated, &self.sealed[..]);
        hpke_suite::open(&mode, to.0, &info(from.1, to.1), message)
    }
}

/// Binds what is handed over to both devices, whose ids are of one length.
fn info(from: DeviceId, to: DeviceId) -> Vec<u8> {
    [b"beam-e2e/1 keys", from.to_string().as_bytes(), to.to_string().as_bytes()].concat()
}
