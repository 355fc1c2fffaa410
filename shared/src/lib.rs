//! The wire: messages, ids, limits, error codes. No I/O, no clock, no randomness.
//! `PROTOCOL.md` beside this crate numbers the rules; the TypeScript bindings are generated from these types.

pub mod api;
pub mod close;
pub mod decode;
pub mod error;
pub mod ids;
pub mod json;
pub mod limits;
pub mod names;
pub mod socket;
