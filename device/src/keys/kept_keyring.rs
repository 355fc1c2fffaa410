//! The keys of a beam as a device keeps them for a later run, which is the same device then: the others know its key pair by its id, and
//! the first one counts (E15).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::keyring::{Keyring, Taken};
use super::shared_keys::SharedKeys;
use super::text::{decode_secret, encode};
use crate::random::Random;

#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    /// What the key pair of the device follows from.
    own: &'a str,
    #[serde(borrow)]
    shared: &'a RawValue,
}

impl Keyring {
    /// What a later run goes on with; `None` before this device has been let in. Whoever has it has the beam.
    #[must_use]
    pub fn keep(&self) -> Option<Zeroizing<Vec<u8>>> {
        let shared = Zeroizing::new(String::from_utf8(self.shared()?.write().to_vec()).ok()?);
        let own = Zeroizing::new(encode(self.own_seed.expose()));
        let kept = Kept { own: &own, shared: serde_json::from_str(&shared).ok()? };
        serde_json::to_vec(&kept).ok().map(Zeroizing::new)
    }

    /// Goes on with what [`Keyring::keep`] gave; `None` where that cannot be read.
    #[must_use]
    pub fn kept(kept: &[u8], random: &mut dyn Random) -> Option<Self> {
        let Kept { own, shared } = serde_json::from_slice(kept).ok()?;
        let told = SharedKeys::read(shared.get().as_bytes())?;
        let mut ring = Self::of_device(decode_secret(own)?, Some(told.invite.clone()));
        ring.take(&told, Taken::All, Duration::ZERO, random).then_some(ring)
    }
}
