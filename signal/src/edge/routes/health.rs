//! The health check.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;

/// Answers `{"status":"ok"}` while the database can be read (H3).
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = Object)))]
pub async fn check(State(app): State<Arc<App>>) -> Result<Json<Value>, Error> {
    app.storage.check().await?;
    Ok(Json(json!({ "status": "ok" })))
}
