//! Short codes: six characters that stand for a beam's id for a few minutes (H33).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::ids::Malformed;

/// The characters of a code. 0, O, 1, I and L look alike.
const ALPHABET: &[u8; 31] = b"ABCDEFGHJKMNPQRSTUVWXYZ23456789";
/// Number of characters of a code.
const LENGTH: usize = 6;

/// A short code. It has at least one letter after F, so that the beginning of an id is never taken for a code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, TS, ToSchema)]
#[ts(type = "string & { readonly __id: 'short code' }")]
#[schema(value_type = String)]
pub struct ShortCode([u8; LENGTH]);

impl ShortCode {
    /// The code from 64 random bits. `None` for the few that could begin an id: draw again.
    #[must_use]
    pub fn from_random(bytes: [u8; 8]) -> Option<Self> {
        let mut number = u64::from_be_bytes(bytes);
        let code = [0; LENGTH].map(|_: u8| {
            let digit = number % 31;
            number /= 31;
            usize::try_from(digit).map_or(b'A', |digit| ALPHABET[digit])
        });
        is_distinct(&code).then_some(Self(code))
    }

    /// Parses a code in either case, with or without spaces and dashes between its characters.
    ///
    /// # Errors
    /// [`Malformed`] unless it has six characters of the alphabet, one of them a letter after F.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut code = [0; LENGTH];
        let mut length = 0;
        for character in text.bytes().filter(|c| !matches!(c, b' ' | b'-')) {
            let character = character.to_ascii_uppercase();
            let is_known = ALPHABET.contains(&character);
            *code.get_mut(length).filter(|_| is_known).ok_or(Malformed)? = character;
            length += 1;
        }
        (length == LENGTH && is_distinct(&code)).then_some(Self(code)).ok_or(Malformed)
    }
}

fn is_distinct(code: &[u8]) -> bool {
    code.iter().any(|c| matches!(c, b'G'..=b'Z'))
}

impl fmt::Display for ShortCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|c| write!(f, "{}", char::from(*c)))
    }
}

impl fmt::Debug for ShortCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShortCode(secret)")
    }
}

impl Serialize for ShortCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ShortCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h33_a_code_is_read_in_either_case_with_or_without_a_gap() {
        for text in ["K7MP3X", "k7mp3x", "K7M-P3X", " k7m p3x "] {
            assert_eq!(ShortCode::parse(text).unwrap().to_string(), "K7MP3X", "{text}");
        }
        for text in ["", "K7MP3", "K7MP3XX", "K7MP3O", "K7MP31", "K7MP3I", "K7MP3L", "ÄÄÄÄÄÄ"]
        {
            assert_eq!(ShortCode::parse(text), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn h33_no_code_looks_like_the_beginning_of_an_id() {
        assert_eq!(ShortCode::parse("2ABCDE"), Err(Malformed));
        assert_eq!(ShortCode::from_random([0; 8]), None);
        let drawn = (0_u64..10_000).filter_map(|number| {
            let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ShortCode::from_random(spread.to_be_bytes())
        });
        let codes: Vec<_> = drawn.map(|code| code.to_string()).collect();
        assert!(codes.len() > 9_000, "{}", codes.len());
        for code in codes {
            assert!(ShortCode::parse(&code).is_ok(), "{code}");
        }
    }
}
