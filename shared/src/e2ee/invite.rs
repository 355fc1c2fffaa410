//! The invite of a beam (E1, E6): a secret that is in its link behind `#k=` and never sent, and what a joiner proves with it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::error::Error;
use super::hkdf::derive;
use super::key_pair::PublicKey;
use super::mac::mac_with;
use super::secret::Secret;
use super::welcome::Psk;

const FRAGMENT: &str = "#k=";

/// An invite, with what follows of its secret.
#[derive(Clone)]
pub struct Invite {
    secret: Secret<32>,
    mac: Secret<32>,
    psk: Psk,
}

impl Invite {
    /// The invite of 32 random bytes.
    #[must_use]
    pub fn new(secret: Secret<32>) -> Self {
        let id = *derive(&secret, "beam-e2e/1 invite-id", b"").expose();
        let mac = derive(&secret, "beam-e2e/1 join-mac", b"");
        let key = derive(&secret, "beam-e2e/1 join-psk", b"");
        Self { secret, mac, psk: Psk { id, key } }
    }

    /// The invite of who has a beam key and not its link, as from a deposit (E9). Every device of the beam knows it.
    #[must_use]
    pub fn of_key(beam_key: &Secret<32>) -> Self {
        Self::new(derive(beam_key, "beam-e2e/1 invite", b""))
    }

    /// Reads the fragment of a link.
    ///
    /// # Errors
    /// [`Error::Malformed`] where there is no invite in it.
    pub fn from_fragment(fragment: &str) -> Result<Self, Error> {
        let text = fragment.strip_prefix(FRAGMENT).ok_or(Error::Malformed)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Error::Malformed)?;
        Ok(Self::new(Secret::from_slice(&Zeroizing::new(bytes))?))
    }

    /// The fragment of a link. Who has it may join.
    #[must_use]
    pub fn to_fragment(&self) -> Zeroizing<String> {
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(self.secret.expose()));
        Zeroizing::new([FRAGMENT, &text].concat())
    }

    /// Names the invite, so that a device knows which of its invites a joiner has.
    #[must_use]
    pub const fn id(&self) -> [u8; 8] {
        self.psk.id
    }

    /// The secret itself, to be stored or given to a device that joins.
    #[must_use]
    pub const fn secret(&self) -> &Secret<32> {
        &self.secret
    }

    /// Without it the welcome of a joiner does not open.
    #[must_use]
    pub const fn psk(&self) -> &Psk {
        &self.psk
    }

    /// Proves that the owner of a public key has the link: HMAC-SHA-256 (RFC 2104).
    #[must_use]
    pub fn prove(&self, key: &PublicKey) -> [u8; 32] {
        self.mac(key).finalize().into_bytes().into()
    }

    /// Checks a proof, in a time that does not depend on where it is wrong. This comes before anything is sealed for the key:
    /// else a server that put in its own could open what was sealed once the link has leaked.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] when it is wrong.
    pub fn check(&self, key: &PublicKey, proof: &[u8]) -> Result<(), Error> {
        self.mac(key).verify_slice(proof).map_err(|_| Error::NotAuthentic)
    }

    fn mac(&self, key: &PublicKey) -> Hmac<Sha256> {
        mac_with(&self.mac).chain_update(b"join").chain_update(key)
    }
}
