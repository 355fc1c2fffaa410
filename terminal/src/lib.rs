//! A terminal or a script in a beam: the program `heliograph-device`, and the same commands of the program `heliograph`. What a device
//! does is in the crate `heliograph-device`; this one reads what its person wants, and shows what comes of it.

pub mod beam;
pub mod cli;
pub mod clipboard;
pub mod commands;
pub mod compared;
pub mod config;
pub mod exit;
pub mod files;
pub mod known_beam;
pub mod landing;
pub mod late_state;
pub mod link;
pub mod pauses;
pub mod people;
pub mod pictures;
pub mod program;
pub mod progress;
pub mod qr;
pub mod safe;
pub mod saved;
pub mod saving;
pub mod state;
pub mod text_file;
pub mod voice;
pub mod watched;
