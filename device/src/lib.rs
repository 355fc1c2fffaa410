//! The native device: what a program in a beam does that is no browser. So far only the rules of a transfer
//! (`PROTOCOL.md`, section F), without I/O, clock or randomness: values that are told what happened, and say what to do.
//! `client/src/protocol` has the same rules for the browser.
//!
//! Sizes are bytes. A time is the [`Duration`](std::time::Duration) since a fixed moment, by a clock that does not go
//! back.

mod bounded_json;
pub mod chunk_set;
pub mod file_size;
pub mod frames;
pub mod manifest;
pub mod names;
pub mod pack_paths;
mod paths;
pub mod piece_checks;
pub mod piece_hash;
pub mod receiver;
pub mod saved_names;
pub mod send_queue;
pub mod sender;
