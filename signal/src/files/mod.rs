//! Stored files: receiving, recognizing, range requests, deleting.

pub mod byte_range;
pub mod dead_blobs;
pub mod file_name;
pub mod media;
pub mod sealed;
pub mod uploads;
