//! Stored files: how they come in, what they are, which part of them is asked for, and how their bytes go.

pub mod byte_range;
pub mod dead_blobs;
pub mod file_name;
pub mod media;
pub mod uploads;
