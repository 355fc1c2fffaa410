//! The health check, and whether devices should come here.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use heliograph_shared::api::ErrorBody;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;

/// Answers `{"status":"ok"}` while devices should come to this node: it is well, and has not lost the others for long (H3).
#[utoipa::path(
    get,
    path = "/readyz",
    responses(
        (status = 200, body = Object),
        (status = 503, body = ErrorBody, description = "Other nodes should be preferred."),
    )
)]
pub async fn ready(State(app): State<Arc<App>>) -> Result<Json<Value>, Error> {
    if app.bus.is_gone_for_long() { Err(Error::Busy) } else { check(State(app)).await }
}

/// Answers `{"status":"ok"}` while the database can be read and written (H3).
#[utoipa::path(
    get,
    path = "/healthz",
    responses(
        (status = 200, body = Object),
        (status = 503, body = ErrorBody, description = "The database cannot be written."),
    )
)]
pub async fn check(State(app): State<Arc<App>>) -> Result<Json<Value>, Error> {
    if app.health.is_good().await {
        Ok(Json(json!({ "status": "ok" })))
    } else {
        Err(Error::Unwritable)
    }
}
