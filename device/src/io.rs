//! What a native device does with its machine. The rules beside it know nothing of this.

pub mod file_driver;
pub mod files;
