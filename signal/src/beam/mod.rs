//! A live beam: its rules without I/O, the task that drives them, and the beams that are live now.

pub mod actor;
pub mod change;
mod changing;
mod content;
pub mod hub;
mod items;
pub mod keeper;
pub mod state;
#[cfg(test)]
mod state_tests;

/// One websocket. A device that reconnects has a new one, so that late news of the old one can be told apart (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionId(pub u64);
