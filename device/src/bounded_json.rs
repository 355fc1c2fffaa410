//! What other devices write as JSON, read within bounds and as browsers read it: a number is a whole one also as `5.0`, and
//! no larger than 2^53 − 1, up to which JavaScript tells whole numbers apart.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

/// 2^53 − 1.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Reads a whole number. For `deserialize_with`.
///
/// # Errors
/// For another number or value.
pub fn safe_integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    deserializer.deserialize_any(SafeInteger)
}

/// Reads a whole number that is not negative. For `deserialize_with`.
///
/// # Errors
/// For another number or value.
pub fn safe_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = safe_integer(deserializer)?;
    u64::try_from(number)
        .map_err(|_| Error::invalid_value(Unexpected::Signed(number), &SafeInteger))
}

/// Reads a value that must not be null where it is present. For `deserialize_with`, beside `default`.
///
/// # Errors
/// For null, or what is no `T`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

struct SafeInteger;

impl Visitor<'_> for SafeInteger {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number below 2^53 that may stand here")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        let is_safe = (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&number);
        is_safe.then_some(number).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number below 2^53 stays what it is"
    )]
    fn visit_f64<E: Error>(self, number: f64) -> Result<i64, E> {
        if number.fract() != 0.0 || number.abs() >= 9_007_199_254_740_992.0 {
            return Err(E::invalid_value(Unexpected::Float(number), &self));
        }
        self.visit_i64(number as i64)
    }
}

/// A value with named fields. By itself, serde would take a list of the fields too.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// A list of at most `MOST` elements. The rest of a longer one is not read.
#[derive(Debug)]
pub struct Bounded<T, const MOST: usize>(pub Vec<T>);

impl<T, const MOST: usize> Default for Bounded<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Bounded<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Elements::<T, MOST>(PhantomData)).map(Self)
    }
}

struct Elements<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Elements<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            if elements.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}
