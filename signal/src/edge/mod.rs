//! The edge of HTTP: the routes, what a request is read into, and what goes around every answer.

pub(crate) mod answers;
mod assets;
pub mod auth;
mod cookies;
pub(crate) mod form;
pub(crate) mod headers;
mod host;
mod json;
mod openapi;
pub mod router;
mod routes;
mod scheme;
