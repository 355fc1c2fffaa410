//! Every path of the server, one per line, and the layers around them.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state, map_request};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, delete, get, post, put};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

use crate::address::Client;
use crate::app::App;
use crate::error::{Error, give_every_refusal_a_body};
use crate::routes::{
    accounts, beams, export, health, notes, pictures, registration, shares, site, uploads,
};
use crate::scheme::Scheme;
use crate::uploads::piecewise;
use crate::{assets, form, headers, openapi, socket};

/// Largest body of a request.
const BODY_BYTES: usize = 64 * 1024;
/// Time for an answer; nothing here takes long.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Who opened the connection, as the accept loop saw it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// From where.
    pub ip: IpAddr,
    /// Whether we speak TLS with it.
    pub tls: bool,
}

/// The paths.
pub fn router(app: Arc<App>) -> Router {
    let api = Router::new()
        .merge(both("/auth/me", get(accounts::me)))
        .merge(both("/auth/login", post(accounts::log_in)))
        .merge(both("/auth/logout", post(accounts::log_out)))
        .merge(both("/auth/refresh", post(accounts::refresh)))
        .merge(both("/auth/profile", put(accounts::change_profile)))
        .merge(both("/auth/export", get(export::export)))
        .merge(both("/auth/delete-account", delete(accounts::delete)))
        .merge(both("/beams/create", post(beams::create)))
        .merge(both("/beams", get(beams::list)))
        .merge(both("/beams/shared-with-me", get(shares::with_me)))
        .merge(both("/beams/my-shares", get(shares::mine)))
        .merge(both("/beams/share", post(shares::create)))
        .merge(both("/beams/update-share/{share_id}", put(shares::change)))
        .merge(both("/beams/unshare/{share_id}", delete(shares::delete)))
        .merge(both("/beams/{beam_id}/renew", post(beams::renew)))
        .merge(both(
            "/beams/{beam_id}",
            get(beams::describe).put(beams::change).delete(beams::delete),
        ))
        .merge(both("/notes/beam_notes", get(notes::list)))
        .merge(both("/site", get(site::describe)))
        .merge(both("/openapi.json", get(openapi::describe)))
        .merge(both("/uploads/{id}", get(uploads::read).delete(uploads::delete)))
        .merge(both("/pictures/{id}", get(pictures::read)))
        .layer(bounds(BODY_BYTES))
        .merge(with_picture(both("/auth/register", post(registration::register))))
        .merge(with_picture(both("/auth/profile-picture", post(accounts::change_picture))))
        // A body of any length, for as long as it flows.
        .merge(
            both("/upload", post(uploads::create))
                .layer(map_request(piecewise))
                .layer(DefaultBodyLimit::disable()),
        )
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_this_method);
    let sockets = Router::new()
        .merge(both("/beam/{beam_id}", get(socket::upgrade)))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_this_method);
    let paths = Router::new()
        .nest("/api", api)
        .nest("/ws", sockets)
        // A nest does not take its own name with a slash.
        .route("/api/", any(nothing_here))
        .route("/ws/", any(nothing_here))
        .merge(both("/healthz", get(health::check)))
        .method_not_allowed_fallback(not_this_method)
        .fallback(assets::serve);
    layers(paths, &app).with_state(app)
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
            .layer(csrf(app).with_rejection_response(|_| Error::ForeignOrigin.into_response()))
            .layer(from_fn_with_state(app.clone(), find_client)),
    )
}

/// What bounds a call: the time for its answer, though not for the answer's body, and the bytes that it may bring.
fn bounds(bytes: usize) -> (TimeoutLayer, RequestBodyLimitLayer) {
    let timeout = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT);
    (timeout, RequestBodyLimitLayer::new(bytes))
}

/// The path with and without its trailing slash.
fn both(path: &str, method: MethodRouter<Arc<App>>) -> Router<Arc<App>> {
    Router::new().route(path, method.clone()).route(&format!("{path}/"), method)
}

/// Forms that may have a picture in them.
fn with_picture(paths: Router<Arc<App>>) -> Router<Arc<App>> {
    let most = form::PICTURE_BYTES + BODY_BYTES;
    paths.layer(bounds(most)).layer(DefaultBodyLimit::disable())
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
