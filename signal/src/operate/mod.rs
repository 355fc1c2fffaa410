//! The commands of the operator beside `serve`.

pub mod settings;
pub mod users;
