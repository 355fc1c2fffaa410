//! What the paths answer. No rule lives here.

pub mod beams;
pub mod health;
pub mod site;
