//! What the tests of several crates stand on: a database and a bucket of their own. No program links this.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test says so by failing"
)]

pub mod bucket;
pub mod postgres;
