//! The certificate that the server made for itself, for people whom a browser has warned about it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::certificate::OwnCertificate;

use crate::app::App;
use crate::error::Error;
use crate::https;
use crate::https::options::Tls;

/// Describes the certificate of `--tls self-signed`, and has it for those who want to trust it (H51).
#[utoipa::path(
    get,
    path = "/api/certificate",
    responses(
        (status = 200, body = OwnCertificate),
        (status = 404, body = ErrorBody, description = "The server made none."),
    )
)]
pub async fn describe(State(app): State<Arc<App>>) -> Result<Json<OwnCertificate>, Error> {
    if app.certificate != Tls::SelfSigned {
        return Err(Error::NotFound);
    }
    // What handshakes show, whatever has happened to its file.
    let shown = app.certified.certificate();
    shown.as_deref().and_then(https::describe).map(Json).ok_or(Error::NotFound)
}
