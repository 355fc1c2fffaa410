//! HMAC-SHA-256 (RFC 2104).

use hmac::{Hmac, KeyInit as _};
use sha2::Sha256;

use super::secret::Secret;

pub(super) fn mac_with(key: &Secret<32>) -> Hmac<Sha256> {
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(key.expose()) else {
        unreachable!("HMAC takes keys of any length");
    };
    mac
}
