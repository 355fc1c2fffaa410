//! Whether the server on this machine is well, in one word, for health checks.

use hyper::StatusCode;

use super::http::{Failure, Place};
use crate::app::Listening;
use crate::config::{Config, Origin};

/// Why the server is not well.
#[derive(Debug, thiserror::Error)]
pub enum Sick {
    /// Its address makes no sense.
    #[error("{0} is no address to ask; give --listen as the server has it")]
    Address(String),
    /// It does not answer.
    #[error("the server at {0} does not answer: {1}")]
    Silent(String, Failure),
    /// It answers that it cannot work.
    #[error("the server at {0} answers {1}; run `heliograph doctor` with its options")]
    Unwell(String, StatusCode),
}

/// Asks the server that has these options.
///
/// # Errors
/// [`Sick`] unless it is well.
pub async fn health(config: &Config) -> Result<(), Sick> {
    let listening = Listening { plain: config.listen, tls: None, metrics: None };
    let url = listening.local_url();
    let Ok(origin) = url.parse::<Origin>() else { return Err(Sick::Address(url)) };
    match Place::of(&origin).get("/healthz").await {
        Ok(answer) if answer.status == StatusCode::OK => Ok(()),
        Ok(answer) => Err(Sick::Unwell(url, answer.status)),
        Err(failure) => Err(Sick::Silent(url, failure)),
    }
}
