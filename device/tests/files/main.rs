//! Files on a real disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a test says so by failing"
)]

mod driving;
mod finding;
mod killed;
mod offering;
mod receiving;
mod remembering;
mod room;
mod stage;
mod sweeping;
mod unpacking;
