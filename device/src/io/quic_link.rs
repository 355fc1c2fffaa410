//! One QUIC connection to one native device (L7), beside the WebRTC connections of `peer_link` and with the same door.
//!
//! The library is `quinn`. Nothing but this module names it, so that it can be replaced.

mod carrying;
mod description;
mod identity;
mod meeting;
mod sockets;
mod stun;
mod task;
#[cfg(test)]
mod tests;

pub(super) use self::task::run;
