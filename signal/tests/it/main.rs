//! The server as devices meet it: real sockets on loopback, a database in a folder of its own.

mod abuse;
mod device;
mod ending;
mod http;
mod items;
mod joining;
mod limits;
mod relaying;
mod server;
mod tls;
