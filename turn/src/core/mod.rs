//! The rules of STUN and TURN, free of I/O: told what arrived and when, they say what to send, open and close. No clock,
//! no socket, no randomness.

mod allocating;
mod allocation;
mod authentication;
mod channels;
pub mod event;
mod nonce;
pub mod own_relays;
pub mod quotas;
mod rate;
mod relaying;
mod requests;
pub mod state;
pub mod terms;
