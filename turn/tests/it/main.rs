//! The server as its clients meet it: by RFC 8489 and RFC 8656, and by coturn's own clients.

mod allocating;
mod coturn_clients;
mod flood;
mod lab;
mod peer_policy;
mod peers_and_channels;
mod programs;
mod properties;
mod running;
mod streams;
mod wire;
