//! The keys of sealed beams, deposited with the server so that those who may read a saved beam can open it (H52).

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::ids::BeamId;

use super::access::role_in;
use crate::address::Client;
use crate::app::App;
use crate::edge::auth::{MaybeLoggedIn, Sent};
use crate::error::Error;

/// Returns the keys of a saved beam to whoever may read it.
#[utoipa::path(
    get,
    path = "/api/beams/{beam_id}/keys/",
    params(("beam_id" = BeamId, Path)),
    responses(
        (status = 200, body = BeamKeys, description = "The keys. There are none where none were deposited."),
        (status = 401, body = ErrorBody, description = "The link gives no access, and the caller is not logged in."),
        (status = 404, body = ErrorBody, description = "There is no such saved beam, or the caller has no access."),
        (status = 429, body = ErrorBody, description = "Too many unknown beams from this address."),
    )
)]
pub async fn read(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<BeamKeys>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    let account = session.map(|session| session.account.id);
    role_in(&app, client, account, beam).await?;
    Ok(Json(app.storage.keys_of(beam).await?))
}

/// Deposits the keys of a saved beam, in place of those before. No keys take the deposit back.
#[utoipa::path(
    put,
    path = "/api/beams/{beam_id}/keys/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    request_body = BeamKeys,
    responses((status = 200, body = BeamKeys), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn deposit(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Sent(session, keys): Sent<BeamKeys>,
) -> Result<Json<BeamKeys>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    app.beams.deposit_keys(session.account.id, beam, keys.clone()).await?;
    Ok(Json(keys))
}
