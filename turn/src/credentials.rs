//! Time-limited credentials after "A REST API for Access to TURN Services": the user name is `expiry:device`, the
//! password is the HMAC-SHA1 of that name in base64. Nothing is stored, and coturn's `use-auth-secret` takes the same.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha1::{Digest, Sha1};

/// What a device shows to get an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// `expiry:device`.
    pub username: String,
    /// What the server and the device know.
    pub password: String,
}

/// Makes credentials for a device. They are good before `expires`, in seconds since 1970.
#[must_use]
pub fn mint(secret: &[u8], device: &str, expires: u64) -> Credentials {
    let username = format!("{expires}:{device}");
    let password = password(secret, &username);
    Credentials { username, password }
}

/// What a user name says. Only the signature of a message proves that the server gave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// When it ends, in seconds since 1970.
    pub expires: u64,
    /// By whom quotas count.
    pub device: &'a str,
}

impl<'a> Claim<'a> {
    /// Reads a user name.
    #[must_use]
    pub fn read(username: &'a str) -> Option<Self> {
        let (expires, device) = username.split_once(':')?;
        let digits = !expires.is_empty() && expires.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || device.is_empty() {
            return None;
        }
        Some(Self { expires: expires.parse().ok()?, device })
    }

    /// Whether it is over at `now`, in seconds since 1970.
    #[must_use]
    pub fn has_expired(&self, now: u64) -> bool {
        self.expires <= now
    }
}

/// The password that belongs to a user name.
#[must_use]
pub fn password(secret: &[u8], username: &str) -> String {
    let mut mac = Hmac::<Sha1>::new(&block(secret).into());
    mac.update(username.as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

/// The secret as a block of the hash, as RFC 2104 has it: filled up with zeros, or hashed first.
fn block(secret: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    match block.get_mut(..secret.len()) {
        Some(start) => start.copy_from_slice(secret),
        None => block[..20].copy_from_slice(&Sha1::digest(secret)),
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_the_one_that_openssl_computes() {
        // printf 1700000000:ada | openssl dgst -sha1 -hmac topsecret -binary | base64
        let minted = mint(b"topsecret", "ada", 1_700_000_000);
        assert_eq!(minted.username, "1700000000:ada");
        assert_eq!(minted.password, "/wyA6xPcfulYDT1oqx58qncUT1w=");
    }

    #[test]
    fn a_secret_longer_than_a_block_counts_as_a_whole() {
        // printf 1700000000:ada | openssl dgst -sha1 -hmac "$(printf 'x%.0s' $(seq 100))" -binary | base64
        assert_eq!(password(&[b'x'; 100], "1700000000:ada"), "REvefUFXmQVpk3c4tWXc2FOITIY=");
    }

    #[test]
    fn a_name_says_when_it_ends_and_whose_it_is() {
        let claim = Claim::read("1700000000:ada:2").unwrap();
        assert_eq!(claim, Claim { expires: 1_700_000_000, device: "ada:2" });
        assert!(!claim.has_expired(1_699_999_999));
        assert!(claim.has_expired(1_700_000_000));
    }

    #[test]
    fn a_name_without_a_time_or_a_device_is_none() {
        for name in ["", ":", "ada", "ada:1700000000", "1700000000", "1700000000:", "+5:ada"] {
            assert_eq!(Claim::read(name), None, "{name}");
        }
        assert_eq!(Claim::read("99999999999999999999:ada"), None);
    }
}
