//! The live beams, and the sockets of the devices in them.

pub mod beam;
pub mod codes;
pub mod outbox;
pub mod rates;
pub mod refusal;
pub mod relay;
mod shared_texts;
pub mod socket;
pub mod sockets;

pub use heliograph_websocket as websocket;
