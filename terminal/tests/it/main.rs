//! The program as a process, against the real server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod accounts;
mod copying;
mod describing;
mod files;
mod joining;
mod people;
mod program;
mod refusing;
mod server;
mod stored;
