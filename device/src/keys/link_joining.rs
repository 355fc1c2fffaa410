//! The way in by a link (E6): a device with its secret asks, and one that is in answers.

use std::time::Duration;

use heliograph_shared::e2ee::key_pair::KeyPair;
use heliograph_shared::e2ee::welcome::Welcome;
use heliograph_shared::ids::DeviceId;

use super::keyring::Keyring;
use super::shared_keys::SharedKeys;
use super::text::{decode, decode_array, encode};
use super::way_in::{JoinRequest, Refusal, SealedMessage, Text};
use crate::random::{self, Random};

/// Asks to be let in, and lets others in.
#[derive(Default)]
pub struct LinkJoining {
    /// Made for one join, and void once a device has let this one in: a late answer of one that was asked before still opens.
    joining: Option<KeyPair>,
}

impl LinkJoining {
    /// What to ask with; `None` without the secret of a link.
    pub fn ask(&mut self, ring: &Keyring, random: &mut dyn Random) -> Option<JoinRequest> {
        let invite = ring.invite()?;
        let keys = self.joining.get_or_insert_with(|| KeyPair::derive(&random::secret(random)));
        Some(JoinRequest {
            id: Text(encode(&invite.id())),
            key: Text(encode(keys.public())),
            proof: Text(encode(&invite.prove(keys.public()))),
        })
    }

    /// Lets a device in that proves to have the link.
    ///
    /// # Errors
    /// Why it is not let in.
    pub fn answer(
        ring: &mut Keyring,
        device: DeviceId,
        request: &JoinRequest,
        random: &mut dyn Random,
    ) -> Result<SealedMessage, Refusal> {
        let shared = ring.shared().ok_or(Refusal::Keyless)?;
        let invite = decode_array(&request.id.0).and_then(|id| ring.invite_named(id));
        let invite = invite.ok_or(Refusal::Proof)?;
        let key = decode_array(&request.key.0).ok_or(Refusal::Proof)?;
        let proof = decode(&request.proof.0).ok_or(Refusal::Proof)?;
        invite.check(&key, &proof).map_err(|_| Refusal::Proof)?;
        let content = SharedKeys { has_let_in: true, ..shared }.write();
        // One that proves to have the link may still have a key that is no point of the curve.
        let randomness = random::secret(random);
        let welcome = Welcome::seal(&content, (&key, device), invite.psk(), &randomness)
            .map_err(|_| Refusal::Proof)?;
        ring.lets_in();
        Ok(SealedMessage::of(&welcome.encapsulated, &welcome.sealed))
    }

    /// Takes the answer to what was asked. `here` are the devices that are here, with this one. Returns whether anything was taken.
    pub fn welcomed(
        &mut self,
        ring: &mut Keyring,
        message: &SealedMessage,
        me: DeviceId,
        here: &[DeviceId],
        now: Duration,
        random: &mut dyn Random,
    ) -> bool {
        let Some(told) = self.told_by(ring, message, me) else { return false };
        let is_taken = ring.welcomed(&told, here, now, random);
        if is_taken {
            self.joining = None;
        }
        is_taken
    }

    /// What a welcome tells; `None` for what was not made for what this device has asked.
    fn told_by(&self, ring: &Keyring, message: &SealedMessage, me: DeviceId) -> Option<SharedKeys> {
        let (encapsulated, sealed) = message.parts()?;
        let welcome = Welcome { encapsulated, sealed };
        let content = welcome.open(self.joining.as_ref()?, me, ring.invite()?.psk()).ok()?;
        SharedKeys::read(&content)
    }
}
