//! End-to-end encryption (PROTOCOL.md, section E), for programs that are no browser. What `client/src/crypto` seals opens
//! here, and the other way round: both make the bytes of `tests/vectors.json`.
//!
//! Nothing here reads a clock, makes a random number or sends anything: randomness comes in as an argument, and whoever calls
//! must never give the same twice. The server does not use this module, and builds without it (feature `e2ee`).

pub mod comparing;
pub mod deposit;
pub mod envelope;
pub mod error;
pub mod file_chunks;
pub mod handed;
mod hkdf;
mod hpke_suite;
pub mod invite;
pub mod kept;
pub mod key_pair;
mod mac;
mod padding;
pub mod secret;
pub mod stretching;
pub mod vault;
pub mod welcome;
