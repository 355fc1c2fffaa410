//! A live beam: its rules without I/O, the task that drives them, the beams that are live now, and the one way to change a
//! saved beam.

mod access;
mod actor;
pub mod commit;
mod content;
pub mod handle;
pub mod hub;
mod items;
mod keeper;
pub mod request;
mod rules;
mod seen;
pub mod state;
#[cfg(test)]
mod state_tests;
pub mod terms;
pub mod write;

/// One websocket. A device that reconnects has a new one, so that late news of the old one can be told apart (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionId(pub u64);
