//! Every path of the server, and the layers around them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::address::{Client, Peer};
use crate::app::App;
use crate::edge::host::{self, Hosts};
use crate::edge::routes::{
    accounts, beams, export, health, notes, pictures, registration, shares, site, socket, uploads,
};
use crate::edge::scheme::Scheme;
use crate::edge::{answers, assets, headers, openapi};
use crate::error::{Error, give_every_refusal_a_body};
use crate::network;
use crate::people::pictures::PICTURE_BYTES;

/// Largest body of a request.
const BODY_BYTES: usize = 64 * 1024;
/// Time for an answer; nothing here takes long.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The paths, each with what it answers and how it is described.
pub fn router(app: Arc<App>) -> Router {
    let (calls, mut document) = calls().split_for_parts();
    let (description, own) = both(routes!(openapi::describe)).split_for_parts();
    document.merge(own);
    let description = description.layer(Extension(openapi::Document::of(document)));
    let paths = calls
        .merge(description)
        .merge(sockets())
        .method_not_allowed_fallback(not_this_method)
        .fallback(assets::serve);
    layers(paths, &app).with_state(app)
}

/// The calls. Every one is here and nowhere else: a path and its methods stand at its handler.
fn calls() -> OpenApiRouter<Arc<App>> {
    let calls = [
        routes!(accounts::me),
        routes!(accounts::log_in),
        routes!(accounts::log_out),
        routes!(accounts::refresh),
        routes!(accounts::change_profile),
        routes!(accounts::delete),
        routes!(export::export),
        routes!(beams::create),
        routes!(beams::list),
        routes!(beams::renew),
        routes!(beams::describe, beams::change, beams::delete),
        routes!(shares::with_me),
        routes!(shares::mine),
        routes!(shares::create),
        routes!(shares::change),
        routes!(shares::delete),
        routes!(notes::list),
        routes!(site::describe),
        routes!(uploads::read, uploads::delete),
        routes!(pictures::read),
        routes!(health::check),
    ];
    let calls = calls.into_iter().map(both);
    calls
        .fold(OpenApiRouter::with_openapi(openapi::common()), OpenApiRouter::merge)
        .layer(bounds(BODY_BYTES))
        .merge(with_picture(both(routes!(registration::register))))
        .merge(with_picture(both(routes!(accounts::change_picture))))
        // A body of any length, for as long as it flows.
        .merge(both(routes!(uploads::create)))
}

/// The sockets, and what is not there beside them and the calls (H4).
fn sockets() -> Router<Arc<App>> {
    let nothing = ["/api", "/api/", "/api/{*path}", "/ws", "/ws/", "/ws/{*path}"];
    let nothing =
        nothing.into_iter().fold(Router::new(), |paths, path| paths.route(path, any(nothing_here)));
    nothing
        .route("/ws/beam/{beam_id}", get(socket::open))
        .route("/ws/beam/{beam_id}/", get(socket::open))
}

/// The layers, outermost first. In one stack: each one by itself would be boxed and cloned for every request.
fn layers(paths: Router<Arc<App>>, app: &Arc<App>) -> Router<Arc<App>> {
    paths.layer(
        ServiceBuilder::new()
            .layer(from_fn(log))
            .layer(from_fn(headers::secure))
            .layer(from_fn(give_every_refusal_a_body))
            // The last net: the server has no panic that we know of.
            .layer(CatchPanicLayer::new())
            .layer(from_fn_with_state(hosts(app), host::check))
            .layer(csrf(app).with_rejection_response(|_| Error::ForeignOrigin.into_response()))
            .layer(from_fn_with_state(app.clone(), find_client))
            .layer(from_fn_with_state(app.clone(), answers::hold)),
    )
}

/// What bounds a call: the time for its answer, though not for the answer's body, and the bytes that it may bring.
fn bounds(bytes: usize) -> (TimeoutLayer, RequestBodyLimitLayer) {
    let timeout = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT);
    (timeout, RequestBodyLimitLayer::new(bytes))
}

/// A call under its described path, and under the same with or without the trailing slash.
fn both((schemas, paths, methods): UtoipaMethodRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    let described = paths.paths.keys().next().cloned().unwrap_or_default();
    let other =
        described.strip_suffix('/').map_or_else(|| format!("{described}/"), ToOwned::to_owned);
    OpenApiRouter::new().routes((schemas, paths, methods.clone())).route(&other, methods)
}

/// Forms that may have a picture in them.
fn with_picture(paths: OpenApiRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    paths.layer(bounds(PICTURE_BYTES + BODY_BYTES))
}

/// The names that the operator and the machine give this server (H9).
fn hosts(app: &App) -> Hosts {
    let machine = network::host_name();
    Hosts::new(app.public_url.as_ref(), machine.as_deref(), &app.trusted_proxies)
}

/// Requests that change something come from our own pages, or from no page at all (H5).
fn csrf(app: &App) -> CsrfLayer {
    let Some(url) = &app.public_url else {
        return CsrfLayer::new();
    };
    CsrfLayer::new().add_trusted_origin(url.as_str()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the public address cannot be trusted as an origin");
        CsrfLayer::new()
    })
}

async fn nothing_here() -> Error {
    Error::NotFound
}

async fn not_this_method() -> Error {
    Error::MethodNotAllowed
}

/// Whose limits the request counts for, and how its cookies are named.
async fn find_client(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let (headers, trusted) = (request.headers(), &app.trusted_proxies);
    let peer = request.extensions().get::<Peer>().copied();
    let client = peer.and_then(|peer| Client::of(peer.ip, headers, trusted));
    let public_url = app.public_url.as_ref();
    let scheme = peer.map_or(Scheme::Http, |peer| Scheme::of(peer, headers, trusted, public_url));
    request.extensions_mut().insert(client);
    request.extensions_mut().insert(scheme);
    next.run(request).await
}

/// One line a request: the pattern of its path, never the path, for ids and queries are nobody's business.
async fn log(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let started = tokio::time::Instant::now();
    let response = next.run(request).await;
    let (status, ms) = (response.status().as_u16(), started.elapsed().as_millis());
    let path = path.as_ref().map_or("other", MatchedPath::as_str);
    // What only reads, and may, is no news.
    if method.is_safe() && status < 400 {
        tracing::debug!(%method, path, status, ms, "request");
    } else {
        tracing::info!(%method, path, status, ms, "request");
    }
    response
}
