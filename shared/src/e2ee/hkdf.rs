//! HKDF-SHA-256 (RFC 5869).

use hkdf::Hkdf;
use sha2::Sha256;

use super::secret::Secret;

/// Bytes of SHA-256. HKDF gives at most 255 times as many (RFC 5869, section 2.3).
const HASH_BYTES: usize = 32;

/// Derives `N` bytes. `info` says what they are for, so that no two uses have the same bytes.
pub(super) fn derive<const M: usize, const N: usize>(
    secret: &Secret<M>,
    info: &str,
    salt: &[u8],
) -> Secret<N> {
    expand_with(&Hkdf::new(Some(salt), secret.expose()), info.as_bytes())
}

/// The second half of HKDF alone, for a secret that is uniformly random already (RFC 5869, sections 2.3 and 3.3).
pub(super) fn expand<const N: usize>(secret: &Secret<32>, info: &[u8]) -> Secret<N> {
    let Ok(hkdf) = Hkdf::from_prk(secret.expose()) else {
        unreachable!("a secret is as long as the hash");
    };
    expand_with(&hkdf, info)
}

fn expand_with<const N: usize>(hkdf: &Hkdf<Sha256>, info: &[u8]) -> Secret<N> {
    const { assert!(N <= 255 * HASH_BYTES) };
    Secret::written_by(|bytes| {
        if hkdf.expand(info, bytes).is_err() {
            unreachable!("no secret is that long");
        }
    })
}
