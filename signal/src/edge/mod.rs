//! HTTP: the routes, their extractors, and the layers around every response.

pub(crate) mod answers;
pub mod assets;
pub mod auth;
mod both_ways;
mod cookies;
mod deadline;
mod elements;
pub(crate) mod form;
pub(crate) mod headers;
mod host;
mod json;
mod language;
pub mod nodes;
mod openapi;
pub mod passed_frames;
pub mod passing_on;
mod redirect;
pub mod router;
mod routes;
mod scheme;
mod tus_headers;
