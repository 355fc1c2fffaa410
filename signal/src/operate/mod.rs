//! The commands of the operator beside `serve`.

pub mod assets;
pub mod backup;
pub mod settings;
pub mod sums;
pub mod users;
