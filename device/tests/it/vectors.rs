//! What browsers and this crate have to make and to read in the same way: `client/src/transport/transfer-vectors.test.ts` runs the
//! same cases.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The cases of one kind.
pub fn cases<T: DeserializeOwned>(kind: &str) -> T {
    let text = include_str!("../../../shared/tests/transfers.json");
    let mut all: Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(all[kind].take()).unwrap()
}

/// The bytes that hexadecimal digits stand for.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}
