//! Beams over HTTP: created by anybody, saved in accounts.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use bytes::Bytes;
use heliograph_shared::api::accounts::Done;
use heliograph_shared::api::beams::{Beam, BeamChange, BeamDetails, Beams};
use heliograph_shared::api::{CreatedBeam, ErrorBody};
use heliograph_shared::ids::{BeamId, BeamKey};
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_shared::names::BeamName;

use super::shares::beam_share;
use crate::address::Client;
use crate::app::App;
use crate::edge::auth::{LoggedIn, Sent};
use crate::error::Error;
use crate::people::public;
use crate::random;

/// Creates a beam (H1). Returns its key, of which the server keeps only a hash.
#[utoipa::path(
    post,
    path = "/api/beams/create/",
    responses(
        (status = 201, body = CreatedBeam),
        (status = 429, body = ErrorBody, description = "Too many beams from this address."),
    )
)]
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
) -> Result<(StatusCode, Json<CreatedBeam>), Error> {
    app.limits.create_beam(client, app.clock.steady())?;
    let (beam_id, beam_key) =
        (BeamId::from_random(random::bytes()?), BeamKey::from_random(random::bytes()?));
    let created_at = app.clock.now();
    let expires_at = created_at + BEAM_LIFETIME;
    app.storage.create_beam(beam_id, beam_key.hash(), created_at, expires_at).await?;
    Ok((StatusCode::CREATED, Json(CreatedBeam { beam_id, beam_key, created_at, expires_at })))
}

/// Lists the caller's own beams (H20).
#[utoipa::path(get, path = "/api/beams/", security(("login" = [])), responses((status = 200, body = Beams)))]
pub async fn list(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<impl IntoResponse, Error> {
    let owner = session.account.id;
    let revision = app.storage.revision_of_beam_lists();
    // Another node does not count the changes of this one.
    if app.bus.is_alone()
        && let Some(body) = app.beam_lists.find(owner, revision)
    {
        return Ok(([(CONTENT_TYPE, "application/json")], body));
    }
    let beams = Beams { beams: app.storage.beams_of(owner).await? };
    let body = Bytes::from(serde_json::to_vec(&beams).map_err(|_| Error::Internal)?);
    app.beam_lists.remember(owner, revision, &body);
    Ok(([(CONTENT_TYPE, "application/json")], body))
}

/// Returns a saved beam, with its shares for those who manage them (H26).
#[utoipa::path(
    get,
    path = "/api/beams/{beam_id}/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    responses((status = 200, body = BeamDetails), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn describe(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<BeamDetails>, Error> {
    let (beam, owner, role) = app.storage.beam_seen_by(session.account.id, beam_id(&beam)?).await?;
    let shares = if role.may_manage() {
        app.storage.shares_of_beam(beam.beam_id).await?.into_iter().map(beam_share).collect()
    } else {
        Vec::new()
    };
    Ok(Json(BeamDetails { beam, role, owner: public(&owner), shares }))
}

/// Changes the name or the link access (H27).
#[utoipa::path(
    put,
    path = "/api/beams/{beam_id}/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    request_body = BeamChange,
    responses((status = 200, body = Beam), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn change(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Sent(session, change): Sent<BeamChange>,
) -> Result<Json<Beam>, Error> {
    let name = change.beam_name.as_deref().map(BeamName::parse).transpose();
    let name = name.map_err(|why| Error::Fields(vec![("beam_name", why.0.to_owned())]))?;
    let (actor, id) = (session.account.id, beam_id(&beam)?);
    Ok(Json(app.beams.change(actor, id, name, change.link_access).await?))
}

/// Gives the beam another id, so that leaked links stop working (H28).
#[utoipa::path(
    post,
    path = "/api/beams/{beam_id}/renew/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    responses((status = 200, body = Beam), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn renew(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<Beam>, Error> {
    let (old, new) = (beam_id(&beam)?, BeamId::from_random(random::bytes()?));
    Ok(Json(app.beams.renew(session.account.id, old, new, app.clock.now()).await?))
}

/// Deletes the beam with everything in it (H29).
#[utoipa::path(
    delete,
    path = "/api/beams/{beam_id}/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<Done>, Error> {
    app.beams.delete(session.account.id, beam_id(&beam)?, app.clock.now()).await?;
    Ok(Json(Done::OK))
}

/// Parses a beam id. A malformed one is answered like an unknown beam.
fn beam_id(text: &str) -> Result<BeamId, Error> {
    BeamId::parse(text).map_err(|_| Error::NotFound)
}
