//! The server as its clients meet it: by RFC 8489 and RFC 8656, and by coturn's own clients.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod allocating;
mod coturn_clients;
mod flood;
mod lab;
mod peer_policy;
mod peers_and_channels;
mod programs;
mod properties;
mod relays;
mod running;
mod streams;
mod wire;
