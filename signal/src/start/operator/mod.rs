//! What the operator asks of the server from its command line: about accounts, so far. A server that runs is asked
//! through a socket in its data folder, because only it can close the sockets of a login, forget what it has cached,
//! and end live beams. While none runs, the command opens the data itself and answers in the same way.

mod users;
mod wire;

pub use users::{Answer, Request, User, answer};
pub use wire::{AskError, Commands, ask, listen, open};

/// Name of the socket in the data folder.
pub const SOCKET: &str = "heliograph.sock";
