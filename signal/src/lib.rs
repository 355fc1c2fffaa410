//! The server: HTTP, websocket, live beams, relay, and the built client. [`start::start`] opens one, [`start::serve`]
//! runs it, in a process or in a test.
//!
//! The folders, each using only those above it:
//!
//! - `live`: the beams that are live now, and the sockets of the devices in them
//! - `people`: accounts, logins and profile pictures
//! - `files`: stored files on their way in and out
//! - `app`: the parts put together, as handlers reach them
//! - `edge`: HTTP: every route, who calls, what is answered
//! - `start`: from the configuration to a server that listens, and its end

mod address;
pub mod app;
pub mod budget;
pub mod clock;
pub mod config;
mod connections;
pub mod edge;
pub mod error;
pub mod files;
pub mod limit;
pub mod live;
pub mod multipart;
mod network;
mod pace;
pub mod people;
pub mod quota;
mod random;
pub mod size;
pub mod start;
