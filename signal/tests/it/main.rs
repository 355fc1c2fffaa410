//! Tests of the server through its sockets, on loopback, with a database in a folder of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod abuse;
mod accounts;
mod acme;
mod arranging;
mod arrows;
mod backups;
mod beam_files;
mod broken_uploads;
mod codes;
mod commit;
mod csrf;
mod deploying;
mod describing;
mod device;
mod doctor;
mod doctor_outside;
mod ending;
mod exporting;
mod file;
mod guessing;
mod http;
mod ice;
mod items;
mod joining;
mod keeping;
mod killed;
mod killed_uploads;
mod leaving;
mod limits;
mod metrics;
mod nodes;
mod nodes_apart;
mod nodes_calls;
mod operating;
mod permissions;
mod person;
mod pieces;
mod profile_pictures;
mod program;
mod proxied_nodes;
mod proxies;
mod refusals;
mod relaying;
mod resumable_copy;
mod resumable_ends;
mod resumable_room;
mod resumable_uploads;
mod rude;
mod running;
mod saved_beams;
mod sealed;
mod secure;
mod server;
mod sessions;
mod small_disk;
mod spread;
mod tls;
mod uncertain;
mod uploads;
mod vaults;
mod world;

use heliograph_testing::{bucket, coturn, ports, postgres, redis};
