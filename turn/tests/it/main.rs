//! The server as its clients meet it: by RFC 8489 and RFC 8656, and by coturn's own clients.

mod allocating;
mod lab;
mod peers_and_channels;
mod properties;
mod wire;
