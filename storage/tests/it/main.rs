//! Tests of the storage, each on a real SQLite file and on a real Postgres server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod accounts;
mod beam_drivers;
mod beams;
mod blobs;
mod kept_beams;
mod lease;
mod nodes;
mod notes;
mod resumable_uploads;
mod sessions;
mod stage;
mod together;
mod uploads;
mod vaults;

use heliograph_testing::{bucket, postgres};
