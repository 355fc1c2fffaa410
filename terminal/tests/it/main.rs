//! The program as a process, against the real server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod accounts;
mod comparing;
mod copies;
mod copying;
mod describing;
mod files;
mod home;
mod hostile;
mod hostile_files;
mod hostile_server;
mod joining;
mod killed;
mod people;
mod program;
mod refusing;
mod relayed;
mod saved_keys;
mod server;
mod stage;
mod stored;
mod swapped_bytes;
mod typing;
