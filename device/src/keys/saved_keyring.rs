//! The keys of a beam as a program keeps them between its runs (`transport/key-store` does it for the browser). What is written has
//! every key in it, so it goes nowhere but where its person alone reads it.

use std::time::Duration;

use heliograph_shared::e2ee::secret::Secret;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::keyring::{Keyring, Taken};
use super::shared_keys::SharedKeys;
use super::text::{decode_array, decode_secret, encode};
use crate::random::Random;

#[derive(Serialize, Deserialize)]
struct Written {
    /// What the key pair of this device follows from (E15).
    own: String,
    /// The secret of the link, for a device that nobody has let in.
    invite: String,
    /// Invites of before.
    past: Vec<String>,
    /// What a welcome would tell; absent before this device was let in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared: Option<Box<RawValue>>,
}

impl Keyring {
    /// Everything that the next run needs to be the same device with the same keys.
    #[must_use]
    pub fn save(&self) -> Zeroizing<String> {
        let shared = self.shared().map(|shared| shared.write());
        let shared = shared.and_then(|json| serde_json::from_slice(&json).ok());
        let written = Written {
            own: encode(self.own_secret().expose()),
            invite: encode(self.invite().secret().expose()),
            past: self.past().iter().map(|id| encode(id)).collect(),
            shared,
        };
        // Texts cannot fail.
        Zeroizing::new(serde_json::to_string(&written).unwrap_or_default())
    }

    /// Reads what [`Keyring::save`] has written. `None` for anything else.
    #[must_use]
    pub fn restore(saved: &str, random: &mut dyn Random) -> Option<Self> {
        let written: Written = serde_json::from_str(saved).ok()?;
        let own: Secret<32> = decode_secret(&written.own)?;
        let past = written.past.iter().filter_map(|id| decode_array(id)).collect();
        let mut ring = Self::of(decode_secret(&written.invite)?, own, past);
        if let Some(shared) = written.shared {
            let shared = SharedKeys::read(shared.get().as_bytes())?;
            if !ring.take(&shared, Taken::All, Duration::ZERO, random) {
                return None;
            }
        }
        Some(ring)
    }
}
