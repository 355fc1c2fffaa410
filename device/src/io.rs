//! What a native device does with its machine: files and folders. The rules beside it know nothing of this.

pub mod files;
