//! What the paths answer. No rule lives here.

pub mod beams;
pub mod health;
pub mod notes;
pub mod shares;
pub mod site;
