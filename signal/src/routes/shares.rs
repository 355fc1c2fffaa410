//! Shares over HTTP: who else may come into a saved beam. Every change is in effect for connected devices before its
//! answer is out (H31).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::accounts::Done;
use heliograph_shared::api::beams::{
    BeamShare, MyShares, NewShare, ShareChange, SharedBeam, SharedBeams,
};
use heliograph_shared::ids::ShareId;
use heliograph_storage::shares::Received;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{LoggedIn, public};
use crate::error::Error;
use crate::json::Body;
use crate::random;

/// What others shared with the caller (H21).
#[utoipa::path(
    get,
    path = "/api/beams/shared-with-me/",
    security(("login" = [])),
    responses((status = 200, body = SharedBeams))
)]
pub async fn with_me(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<Json<SharedBeams>, Error> {
    let received = app.storage.shares_with(session.account.id).await?;
    let shared_beams = received.into_iter().map(shared_beam).collect();
    Ok(Json(SharedBeams { shared_beams }))
}

/// A share as its recipient sees it.
pub(super) fn shared_beam(Received { share, owner }: Received) -> SharedBeam {
    let BeamShare { id, beam, share_type, .. } = share;
    SharedBeam { id, beam, owner: public(&owner), share_type }
}

/// The shares of the caller's own beams (H22).
#[utoipa::path(get, path = "/api/beams/my-shares/", security(("login" = [])), responses((status = 200, body = MyShares)))]
pub async fn mine(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<Json<MyShares>, Error> {
    let my_shared_beams = app.storage.shares_by(session.account.id).await?;
    Ok(Json(MyShares { my_shared_beams }))
}

/// Shares a beam with a person (H23).
#[utoipa::path(
    post,
    path = "/api/beams/share/",
    security(("login" = [])),
    request_body = NewShare,
    responses((status = 201, body = BeamShare), (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."))
)]
pub async fn create(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Body(NewShare { beam_id, username, share_type }): Body<NewShare>,
) -> Result<(StatusCode, Json<BeamShare>), Error> {
    let username = username.trim();
    if username.is_empty() {
        return Err(Error::Fields(vec![("username", "Please enter a username".to_owned())]));
    }
    let (actor, id) = (session.account.id, ShareId::from_random(random::bytes()?));
    let now = app.clock.now();
    let share = app.storage.create_share(actor, id, beam_id, username, share_type, now).await?;
    app.hub.refresh(beam_id).await;
    Ok((StatusCode::CREATED, Json(share)))
}

/// Another level (H24).
#[utoipa::path(
    put,
    path = "/api/beams/update-share/{share_id}/",
    security(("login" = [])),
    params(("share_id" = ShareId, Path)),
    request_body = ShareChange,
    responses((status = 200, body = BeamShare), (status = 404, body = ErrorBody, description = "No such share, or not yours to see."))
)]
pub async fn change(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(share): Path<String>,
    Body(ShareChange { share_type }): Body<ShareChange>,
) -> Result<Json<BeamShare>, Error> {
    let share = app.storage.change_share(session.account.id, share_id(&share)?, share_type).await?;
    app.hub.refresh(share.beam.beam_id).await;
    Ok(Json(share))
}

/// Takes a share away, or leaves (H25).
#[utoipa::path(
    delete,
    path = "/api/beams/unshare/{share_id}/",
    security(("login" = [])),
    params(("share_id" = ShareId, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody, description = "No such share, or not yours to see."))
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(share): Path<String>,
) -> Result<Json<Done>, Error> {
    let beam = app.storage.delete_share(session.account.id, share_id(&share)?).await?;
    app.hub.refresh(beam).await;
    Ok(Json(Done::OK))
}

/// What is no share's id is no share.
fn share_id(text: &str) -> Result<ShareId, Error> {
    Uuid::try_parse(text).map(ShareId::from_uuid).map_err(|_| Error::NotFound)
}
