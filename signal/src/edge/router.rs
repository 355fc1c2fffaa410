//! The routes of the server, and the layers around them.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router};
use heliograph_shared::limits::MAX_SEALING_BYTES;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;
use tower_http::limit::RequestBodyLimitLayer;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::address::{Client, Peer};
use crate::app::App;
use crate::edge::host::{self, Hosts};
use crate::edge::routes::{
    accounts, beams, certificate, codes, doctor, export, health, keys, notes, pictures,
    registration, shares, site, socket, tus, uploads, vaults,
};
use crate::edge::scheme::Scheme;
use crate::edge::{answers, assets, deadline, headers, openapi, redirect};
use crate::error::{Error, give_every_refusal_a_body};
use crate::network;
use crate::people::pictures::PICTURE_BYTES;

/// Largest request body, except for uploads.
const BODY_BYTES: usize = 64 * 1024;

/// The whole HTTP service.
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

/// The calls of the API. Each has its path and methods at its handler.
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
        routes!(keys::read, keys::deposit),
        routes!(vaults::way),
        routes!(vaults::read, vaults::change),
        routes!(vaults::list_keys),
        routes!(codes::create),
        routes!(codes::find),
        routes!(shares::with_me),
        routes!(shares::mine),
        routes!(shares::create),
        routes!(shares::change),
        routes!(shares::delete),
        routes!(notes::list),
        routes!(site::describe),
        routes!(uploads::read, uploads::delete),
        routes!(uploads::room_in_beam),
        routes!(pictures::read),
        routes!(health::check),
        routes!(health::ready),
        routes!(doctor::diagnose),
        routes!(certificate::describe),
    ];
    let calls = calls.into_iter().map(both);
    calls
        .fold(OpenApiRouter::with_openapi(openapi::common()), OpenApiRouter::merge)
        .layer(RequestBodyLimitLayer::new(BODY_BYTES))
        .merge(with_keys(both(routes!(vaults::read_keys, vaults::seal_keys))))
        .layer(from_fn(deadline::keep))
        .merge(with_picture(both(routes!(registration::register))))
        .merge(with_picture(both(routes!(accounts::change_picture))))
        // Without a limit on its length, for as long as bytes come.
        .merge(both(routes!(uploads::create)))
        .merge(both(routes!(uploads::create_in_beam)))
        .merge(in_pieces())
}

/// Uploads in pieces (H45). A piece has no limit on its length but that of its file.
fn in_pieces() -> OpenApiRouter<Arc<App>> {
    both(routes!(tus::describe, tus::create))
        .merge(both(routes!(
            tus::describe_upload,
            tus::look,
            tus::append,
            tus::end,
            tus::read,
            tus::overridden
        )))
        .layer(from_fn(tus::speak))
}

/// The websockets, and the fallbacks for unknown paths (H4).
fn sockets() -> Router<Arc<App>> {
    let nothing = ["/api", "/api/", "/api/{*path}", "/ws", "/ws/", "/ws/{*path}"];
    let nothing =
        nothing.into_iter().fold(Router::new(), |paths, path| paths.route(path, any(nothing_here)));
    nothing
        .route("/ws/beam/{beam_id}", get(socket::open))
        .route("/ws/beam/{beam_id}/", get(socket::open))
}

/// Adds the layers, outermost first. They form one stack, because each by itself would be boxed and cloned per request.
fn layers(paths: Router<Arc<App>>, app: &Arc<App>) -> Router<Arc<App>> {
    paths.layer(
        ServiceBuilder::new()
            .layer(from_fn_with_state(app.clone(), log))
            .layer(from_fn(headers::secure))
            .layer(from_fn(give_every_refusal_a_body))
            // The last resort; no panic is known.
            .layer(CatchPanicLayer::new())
            .layer(from_fn_with_state(hosts(app), host::check))
            .layer(from_fn_with_state(app.clone(), redirect::to_https))
            .layer(from_fn(headers::clear_origin))
            .layer(csrf(app).with_rejection_response(|_| Error::ForeignOrigin.into_response()))
            .layer(from_fn_with_state(app.clone(), find_client))
            .layer(from_fn_with_state(app.clone(), answers::hold)),
    )
}

/// Routes a call both with and without a trailing slash. The document has only the described path.
fn both((schemas, paths, methods): UtoipaMethodRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    let described = paths.paths.keys().next().cloned().unwrap_or_default();
    let other =
        described.strip_suffix('/').map_or_else(|| format!("{described}/"), ToOwned::to_owned);
    OpenApiRouter::new().routes((schemas, paths, methods.clone())).route(&other, methods)
}

/// Routes for forms that may contain a picture. Their handlers bound their time, from when the form is there.
fn with_picture(paths: OpenApiRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    paths.layer(RequestBodyLimitLayer::new(PICTURE_BYTES + BODY_BYTES))
}

/// Routes for the keys of a beam, sealed to everybody with whom it is shared.
fn with_keys(paths: OpenApiRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    // Axum's own limit is lower.
    paths.layer(DefaultBodyLimit::disable()).layer(RequestBodyLimitLayer::new(MAX_SEALING_BYTES))
}

/// The names that the operator and the machine give this server (H9).
fn hosts(app: &App) -> Hosts {
    let machine = network::host_name();
    let certified = app.certified.names();
    Hosts::new(app.public_url.as_ref(), certified, machine.as_deref(), &app.trusted_proxies)
}

/// Admits requests that change something only from our own pages or from outside a browser (H5).
fn csrf(app: &App) -> CsrfLayer {
    let Some(url) = &app.public_url else {
        return CsrfLayer::new();
    };
    CsrfLayer::new().add_trusted_origin(url.as_str()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the public address is not usable as a trusted origin");
        CsrfLayer::new()
    })
}

async fn nothing_here() -> Error {
    Error::NotFound
}

async fn not_this_method() -> Error {
    Error::MethodNotAllowed
}

/// Determines the client for the limits, and the scheme for the cookies' names.
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

/// Counts each answer, and logs one line per request, with the pattern of its path instead of the path, because paths contain secret ids.
async fn log(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let started = tokio::time::Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.counts.answered(status);
    // Programs read a number of 128 bits as text.
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let path = path.as_ref().map_or("other", MatchedPath::as_str);
    // Successful reads are not worth a line.
    if method.is_safe() && status < 400 {
        tracing::debug!(%method, path, status, ms, "request");
    } else {
        tracing::info!(%method, path, status, ms, "request");
    }
    response
}
