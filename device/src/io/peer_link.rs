//! One WebRTC connection to one device, as `client/src/transport/peer-link.ts` has it: what two browsers say to each other by
//! simple-peer, and the two data channels of L5.
//!
//! The library is `webrtc`. Nothing but this module names it, so that it can be replaced.

mod connection;
mod negotiation;
mod path;
mod runtime;
mod signal;
mod task;
mod writing;

pub(super) use self::task::run;
