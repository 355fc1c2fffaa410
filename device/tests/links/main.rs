//! Real connections between two ends in one process, over the loopback interface.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a test says so by failing"
)]

mod bundles;
mod carrying;
mod connecting;
mod device_stage;
mod driving;
mod ending;
mod garbage;
mod relaying;
mod stage;
mod turning;
mod ways;
