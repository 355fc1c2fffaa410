//! The commands of the operator beside `serve`.

pub mod backup;
pub mod settings;
pub mod users;
