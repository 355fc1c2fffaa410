//! The protocol: messages, ids, limits, error codes. No I/O, no clock, no randomness. The rules and their numbers are
//! in `PROTOCOL.md` beside this crate; the TypeScript bindings are generated from these types.

pub mod api;
pub mod arrangement;
pub mod close;
pub mod decode;
pub mod device;
#[cfg(feature = "e2ee")]
pub mod e2ee;
pub mod error;
pub mod ids;
pub mod join_policy;
pub mod json;
pub mod limits;
pub mod names;
pub mod opaque;
pub mod relay;
pub mod short_code;
pub mod socket;
pub mod time;
