//! The rules of a transfer, the engine that moves files by them, and a device in a beam: nothing is sent, written or waited for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod beam_server;
mod bundling;
mod chunk_sets;
mod compared_before;
mod comparing;
mod ending;
mod engine;
mod file_facts;
mod found_keys;
mod frames;
mod keyrings;
mod links;
mod manifests;
mod measuring;
mod missing;
mod names;
mod passwords;
mod pieces;
mod receiving;
mod scheduling;
mod sealed_sessions;
mod sending;
mod sessions;
mod simulation;
mod swarming;
mod transferring;
mod vaults;
mod vectors;
