//! Ids and tokens. A value of these types is well formed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use ts_rs::TS;
use utoipa::ToSchema;
use uuid::{Uuid, Variant};

/// The text is not a well-formed id or token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed id")]
pub struct Malformed;

/// A beam's id: a version-4 UUID (RFC 9562, section 5.4), as the specification's scan rule demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, TS, ToSchema)]
#[ts(type = "string & { readonly __id: 'beam' }")]
#[schema(value_type = Uuid)]
pub struct BeamId(Uuid);

impl BeamId {
    /// An id from 16 random bytes. Sets version and variant.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// Parses 8-4-4-4-12 hexadecimal digits, in either case.
    ///
    /// # Errors
    /// [`Malformed`] unless it is a version-4 UUID in that form.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        if text.len() != uuid::fmt::Hyphenated::LENGTH {
            return Err(Malformed);
        }
        let uuid = Uuid::try_parse(text).map_err(|_| Malformed)?;
        Self::from_uuid(uuid).ok_or(Malformed)
    }

    /// The id of a stored row; `None` unless it is a version-4 UUID.
    #[must_use]
    pub fn from_uuid(uuid: Uuid) -> Option<Self> {
        let is_v4 = uuid.get_version_num() == 4 && uuid.get_variant() == Variant::RFC4122;
        is_v4.then_some(Self(uuid))
    }

    /// The id as a UUID, for storage.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for BeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for BeamId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A device's id. A device is one browser tab or program in a beam.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS, ToSchema,
)]
#[ts(type = "string & { readonly __id: 'device' }")]
#[schema(value_type = Uuid)]
pub struct DeviceId(Uuid);

impl DeviceId {
    /// The id of the device with this token (S5). It does not reveal the token. It does not depend on the beam, because
    /// a renewed link (H28) changes the beam's id, and the device's files are found by its own.
    #[must_use]
    pub fn from_token(token: &DeviceToken) -> Self {
        let digest = Sha256::digest(token.0);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Self(Uuid::new_v8(bytes))
    }

    /// The id from its 16 bytes, as relay frames carry it (R1).
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// The id from a stored row.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as a UUID, for storage.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }

    /// The 16 bytes that relay frames carry (R1).
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An item's id, chosen by its sender, else by the server.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS, ToSchema,
)]
#[ts(type = "string & { readonly __id: 'item' }")]
#[schema(value_type = Uuid)]
pub struct ItemId(Uuid);

impl ItemId {
    /// An id from 16 random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id from a stored row.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as a UUID, for storage.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a share of a saved beam with one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS, ToSchema)]
#[ts(type = "string & { readonly __id: 'share' }")]
#[schema(value_type = Uuid)]
pub struct ShareId(Uuid);

impl ShareId {
    /// An id from 16 random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id from a stored row.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as a UUID, for storage.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

/// A secret of 256 bits, written as 43 characters of base64url without padding (RFC 4648, section 5).
macro_rules! secret_token {
    ($(#[$doc:meta])* $name:ident, $brand:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, TS, ToSchema)]
        #[ts(type = $brand)]
        #[schema(value_type = String)]
        pub struct $name([u8; 32]);

        impl $name {
            /// The token from 32 random bytes.
            #[must_use]
            pub const fn from_random(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// Parses 43 characters of base64url.
            ///
            /// # Errors
            /// [`Malformed`] for anything else.
            pub fn parse(text: &str) -> Result<Self, Malformed> {
                let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Malformed)?;
                bytes.try_into().map(Self).map_err(|_| Malformed)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(secret)"))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
            }
        }
    };
}

secret_token! {
    /// The beam key: proves the beam's creator. It is not an encryption key.
    BeamKey, "string & { readonly __id: 'beam key' }"
}

secret_token! {
    /// The token with which a device stays the same device after a reconnect (S5).
    DeviceToken, "string & { readonly __id: 'device token' }"
}

secret_token! {
    /// A key that seals what is shared in a beam (E1), as it is deposited with the server (H52).
    DepositedKey, "string & { readonly __id: 'deposited key' }"
}

secret_token! {
    /// Shows to who has the link of a sealed beam that its keys were deposited by somebody who has it too (E9).
    DepositProof, "string & { readonly __id: 'deposit proof' }"
}

impl DepositedKey {
    /// The 32 bytes, for storage.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl DepositProof {
    /// The 32 bytes, for storage.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Names a [`DepositedKey`] (E1), and tells nothing of it: 8 bytes, written as 11 characters of base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq, TS, ToSchema)]
#[ts(type = "string & { readonly __id: 'key id' }")]
#[schema(value_type = String)]
pub struct KeyId([u8; 8]);

impl KeyId {
    /// The id from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The 8 bytes, for storage.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

impl Serialize for KeyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = URL_SAFE_NO_PAD.decode(String::deserialize(deserializer)?);
        let bytes = bytes.map_err(de::Error::custom)?.try_into();
        bytes.map(Self).map_err(|_| de::Error::custom(Malformed))
    }
}

impl BeamKey {
    /// The SHA-256 of the key, of which alone the server keeps a copy.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0).into())
    }
}

/// SHA-256 of a [`BeamKey`]. Comparing hashes needs no constant time, because the key has 256 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash from its stored bytes.
    ///
    /// # Errors
    /// [`Malformed`] unless there are 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        bytes.try_into().map(Self).map_err(|_| Malformed)
    }

    /// The 32 bytes, for storage.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
