//! Hands new keys to the devices that are still in when another one was removed, or the link was renewed (E15). A device tells the
//! others its public key while all have the same keys, and what it tells says later whether it needs newer ones.

use std::time::Duration;

use heliograph_shared::e2ee::envelope::{Header, Kind};
use heliograph_shared::e2ee::handed::Handed;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::DeviceId;
use serde::{Deserialize, Serialize};

use super::keyring::{Keyring, Reading, Taken};
use super::page_numbers::PageNumbers;
use super::shared_keys::{SharedKeys, unverified_in};
use super::text::{decode_array, encode};
use super::way_in::SealedMessage;
use crate::random::{self, Random};

/// What a device tells of itself.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Introduction {
    from: String,
    to: String,
    key: String,
    /// The id of its invite: keys can be the same after a renewal.
    invite: String,
    /// Absent from earlier versions, as is what follows.
    #[serde(default)]
    unverified: Vec<String>,
    #[serde(default)]
    is_deposited: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Whether it knows the name of the device that it tells this.
    #[serde(default = "yes")]
    has_yours: bool,
}

const fn yes() -> bool {
    true
}

/// What is to be done for a device that has introduced itself.
#[derive(Debug, Default)]
pub struct Introduced {
    /// What it is handed; `None` where it lacks nothing, or may not have it.
    pub keys: Option<SealedMessage>,
    /// Whether it has the key that seals.
    pub is_in: bool,
    /// Whether it has to hear of this device too.
    pub is_asking: bool,
    /// Whether it has told of devices that were not compared, or that the keys were deposited, and this one did not know.
    pub is_warning: bool,
    /// What it calls itself, as it came; `None` where it says no name, or has said another one since.
    pub name: Option<String>,
    /// The key that it says, where that is another one than counts: the first that it has said.
    pub other_key: Option<PublicKey>,
}

/// Introductions, and keys that go from one device to another.
#[derive(Default)]
pub struct HandingOver {
    heard: PageNumbers,
}

impl HandingOver {
    /// The envelope that tells a device the public key and the name of this one; `None` before this device has been let in.
    pub fn introduce(
        ring: &mut Keyring,
        me: DeviceId,
        to: DeviceId,
        name: &str,
        has_yours: bool,
    ) -> Option<String> {
        let said = Introduction {
            from: me.to_string(),
            to: to.to_string(),
            key: encode(ring.own().public()),
            invite: encode(&ring.invite()?.id()),
            unverified: ring.unverified().iter().map(ToString::to_string).collect(),
            is_deposited: ring.is_deposited(),
            name: Some(name.to_owned()),
            has_yours,
        };
        ring.seal(Kind::E2e, &serde_json::to_vec(&said).ok()?).ok()
    }

    /// A device has introduced itself. Its key counts only where it was sealed under the newest one: a removed device has the others.
    pub fn introduced(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        me: DeviceId,
        envelope: &str,
        now: Duration,
        random: &mut dyn Random,
    ) -> Introduced {
        if !ring.is_keyed() || ring.is_removed(from) {
            return Introduced::default();
        }
        if !ring.is_current(envelope) {
            let is_known = Header::of(envelope).is_ok_and(|header| ring.knows(header.key_id));
            let keys = Self::hand_to(ring, from, me, random);
            return Introduced { keys, is_asking: !is_known, ..Introduced::default() };
        }
        let Reading::Open(opened) = ring.open(Kind::E2e, envelope, now) else {
            return Introduced::default();
        };
        let said: Option<Introduction> = serde_json::from_slice(&opened.content).ok();
        let Some(said) = said.filter(|said| is_between(said, from, me)) else {
            return Introduced::default();
        };
        let key: Option<PublicKey> = decode_array(&said.key);
        let is_other_key = ring.key_of(from).is_some_and(|known| Some(known) != key.as_ref());
        let is_new = key.is_some_and(|key| ring.devices.learn(from, key));
        let are_news = ring.hears(&unverified_in(&said.unverified), opened.header.key_id);
        let is_warning = ring.hears_deposited(said.is_deposited) || are_news;
        let is_other = decode_array(&said.invite) != ring.invite().map(Invite::id);
        let keys = if is_other { Self::hand_to(ring, from, me, random) } else { None };
        Introduced {
            keys,
            is_in: true,
            is_asking: is_new || is_other || !said.has_yours,
            is_warning,
            name: if self.heard.is_newest(&opened.header) { said.name } else { None },
            other_key: key.filter(|_| is_other_key),
        }
    }

    /// What this device has, for one that is in; `None` where that one's key is not known.
    pub fn hand_to(
        ring: &Keyring,
        device: DeviceId,
        me: DeviceId,
        random: &mut dyn Random,
    ) -> Option<SealedMessage> {
        let (key, shared) = (ring.key_of(device)?, ring.shared()?);
        let randomness = random::secret(random);
        let handed =
            Handed::seal(&shared.write(), (ring.own(), me), (key, device), &randomness).ok()?;
        Some(SealedMessage::of(&handed.encapsulated, &handed.sealed))
    }

    /// Takes what a device that is in has handed over. `here` are the devices that are here, with both: nobody is told that one of them
    /// was removed. Returns whether anything was taken.
    pub fn handed(
        ring: &mut Keyring,
        from: DeviceId,
        me: DeviceId,
        message: &SealedMessage,
        here: &[DeviceId],
        now: Duration,
        random: &mut dyn Random,
    ) -> bool {
        // Who was removed has no key that is known.
        let Some(told) = Self::told_by(ring, from, me, message) else { return false };
        let is_false = |device: &DeviceId| ring.devices.is_contradicted_by(*device, here);
        !told.removed.iter().any(is_false) && ring.take(&told, Taken::All, now, random)
    }

    fn told_by(
        ring: &Keyring,
        from: DeviceId,
        me: DeviceId,
        message: &SealedMessage,
    ) -> Option<SharedKeys> {
        let key = ring.key_of(from).filter(|_| ring.is_keyed())?;
        let (encapsulated, sealed) = message.parts()?;
        let handed = Handed { encapsulated, sealed };
        SharedKeys::read(&handed.open((key, from), (ring.own(), me)).ok()?)
    }
}

fn is_between(said: &Introduction, from: DeviceId, to: DeviceId) -> bool {
    said.from == from.to_string() && said.to == to.to_string()
}
