//! The server as devices meet it: real sockets on loopback, a database in a folder of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod abuse;
mod accounts;
mod broken_uploads;
#[path = "../../../storage/tests/it/bucket.rs"]
mod bucket;
mod csrf;
mod describing;
mod device;
mod ending;
mod exporting;
mod file;
mod guessing;
mod http;
mod items;
mod joining;
mod killed;
mod leaving;
mod limits;
mod permissions;
mod person;
#[path = "../../../storage/tests/it/postgres.rs"]
mod postgres;
mod profile_pictures;
mod relaying;
mod saved_beams;
mod server;
mod sessions;
mod small_disk;
mod tls;
mod uploads;
mod world;
