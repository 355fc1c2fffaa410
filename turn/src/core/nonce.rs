//! Nonces that need no memory: each is a time and a code over the time and the client's address. Whoever asks without
//! credentials leaves nothing behind, whatever the number of requests.

use std::net::{IpAddr, SocketAddr};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Seconds for which a nonce is good: RFC 8656 section 5 wants a new one at least every hour.
const LIFETIME: u64 = 3_600;
/// Bytes of the time.
const STAMP: usize = 4;
/// Bytes of the code. Short, because it goes to addresses that nobody has proven; long enough not to be guessed.
const CODE: usize = 11;

/// Makes nonces and recognizes its own.
#[derive(Clone)]
pub struct Nonces {
    secret: [u8; 64],
}

impl std::fmt::Debug for Nonces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Nonces(…)")
    }
}

impl Nonces {
    /// With a random secret that no other process has.
    #[must_use]
    pub fn new(secret: [u8; 64]) -> Self {
        Self { secret }
    }

    /// A nonce for one client, at a time in seconds since 1970.
    #[must_use]
    pub fn make(&self, client: SocketAddr, now: u64) -> String {
        // The seconds of 2106 and later begin again at zero; ages are computed accordingly.
        let stamp = stamp_of(now);
        let mut nonce = [0; STAMP + CODE];
        nonce[..STAMP].copy_from_slice(&stamp);
        nonce[STAMP..].copy_from_slice(&self.code(client, stamp).finalize().into_bytes()[..CODE]);
        BASE64_URL_SAFE_NO_PAD.encode(nonce)
    }

    /// Whether this nonce was made here, for this client, and not too long ago.
    #[must_use]
    pub fn is_fresh(&self, nonce: &str, client: SocketAddr, now: u64) -> bool {
        let Ok(nonce) = BASE64_URL_SAFE_NO_PAD.decode(nonce) else { return false };
        let Some((stamp, code)) = nonce.split_first_chunk::<STAMP>() else { return false };
        let age = u32::from_be_bytes(stamp_of(now)).wrapping_sub(u32::from_be_bytes(*stamp));
        code.len() == CODE
            && u64::from(age) < LIFETIME
            && self.code(client, *stamp).verify_truncated_left(code).is_ok()
    }

    fn code(&self, client: SocketAddr, stamp: [u8; STAMP]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new(&self.secret.into());
        code.update(&stamp);
        code.update(&client.port().to_be_bytes());
        match client.ip() {
            IpAddr::V4(ip) => code.update(&ip.octets()),
            IpAddr::V6(ip) => code.update(&ip.octets()),
        }
        code
    }
}

fn stamp_of(now: u64) -> [u8; STAMP] {
    let [_, _, _, _, a, b, c, d] = now.to_be_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn client(port: u16) -> SocketAddr {
        SocketAddr::new([198, 51, 100, 7].into(), port)
    }

    #[test]
    fn a_nonce_is_good_for_an_hour_and_for_its_client_alone() {
        let nonces = Nonces::new([7; 64]);
        let nonce = nonces.make(client(5_000), NOW);
        assert!(nonces.is_fresh(&nonce, client(5_000), NOW));
        assert!(nonces.is_fresh(&nonce, client(5_000), NOW + LIFETIME - 1));
        assert!(!nonces.is_fresh(&nonce, client(5_000), NOW + LIFETIME));
        assert!(!nonces.is_fresh(&nonce, client(5_001), NOW));
        assert!(!Nonces::new([8; 64]).is_fresh(&nonce, client(5_000), NOW));
    }

    #[test]
    fn a_nonce_that_was_changed_or_made_up_is_not_good() {
        let nonces = Nonces::new([7; 64]);
        let nonce = nonces.make(client(5_000), NOW);
        assert_eq!(nonce.len(), 20);
        for at in 0..nonce.len() {
            let mut changed = nonce.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(!nonces.is_fresh(&changed, client(5_000), NOW), "{changed}");
        }
        for made_up in ["", "A", "AAAAAA", "äöü", &nonce[..8], &format!("{nonce}AAAA")] {
            assert!(!nonces.is_fresh(made_up, client(5_000), NOW), "{made_up}");
        }
    }
}
