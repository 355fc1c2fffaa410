//! The health check.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use heliograph_shared::api::ErrorBody;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;

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
