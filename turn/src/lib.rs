//! A STUN and TURN server (RFC 8489, RFC 8656) inside the product: devices that do not reach each other directly meet
//! here. It knows nothing of beams.

pub mod client;
pub mod config;
pub mod core;
mod counters;
pub mod credentials;
mod message;
pub mod peers;
mod server;

pub use config::{Config, Limits};
pub use core::own_relays::RelayHost;
pub use counters::Counts;
pub use server::start::{Addresses, Handle, StartError, TurnServer};
