//! Leads browsers from http to https.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{OriginalUri, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::address::Peer;
use crate::app::App;
use crate::edge::host::AskedHost;

/// Redirects what asks over http for a public name, while this server itself has a certificate for it. By its addresses
/// and its other names it stays to be had over http: its certificate is not for those.
pub async fn to_https(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    Extension(AskedHost(asked)): Extension<AskedHost>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let is_outside = peer.tls || peer.is_one_of(&app.trusted_proxies);
    if is_outside || !app.certified.serves(&asked, app.clock.now()) {
        return next.run(request).await;
    }
    let public = app.public_url.as_ref().filter(|url| url.host().eq_ignore_ascii_case(&asked));
    // The operator may want the public name over http.
    if public.is_some_and(|url| !url.is_https()) {
        return next.run(request).await;
    }
    let origin = public.map_or_else(|| format!("https://{asked}"), |url| url.as_str().to_owned());
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // Without the header a browser could keep the answer for ever, also when there is no certificate any more.
    let headers = [(LOCATION, format!("{origin}{path}")), (CACHE_CONTROL, "no-store".to_owned())];
    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
}
