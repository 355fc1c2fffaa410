//! What the page needs to know of its server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use heliograph_shared::api::Site;

use crate::app::App;
use crate::https::options::Tls;

/// The product's name, set here and nowhere else.
const NAME: &str = "Heliograph";

/// Returns name, version and addresses of the server (H2).
#[utoipa::path(get, path = "/api/site", responses((status = 200, body = Site)))]
pub async fn describe(State(app): State<Arc<App>>) -> Json<Site> {
    Json(Site {
        name: NAME.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        public_url: app.public_url.as_ref().map(|url| url.as_str().to_owned()),
        network_url: app.listening.network_url(),
        self_signed: app.certificate == Tls::SelfSigned,
        repository: app.repository_url.clone(),
    })
}
