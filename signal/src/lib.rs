//! The server: HTTP, websocket, live beams, relay, and the built client. [`serve`] runs one, in a process or in a test.

mod address;
pub mod app;
mod assets;
pub mod auth;
pub mod beam;
pub mod beam_lists;
pub mod clock;
pub mod config;
mod cookies;
pub mod error;
mod form;
mod headers;
mod json;
pub mod limit;
pub mod logins;
mod network;
mod openapi;
pub mod outbox;
mod random;
pub mod relay;
mod router;
mod routes;
mod scheme;
mod serve;
mod socket;
mod sockets;
pub mod start;
mod sweeper;
mod throttle;
pub mod tls;
pub mod tokens;
pub mod websocket;

pub use serve::{Listeners, serve};
