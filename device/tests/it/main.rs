//! The rules of a transfer, and the engine that moves files by them: nothing is sent, written or waited for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod bundling;
mod chunk_sets;
mod ending;
mod engine;
mod frames;
mod manifests;
mod measuring;
mod names;
mod pieces;
mod receiving;
mod scheduling;
mod sending;
mod simulation;
mod swarming;
mod transferring;
mod vectors;
