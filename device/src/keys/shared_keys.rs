//! What the devices of a beam have in common, as a welcome (E6), `keys` (E15) and the item of a kept beam (E10) tell it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use heliograph_shared::e2ee::envelope::{ContentKey, KEY_ID_BYTES};
use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::DeviceId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::text::{decode_array, decode_secret, encode};
use super::unverified_devices::MOST_UNVERIFIED;
use crate::bounded_json::{Object, safe_size};

/// Names a beam key.
pub type KeyId = [u8; KEY_ID_BYTES];

/// More beam keys than a beam ever had say that somebody fills the memory: each removal of a device makes one.
pub const MOST_KEYS: usize = 256;

/// How often the keys of a beam were changed. The one with more changes is the newer: first of the beam key, which a removed device
/// has, and then of the invite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changes {
    /// Of the beam key.
    pub keys: u64,
    /// Of the invite.
    pub invites: u64,
}

/// What the devices of a beam have in common.
#[derive(Clone)]
pub struct SharedKeys {
    /// All beam keys, that which seals last.
    pub keys: Vec<ContentKey>,
    /// The id of the key that seals.
    pub current: KeyId,
    /// The secret of the link.
    pub invite: Secret<32>,
    /// Whether a device was ever let in besides the one that made the beam (E8).
    pub has_let_in: bool,
    /// Whether the server may have the keys (E9).
    pub is_deposited: bool,
    /// Whether the keys are in vaults (E18).
    pub is_vaulted: bool,
    /// How often they were changed.
    pub changes: Changes,
    /// The public keys of the devices that are known to be in (E15).
    pub devices: Vec<(DeviceId, PublicKey)>,
    /// The devices that were removed before the key that seals was made, those removed last at the end.
    pub removed: Vec<DeviceId>,
    /// The devices that were let in without the link and that nobody has compared (E8).
    pub unverified: Vec<DeviceId>,
}

/// The same as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    keys: Vec<Written32>,
    current: String,
    invite: Written32,
    has_let_in: bool,
    is_deposited: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_vaulted: Option<bool>,
    changes: (Count, Count),
    devices: BTreeMap<String, String>,
    removed: Vec<String>,
    /// Absent from earlier versions.
    #[serde(default)]
    unverified: Vec<String>,
}

/// A secret, as base64url.
pub(super) struct Written32(pub(super) Secret<32>);

impl Serialize for Written32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Zeroizing::new(encode(self.0.expose())))
    }
}

impl<'de> Deserialize<'de> for Written32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Zeroizing::new(String::deserialize(deserializer)?);
        decode_secret(&text).map(Self).ok_or_else(|| D::Error::custom("no secret"))
    }
}

#[derive(Serialize)]
struct Count(u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        safe_size(deserializer).map(Self)
    }
}

impl SharedKeys {
    /// Reads what a device has sealed, which may be of another version. `None` for what is not of this form, or has not the key that
    /// seals. What is no device's id or public key in it is left out.
    #[must_use]
    pub fn read(json: &[u8]) -> Option<Self> {
        let Object(written): Object<Written> = serde_json::from_slice(json).ok()?;
        let late = written.keys.len().saturating_sub(MOST_KEYS);
        let keys = written.keys.into_iter().skip(late).map(|key| ContentKey::new(key.0));
        let keys: Vec<_> = keys.collect();
        let current = decode_array(&written.current)?;
        key_among(&keys, current)?;
        let devices = written.devices.iter().filter_map(|(id, key)| {
            Some((device_in(id)?, decode_array::<{ size_of::<PublicKey>() }>(key)?))
        });
        Some(Self {
            keys,
            current,
            invite: written.invite.0,
            has_let_in: written.has_let_in,
            is_deposited: written.is_deposited,
            is_vaulted: written.is_vaulted == Some(true),
            changes: Changes { keys: written.changes.0.0, invites: written.changes.1.0 },
            devices: devices.collect(),
            removed: written.removed.iter().filter_map(|id| device_in(id)).collect(),
            unverified: unverified_in(&written.unverified),
        })
    }

    /// The JSON that is sealed for another device.
    #[must_use]
    pub fn write(&self) -> Zeroizing<Vec<u8>> {
        // Texts, numbers and maps of texts cannot fail.
        Zeroizing::new(serde_json::to_vec(&self.written()).unwrap_or_default())
    }

    pub(super) fn written(&self) -> Written {
        let keys = self.keys.iter().map(|key| Written32(key.secret().clone()));
        let devices = self.devices.iter().map(|(id, key)| (id.to_string(), encode(key)));
        Written {
            keys: keys.collect(),
            current: encode(&self.current),
            invite: Written32(self.invite.clone()),
            has_let_in: self.has_let_in,
            is_deposited: self.is_deposited,
            is_vaulted: self.is_vaulted.then_some(true),
            changes: (Count(self.changes.keys), Count(self.changes.invites)),
            devices: devices.collect(),
            removed: self.removed.iter().map(ToString::to_string).collect(),
            unverified: self.unverified.iter().map(ToString::to_string).collect(),
        }
    }

    /// Which of two states is the newer. Of two changes made at once, all devices take the same.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let text = |state: &Self| {
            Zeroizing::new([encode(&state.current), encode(state.invite.expose())].concat())
        };
        self.changes.cmp(&other.changes).then_with(|| text(self).cmp(&text(other)))
    }
}

/// The key of that id.
pub(super) fn key_among(keys: &[ContentKey], id: KeyId) -> Option<&ContentKey> {
    keys.iter().find(|key| key.id() == id)
}

/// The devices that were not compared, as another device tells them. What is no id is ignored.
pub(super) fn unverified_in(ids: &[String]) -> Vec<DeviceId> {
    ids.iter().filter_map(|id| device_in(id)).take(MOST_UNVERIFIED).collect()
}

/// `None` for what is no id as all write them: of two forms of one, a device would hold them for two.
fn device_in(text: &str) -> Option<DeviceId> {
    let uuid = Uuid::try_parse(text).ok()?;
    (uuid.to_string() == text).then(|| DeviceId::from_uuid(uuid))
}
