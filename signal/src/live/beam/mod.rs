//! A live beam: its rules without I/O, the task that drives them, the hub of live beams, and changes of saved beams
//! over HTTP.

mod absent;
mod access;
mod actor;
mod addressed;
mod arrangement;
mod arranging;
mod behind;
mod catching_up;
pub mod commit;
mod content;
pub mod earlier;
pub mod handle;
pub mod hub;
mod items;
mod keeper;
mod keeping;
mod membership;
mod memory;
mod plain_devices;
mod recovering;
mod recovery;
pub mod request;
mod rules;
mod seen;
pub mod state;
#[cfg(test)]
mod state_tests;
mod storing;
pub mod terms;
mod waiting;
pub mod write;

/// One websocket. A device gets a new one when it reconnects, so that late events of the old one are recognized (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionId(pub u64);
