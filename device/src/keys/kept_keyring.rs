//! The keys of a beam as a device keeps them for a later run, which is the same device then: the others know its key pair by its id, and
//! the first one counts (E15).

use std::time::Duration;

use heliograph_shared::ids::DeviceId;
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
    /// Those that this device has let in unasked, and those that a person has compared here (E8): others could take that away.
    #[serde(default, rename = "letIn")]
    let_in: Vec<DeviceId>,
    #[serde(default)]
    compared: Vec<DeviceId>,
}

impl Keyring {
    /// What a later run goes on with; `None` before this device has been let in. Whoever has it has the beam.
    #[must_use]
    pub fn keep(&self) -> Option<Zeroizing<Vec<u8>>> {
        let shared = Zeroizing::new(String::from_utf8(self.shared()?.write().to_vec()).ok()?);
        let own = Zeroizing::new(encode(self.own_seed.expose()));
        let shared = serde_json::from_str(&shared).ok()?;
        let (let_in, compared) = self.unverified.own();
        let kept = Kept { own: &own, shared, let_in: let_in.to_vec(), compared: compared.to_vec() };
        serde_json::to_vec(&kept).ok().map(Zeroizing::new)
    }

    /// Goes on with what [`Keyring::keep`] gave; `None` where that cannot be read.
    #[must_use]
    pub fn kept(kept: &[u8], random: &mut dyn Random) -> Option<Self> {
        let Kept { own, shared, let_in, compared } = serde_json::from_slice(kept).ok()?;
        let told = SharedKeys::read(shared.get().as_bytes())?;
        let mut ring = Self::of_device(decode_secret(own)?, Some(told.invite.clone()));
        ring.unverified.compare(&compared);
        let_in.into_iter().rev().for_each(|device| ring.unverified.add(device));
        ring.take(&told, Taken::All, Duration::ZERO, random).then_some(ring)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e8_whom_a_device_has_let_in_unasked_stays_so_in_a_later_run_whatever_others_tell() {
        let mut count = 0_u8;
        let mut random = |bytes: &mut [u8]| {
            count += 1;
            bytes.fill(count);
        };
        let (eve, compared) = (DeviceId::from_bytes([1; 16]), DeviceId::from_bytes([2; 16]));
        let mut ring = Keyring::make(&mut random);
        ring.unverified.add(eve);
        ring.unverified.compare(&[compared]);

        let mut later = Keyring::kept(&ring.keep().unwrap(), &mut random).unwrap();

        later.unverified.drop_told(&[eve]);
        later.unverified.merge([compared]);
        assert_eq!(later.unverified(), [eve]);
    }
}
