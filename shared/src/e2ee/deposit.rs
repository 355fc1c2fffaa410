//! The keys of a saved beam as they are deposited with the server (E9). It can read them, and must not make them up for who has
//! the link: so they come with a proof that only the secret of the link makes.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::error::Error;
use super::hkdf::derive;
use super::invite::Invite;
use super::mac::mac_with;
use super::secret::Secret;

/// Proves that who deposits these keys has the link: HMAC-SHA-256 (RFC 2104). `current` is the id of the key that seals.
#[must_use]
pub fn prove(invite: &Invite, current: [u8; 8], keys: &[Secret<32>]) -> [u8; 32] {
    mac(invite, current, keys).finalize().into_bytes().into()
}

/// Checks a proof, in a time that does not depend on where it is wrong. A link that was made of the key which seals needs none
/// ([`Invite::of_key`]).
///
/// # Errors
/// [`Error::NotAuthentic`] when it is wrong.
pub fn check(
    invite: &Invite,
    current: [u8; 8],
    keys: &[Secret<32>],
    proof: &[u8],
) -> Result<(), Error> {
    mac(invite, current, keys).verify_slice(proof).map_err(|_| Error::NotAuthentic)
}

fn mac(invite: &Invite, current: [u8; 8], keys: &[Secret<32>]) -> Hmac<Sha256> {
    let key = derive(invite.secret(), "beam-e2e/1 deposit-mac", b"");
    let mac = mac_with(&key).chain_update(b"deposit").chain_update(current);
    keys.iter().fold(mac, |mac, key| mac.chain_update(key.expose()))
}
