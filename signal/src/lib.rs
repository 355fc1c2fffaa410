//! The server: HTTP, websocket, live beams, relay, and the built client. [`start::start`] opens one, and
//! [`start::serve`] runs it, in the program or in a test.
//!
//! The folders, each of which uses only those above it:
//!
//! - `https`: the certificate of https, and its renewal
//! - `bus`: what several nodes of the server have in common
//! - `live`: the live beams, and the sockets of the devices in them
//! - `people`: accounts, logins and profile pictures
//! - `files`: uploads and downloads
//! - `app`: the shared state of the handlers
//! - `edge`: HTTP: routing, authentication, requests and responses
//! - `start`: opens the server from its configuration, runs it and shuts it down
//! - `operate`: the other commands of the operator
//! - `doctor`: finds out what keeps a set-up, or a server elsewhere, from working
//! - `program`: the command line of all of it, and of a device in a terminal, which nothing else here knows of

pub mod address;
pub mod app;
pub mod budget;
pub mod bus;
pub mod clock;
pub mod config;
mod connections;
pub mod doctor;
pub mod edge;
pub mod error;
pub mod files;
pub mod health;
pub mod https;
pub mod ice;
pub mod limit;
pub mod limits;
pub mod live;
pub mod log;
pub mod multipart;
mod network;
pub mod operate;
mod pace;
pub mod paced_body;
pub mod people;
pub mod program;
pub mod quota;
mod random;
pub mod size;
pub mod start;
pub mod tally;
pub mod tcp;
