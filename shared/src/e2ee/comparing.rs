//! Lets two people compare what their devices show, where a joiner has no link: commit, accept, reveal, as in the short
//! authentication strings of Matrix. The joiner commits itself to its key before it learns the other one, so that a server in
//! the middle has one guess in 2^24 at keys for which both see the same.
//!
//! The joiner says [`Joiner::commitment`]. The member answers with its [`Share`]. Upon that the joiner reveals its own.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::error::Error;
use super::hkdf::derive;
use super::key_pair::{KeyPair, PublicKey};
use super::secret::Secret;
use super::welcome::Psk;

/// How many different signs there are.
pub const SIGNS: u8 = 64;

/// What one device gives to a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The key that it made for this join.
    pub key: PublicKey,
    /// Random bytes, made for this comparison.
    pub nonce: [u8; 32],
}

/// What follows of a comparison.
#[derive(Clone)]
pub struct Compared {
    /// What both devices show: places of four of the [`SIGNS`]. People compare them.
    pub signs: [u8; 4],
    /// The pre-shared key of the welcome.
    pub psk: Psk,
}

/// The side that joins.
pub struct Joiner<'a> {
    beam: Uuid,
    keys: &'a KeyPair,
    share: Share,
}

impl<'a> Joiner<'a> {
    /// Begins a comparison in the beam of this id, with 32 random bytes that are used for nothing else.
    #[must_use]
    pub fn new(beam: Uuid, keys: &'a KeyPair, nonce: [u8; 32]) -> Self {
        Self { beam, keys, share: Share { key: *keys.public(), nonce } }
    }

    /// What it says first. It tells nothing of the share.
    #[must_use]
    pub fn commitment(&self) -> [u8; 32] {
        commitment(self.beam, &self.share)
    }

    /// Takes the member's share, and reveals its own.
    ///
    /// # Errors
    /// [`Error::NoKey`] when the member's key is no point of the curve.
    pub fn accept(self, member: &Share) -> Result<(Share, Compared), Error> {
        let shared = self.keys.agree(&member.key)?;
        let said = transcript(self.beam, &self.commitment(), member, &self.share);
        Ok((self.share, Compared::of(&shared, &said)))
    }
}

/// The side that is in the beam already.
pub struct Member<'a> {
    beam: Uuid,
    keys: &'a KeyPair,
    share: Share,
    commitment: [u8; 32],
}

impl<'a> Member<'a> {
    /// Answers a commitment, with 32 random bytes that are used for nothing else.
    #[must_use]
    pub fn new(beam: Uuid, keys: &'a KeyPair, nonce: [u8; 32], commitment: [u8; 32]) -> Self {
        Self { beam, keys, share: Share { key: *keys.public(), nonce }, commitment }
    }

    /// What it says.
    #[must_use]
    pub const fn share(&self) -> &Share {
        &self.share
    }

    /// Takes what the joiner reveals.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] when the joiner had committed itself to something else, and [`Error::NoKey`] when its key is
    /// no point of the curve.
    pub fn reveal(self, joiner: &Share) -> Result<Compared, Error> {
        if commitment(self.beam, joiner).ct_ne(&self.commitment).into() {
            return Err(Error::NotAuthentic);
        }
        let shared = self.keys.agree(&joiner.key)?;
        let said = transcript(self.beam, &self.commitment, &self.share, joiner);
        Ok(Compared::of(&shared, &said))
    }
}

impl Compared {
    fn of(shared: &Secret<32>, transcript: &[u8; 32]) -> Self {
        let [first, second, third] = *derive(shared, "beam-e2e/1 sas", transcript).expose();
        let bits = u32::from_be_bytes([0, first, second, third]);
        let signs = [18, 12, 6, 0].map(|shift| (bits >> shift).to_le_bytes()[0] % SIGNS);
        let id = *derive(shared, "beam-e2e/1 sas-id", transcript).expose();
        let key = derive(shared, "beam-e2e/1 sas-psk", transcript);
        Self { signs, psk: Psk { id, key } }
    }
}

fn commitment(beam: Uuid, share: &Share) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"beam-e2e/1 sas-commit").chain_update(beam);
    hash.chain_update(share.key).chain_update(share.nonce).finalize().into()
}

/// The hash of all that was said.
fn transcript(beam: Uuid, commitment: &[u8; 32], member: &Share, joiner: &Share) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"beam-e2e/1 sas-transcript");
    hash.update(beam);
    hash.update(commitment);
    for share in [member, joiner] {
        hash.update(share.key);
        hash.update(share.nonce);
    }
    hash.finalize().into()
}
