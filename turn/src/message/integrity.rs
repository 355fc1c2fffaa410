//! Keys of long-term credentials and what they sign (RFC 8489 sections 9.2, 14.5 and 14.6).
//!
//! The library binds a key to one algorithm. Clients that were offered no password algorithms use the MD5 key with
//! MESSAGE-INTEGRITY-SHA256 too, so this is computed here.

use hmac::{Hmac, KeyInit, Mac};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;
use stun_types::attribute::{AttributeType, RawAttribute};
use stun_types::message::{MessageWrite, MessageWriteVec};

/// Bytes before the attributes.
const HEADER: usize = 20;
/// Bytes of type and length before an attribute's value.
const ATTRIBUTE_HEADER: usize = 4;

/// Which of the two attributes signs a message. A reply is signed as its request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// MESSAGE-INTEGRITY.
    Sha1,
    /// MESSAGE-INTEGRITY-SHA256.
    Sha256,
}

impl Integrity {
    /// The attribute's number.
    #[must_use]
    pub fn attribute(self) -> AttributeType {
        match self {
            Self::Sha1 => AttributeType::new(0x0008),
            Self::Sha256 => AttributeType::new(0x001C),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The longer one may be cut down to 16 bytes, in steps of 4 (RFC 8489 section 14.6).
    fn may_have(self, bytes: usize) -> bool {
        match self {
            Self::Sha1 => bytes == 20,
            Self::Sha256 => (16..=32).contains(&bytes) && bytes.is_multiple_of(4),
        }
    }
}

/// The key of a user in a realm, filled up with zeros to a block of both hashes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 64]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// MD5 of `username:realm:password` (RFC 8489 section 9.2.2).
    #[must_use]
    pub fn new(username: &str, realm: &str, password: &str) -> Self {
        let mut block = [0; 64];
        block[..16].copy_from_slice(&Md5::digest(format!("{username}:{realm}:{password}")));
        Self(block)
    }

    /// Whether `value`, which stands at `offset` of a message, is what this key signs.
    #[must_use]
    pub fn has_signed(
        &self,
        integrity: Integrity,
        message: &[u8],
        offset: usize,
        value: &[u8],
    ) -> bool {
        let end = offset + ATTRIBUTE_HEADER + value.len();
        let signed = (message.get(4..offset), u16::try_from(end - HEADER));
        let (Some(rest), Ok(length), true) = (signed.0, signed.1, integrity.may_have(value.len()))
        else {
            return false;
        };
        // The length in the header is counted as if the message ended with this attribute.
        let [length_high, length_low] = length.to_be_bytes();
        let parts: [&[u8]; 3] = [&message[..2], &[length_high, length_low], rest];
        match integrity {
            Integrity::Sha1 => self.sha1(&parts).verify_truncated_left(value).is_ok(),
            Integrity::Sha256 => self.sha256(&parts).verify_truncated_left(value).is_ok(),
        }
    }

    /// Appends the signature to a message.
    pub fn sign(&self, integrity: Integrity, message: &mut MessageWriteVec) {
        let value = [0; 32];
        let bytes = integrity.bytes();
        message
            .push_attribute_unchecked(&RawAttribute::new(integrity.attribute(), &value[..bytes]));
        let end = message.len();
        let (signed, place) = message.mut_data().split_at_mut(end - bytes);
        let parts: [&[u8]; 1] = [&signed[..signed.len() - ATTRIBUTE_HEADER]];
        match integrity {
            Integrity::Sha1 => {
                place.copy_from_slice(&self.sha1(&parts).finalize().into_bytes());
            }
            Integrity::Sha256 => {
                place.copy_from_slice(&self.sha256(&parts).finalize().into_bytes());
            }
        }
    }

    fn sha1(&self, parts: &[&[u8]]) -> Hmac<Sha1> {
        let mut mac = Hmac::new(&self.0.into());
        for part in parts {
            mac.update(part);
        }
        mac
    }

    fn sha256(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::new(&self.0.into());
        for part in parts {
            mac.update(part);
        }
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::incoming::{Incoming, Request};

    /// RFC 5769 section 2.4, "Sample Request with Long-Term Authentication".
    const RFC_5769_LONG_TERM: &str = "000100602112a44278ad3433c6ad72c029da412e00060012\
        e3839ee38388e383aae38383e382af\
        e382b900000015001c662f2f3439396b39353464364f4c33346f4c394653547679\
        3634734100140 00b6578616d706c652e6f72670000080014f67024656dd64a3e02b8e0712e85c9a28ca89666";

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex
            .chars()
            .filter_map(|digit| digit.to_digit(16))
            .map(|d| d.try_into().unwrap())
            .collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    fn request(bytes: &[u8]) -> Request<'_> {
        let Some(Incoming::Request(request)) = Incoming::read(bytes) else { panic!("no request") };
        request
    }

    #[test]
    fn the_example_of_rfc_5769_is_signed_by_its_user_and_nobody_else() {
        let bytes = bytes(RFC_5769_LONG_TERM);
        let request = request(&bytes);
        let name = "\u{30de}\u{30c8}\u{30ea}\u{30c3}\u{30af}\u{30b9}";
        let key = |password| Key::new(name, "example.org", password);
        assert_eq!(request.integrity(), Some(Integrity::Sha1));
        assert!(request.is_signed(Integrity::Sha1, &key("TheMatrIX")));
        assert!(!request.is_signed(Integrity::Sha1, &key("TheMatrix")));
        assert!(!request.is_signed(Integrity::Sha256, &key("TheMatrIX")));
    }
}
