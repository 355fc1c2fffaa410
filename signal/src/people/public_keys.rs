//! Public keys of vaults, to which clients seal.

use heliograph_shared::opaque::Opaque;
use rustls::crypto::ring::kx_group::SECP256R1;

/// Whether a public key is an uncompressed point of P-256. To anything else no client can seal, and whoever seals the keys of a beam
/// to all its people at once would fail. The library tells by a key exchange.
#[must_use]
pub fn is_point(key: &Opaque) -> bool {
    SECP256R1.start().is_ok_and(|exchange| exchange.complete(key.as_bytes()).is_ok())
}

#[cfg(test)]
mod tests {
    use rcgen::KeyPair;

    use super::*;

    #[test]
    fn h54_what_is_no_point_of_the_curve_is_no_public_key() {
        let key = KeyPair::generate().unwrap().public_key_raw().to_vec();
        assert_eq!(key.len(), 65);
        assert!(is_point(&Opaque::new(key.clone())));
        for (at, why) in [(0, "the form"), (1, "x"), (64, "y")] {
            let mut other = key.clone();
            other[at] ^= 1;
            assert!(!is_point(&Opaque::new(other)), "{why}");
        }
        assert!(!is_point(&Opaque::new(vec![1; 65])));
    }
}
