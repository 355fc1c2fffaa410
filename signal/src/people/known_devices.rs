//! Devices on which somebody logged in before. Failed logins of an account delay everybody who tries it, except on
//! these devices, whose attempts are counted separately (OWASP, "Slow Down Online Guessing Attacks with Device
//! Cookies").

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::secrets::Secret;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::Error;
use crate::random;

/// How long a device stays known after its last login. Browsers keep cookies for at most 400 days.
pub const DEVICE_LIFETIME: Duration = Duration::from_hours(365 * 24);

/// The random name of a known device.
pub type DeviceNonce = [u8; 16];

/// A known device's name, and the server's proof (HMAC) that it belongs to an account. Without the secret it does not
/// reveal the account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KnownDevice {
    nonce: DeviceNonce,
    proof: [u8; 32],
}

impl KnownDevice {
    /// A device with a new name.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Internal`].
    pub fn fresh(account: AccountId, secret: &Secret) -> Result<Self, Error> {
        let nonce = random::bytes()?;
        let proof = mac(nonce, account, secret)?.finalize().into_bytes().into();
        Ok(Self { nonce, proof })
    }

    /// The device's name, if the proof is for this account.
    #[must_use]
    pub fn nonce_for(&self, account: AccountId, secret: &Secret) -> Option<DeviceNonce> {
        let mac = mac(self.nonce, account, secret).ok()?;
        mac.verify_slice(&self.proof).ok().map(|()| self.nonce)
    }

    /// Parses a cookie's value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 48] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (nonce, proof) = bytes.split_first_chunk()?;
        Some(Self { nonce: *nonce, proof: proof.try_into().ok()? })
    }

    /// The cookie's value.
    #[must_use]
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode([&self.nonce[..], &self.proof].concat())
    }
}

fn mac(nonce: DeviceNonce, account: AccountId, secret: &Secret) -> Result<Hmac<Sha256>, Error> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_| Error::Internal)?;
    mac.update(&nonce);
    mac.update(account.as_bytes());
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_known_for_the_account_that_logged_in_on_it_and_for_no_other() {
        let (ada, bob) = (AccountId::from_random([1; 16]), AccountId::from_random([2; 16]));
        let (secret, other) = (Secret::new([3; 32]), Secret::new([4; 32]));
        let device = KnownDevice::fresh(ada, &secret).unwrap();
        let read = KnownDevice::parse(&device.encode()).unwrap();
        assert_eq!(read.nonce_for(ada, &secret), Some(device.nonce));
        assert_eq!(read.nonce_for(bob, &secret), None);
        assert_eq!(read.nonce_for(ada, &other), None);
        let forged = KnownDevice { nonce: [0; 16], ..device };
        assert_eq!(forged.nonce_for(ada, &secret), None);
    }

    #[test]
    fn what_is_no_device_is_none() {
        let text = KnownDevice { nonce: [1; 16], proof: [2; 32] }.encode();
        for wrong in ["", "x", &text[1..], &format!("{text}A"), "é"] {
            assert!(KnownDevice::parse(wrong).is_none(), "{wrong:?}");
        }
    }
}
