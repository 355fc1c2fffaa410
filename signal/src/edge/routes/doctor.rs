//! What the doctor asks a running server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use heliograph_shared::api::doctor::{Diagnosis, Forwarding};

use crate::address::{Client, FORWARDED_FOR, Peer};
use crate::app::App;
use crate::edge::host::AskedHost;
use crate::edge::scheme::Scheme;

/// Describes the server and the caller as they see each other, without anything that is not for everybody (H50).
#[utoipa::path(get, path = "/api/doctor", responses((status = 200, body = Diagnosis)))]
pub async fn diagnose(
    State(app): State<Arc<App>>,
    Extension(AskedHost(host)): Extension<AskedHost>,
    Extension(scheme): Extension<Scheme>,
    Extension(client): Extension<Option<Client>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Json<Diagnosis> {
    let is_trusted = peer.is_some_and(|Extension(peer)| peer.is_one_of(&app.trusted_proxies));
    let forwarding = match (headers.contains_key(FORWARDED_FOR), is_trusted) {
        (false, _) => Forwarding::None,
        (true, true) => Forwarding::Believed,
        (true, false) => Forwarding::Ignored,
    };
    let scheme = if scheme == Scheme::Https { "https" } else { "http" };
    let address = client.map(|client| client.to_string());
    let address =
        address.or_else(|| peer.map(|Extension(peer)| peer.ip.to_canonical().to_string()));
    let has_room = app.uploads.has_disk().await;
    Json(Diagnosis {
        host,
        scheme: scheme.to_owned(),
        address,
        forwarding,
        now: app.clock.now(),
        database: app.health.is_good().await,
        room: has_room,
    })
}
