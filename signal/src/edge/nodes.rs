//! What the other nodes of the server ask of this one: to heed a notice, and to accept a device's websocket.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::bus::Bus;
use crate::bus::notice::Notice;
use crate::bus::peers::NOTICES;
use crate::edge::passing_on::Asked;
use crate::edge::routes::socket;

/// Cancelled when the other side of a connection has shown that it is a node.
#[derive(Clone, Debug, Default)]
pub struct Known(pub CancellationToken);

/// The service for the other nodes, each connection with its [`Known`].
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route(NOTICES, post(heed))
        .route("/ws/beam/{beam_id}", get(socket::open_passed_on))
        .route("/ws/beam/{beam_id}/", get(socket::open_passed_on))
        .layer(from_fn_with_state(app.clone(), know))
        .with_state(app)
}

/// Answers nobody but nodes of this server, and only what is meant for this one.
async fn know(
    State(app): State<Arc<App>>,
    Extension(Known(known)): Extension<Known>,
    mut request: Request,
    next: Next,
) -> Response {
    let Bus::Shared(member) = &app.bus else { return StatusCode::UNAUTHORIZED.into_response() };
    if !member.knows(request.headers()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    known.cancel();
    if !member.is_called(request.headers()) {
        return StatusCode::MISDIRECTED_REQUEST.into_response();
    }
    let asked = Asked::read(request.headers());
    // The cookies of the device have the names of its scheme.
    request.extensions_mut().insert(asked.scheme);
    request.extensions_mut().insert(asked);
    next.run(request).await
}

async fn heed(State(app): State<Arc<App>>, Json(notice): Json<Notice>) -> StatusCode {
    match &notice {
        Notice::Taken(taken) => app.limits.was_taken(taken, app.clock.steady()),
        _ => app.logins.heed(&notice).await,
    }
    StatusCode::NO_CONTENT
}
