//! The keys of a kept beam, sealed under the secret of its link (E10): else whoever opens the link after all devices have left could read
//! nothing of what was kept.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead as _, KeyInit as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::error::Error;
use super::hkdf::derive;
use super::invite::Invite;
use super::secret::Secret;

/// What the message of such an item begins with.
pub const PREFIX: &str = "e2k1.";

const NONCE_BYTES: usize = 12;

/// The message that has a content for who has the link. `nonce` is random.
///
/// # Errors
/// [`Error::TooLong`] from 64 GiB on.
pub fn seal(invite: &Invite, content: &[u8], nonce: [u8; NONCE_BYTES]) -> Result<String, Error> {
    let sealed = cipher(invite).encrypt(&nonce.into(), content).map_err(|_| Error::TooLong)?;
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())))
}

/// Opens such a message.
///
/// # Errors
/// [`Error::Malformed`] for what has not its form, and [`Error::NotAuthentic`] for what another secret has sealed, or was changed.
pub fn open(invite: &Invite, message: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let text = message.strip_prefix(PREFIX).ok_or(Error::Malformed)?;
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Error::Malformed)?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(Error::Malformed)?;
    let content = cipher(invite).decrypt(&(*nonce).into(), sealed);
    content.map(Zeroizing::new).map_err(|_| Error::NotAuthentic)
}

fn cipher(invite: &Invite) -> Aes256Gcm {
    let key: Secret<32> = derive(invite.secret(), "beam-e2e/1 kept", b"");
    Aes256Gcm::new(key.expose().into())
}
