//! Leads browsers from http to https.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{OriginalUri, Request, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::address::Peer;
use crate::app::App;
use crate::edge::host::AskedHost;

/// Redirects what asks over http for the public name, where this server itself has a certificate for it. By its
/// addresses and its other names it stays to be had over http: its certificate is not for those.
pub async fn to_https(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    Extension(AskedHost(asked)): Extension<AskedHost>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let public = app.public_url.as_ref().filter(|url| url.is_https() && app.leads_to_https);
    let is_outside = peer.tls || peer.is_one_of(&app.trusted_proxies);
    match public.filter(|url| !is_outside && url.host().eq_ignore_ascii_case(&asked)) {
        Some(url) => {
            let path = uri.path_and_query().map_or("/", |path| path.as_str());
            let target = format!("{}{path}", url.as_str());
            (StatusCode::PERMANENT_REDIRECT, [(LOCATION, target)]).into_response()
        }
        None => next.run(request).await,
    }
}
