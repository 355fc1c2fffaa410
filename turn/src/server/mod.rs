//! Sockets, streams, clock and randomness around the core. No rule of the protocol is here.

mod admission;
mod clock;
mod framing;
mod outbox;
mod ports;
mod shard;
mod sockets;
pub mod start;
mod streams;
