//! HPKE (RFC 9180) with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, in whichever mode: what a welcome (E6) and keys
//! that are handed over (E15) have in common.

use std::convert::Infallible;

use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::rand_core::{TryCryptoRng, TryRng};
use hpke::{
    Deserializable as _, Kem, OpModeR, OpModeS, Serializable as _, setup_receiver,
    setup_sender_with_rng,
};
use zeroize::Zeroizing;

use super::error::Error;
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;

pub(super) type Suite = DhP256HkdfSha256;
type Encapsulated = <Suite as Kem>::EncappedKey;
type HpkePublicKey = <Suite as Kem>::PublicKey;

/// A public key as a point. [`Error::NoKey`] when it is none of the curve.
pub(super) fn point(key: &PublicKey) -> Result<HpkePublicKey, Error> {
    HpkePublicKey::from_bytes(key).map_err(|_| Error::NoKey)
}

/// Seals a content to a public key. `randomness` becomes the ephemeral key pair: `ikmE` of RFC 9180, appendix A. Returns its
/// public half, and the content with its tag. [`Error::NoKey`] for a key of no point, [`Error::TooLong`] from 64 GiB on.
pub(super) fn seal(
    mode: &OpModeS<'_, Suite>,
    to: &PublicKey,
    info: &[u8],
    content: &[u8],
    randomness: &Secret<32>,
) -> Result<(PublicKey, Vec<u8>), Error> {
    let (encapsulated, mut sender) = setup_sender_with_rng::<AesGcm256, HkdfSha256, Suite>(
        mode,
        &point(to)?,
        info,
        &mut Given(randomness.expose()),
    )
    .map_err(|_| Error::NoKey)?;
    let sealed = sender.seal(content, b"").map_err(|_| Error::TooLong)?;
    Ok((encapsulated.to_bytes().into(), sealed))
}

/// Opens what was sealed to a key pair. [`Error::NoKey`] when the encapsulated key is no point, and else [`Error::NotAuthentic`].
pub(super) fn open(
    mode: &OpModeR<'_, Suite>,
    keys: &KeyPair,
    info: &[u8],
    (encapsulated, sealed): (&PublicKey, &[u8]),
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let encapsulated = Encapsulated::from_bytes(encapsulated).map_err(|_| Error::NoKey)?;
    let mut receiver =
        setup_receiver::<AesGcm256, HkdfSha256, Suite>(mode, keys.private(), &encapsulated, info)
            .map_err(|_| Error::NotAuthentic)?;
    receiver.open(sealed, b"").map(Zeroizing::new).map_err(|_| Error::NotAuthentic)
}

/// Gives the bytes that it was given, each once. HPKE asks for as many as a private key has, and no more.
struct Given<'a>(&'a [u8]);

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
