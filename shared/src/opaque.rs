//! Bytes that the server keeps for clients and makes nothing of.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::limits::MAX_SEALED_BYTES;

/// Bytes that mean something to clients alone, written as base64url without padding.
#[derive(Clone, Debug, PartialEq, Eq, TS, ToSchema)]
#[ts(type = "string")]
#[schema(value_type = String)]
pub struct Opaque(Vec<u8>);

impl Opaque {
    /// Takes the bytes as they are.
    #[must_use]
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, for storage.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Opaque {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Opaque {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = URL_SAFE_NO_PAD.decode(String::deserialize(deserializer)?);
        let bytes = bytes.map_err(de::Error::custom)?;
        if bytes.len() > MAX_SEALED_BYTES {
            return Err(de::Error::custom("too many bytes"));
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were_and_not_too_many_are_taken() {
        let text = |bytes: usize| format!("\"{}\"", URL_SAFE_NO_PAD.encode(vec![7; bytes]));
        let read = |text: &str| serde_json::from_str::<Opaque>(text);
        for bytes in [0, 1, MAX_SEALED_BYTES] {
            let opaque = read(&text(bytes)).unwrap();
            assert_eq!(opaque.as_bytes(), vec![7; bytes]);
            assert_eq!(serde_json::to_string(&opaque).unwrap(), text(bytes));
        }
        assert!(read(&text(MAX_SEALED_BYTES + 1)).is_err());
        assert!(read("\"no base64url\"").is_err());
    }
}
