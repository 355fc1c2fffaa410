//! Test support for several crates: a database, a bucket and a bus per test. No program links it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test says so by failing"
)]

pub mod bucket;
pub mod coturn;
pub mod ports;
pub mod postgres;
pub mod redis;
