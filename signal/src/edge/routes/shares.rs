//! Shares over HTTP: who else has access to a saved beam. Each change is in effect for connected devices before its
//! response is sent (H31).

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::accounts::Done;
use heliograph_shared::api::beams::{
    BeamShare, MyShares, NewShare, ShareChange, SharedBeam, SharedBeams,
};
use heliograph_shared::ids::ShareId;
use heliograph_storage::shares::{Received, Share};
use uuid::Uuid;

use crate::address::Client;
use crate::app::App;
use crate::edge::auth::{LoggedIn, Sent};
use crate::error::Error;
use crate::people::public;
use crate::random;

/// Lists the beams that others share with the caller (H21).
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
    let Share { id, beam, level, recipient: _ } = share;
    SharedBeam { id, beam, owner: public(&owner), share_type: level }
}

/// A share as the beam's owner and admins see it.
pub(super) fn beam_share(share: Share) -> BeamShare {
    let Share { id, beam, recipient, level } = share;
    let user = public(&recipient);
    let shared_with = user.username.clone();
    BeamShare { id, beam, shared_with, shared_with_user: Some(user), share_type: level }
}

/// Lists the shares of the caller's own beams (H22).
#[utoipa::path(get, path = "/api/beams/my-shares/", security(("login" = [])), responses((status = 200, body = MyShares)))]
pub async fn mine(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<Json<MyShares>, Error> {
    let shares = app.storage.shares_by(session.account.id).await?;
    let my_shared_beams = shares.into_iter().map(beam_share).collect();
    Ok(Json(MyShares { my_shared_beams }))
}

/// Shares a beam with a user (H23).
#[utoipa::path(
    post,
    path = "/api/beams/share/",
    security(("login" = [])),
    request_body = NewShare,
    responses(
        (status = 201, body = BeamShare),
        (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."),
        (status = 429, body = ErrorBody, description = "Too many usernames were tried."),
    )
)]
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Sent(session, NewShare { beam_id, username, share_type }): Sent<NewShare>,
) -> Result<(StatusCode, Json<BeamShare>), Error> {
    let username = username.trim();
    if username.is_empty() {
        return Err(Error::Fields(vec![("username", "Please enter a username".to_owned())]));
    }
    let (actor, id) = (session.account.id, ShareId::from_random(random::bytes()?));
    app.limits.ask_for_username(actor, client, app.clock.steady())?;
    let (username, now) = (username.to_owned(), app.clock.now());
    let share = app.beams.share(actor, id, beam_id, username, share_type, now).await?;
    Ok((StatusCode::CREATED, Json(beam_share(share))))
}

/// Changes the level of a share (H24).
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
    Path(share): Path<String>,
    Sent(session, ShareChange { share_type }): Sent<ShareChange>,
) -> Result<Json<BeamShare>, Error> {
    let id = share_id(&share)?;
    let share = app.beams.change_share(session.account.id, id, share_type).await?;
    Ok(Json(beam_share(share)))
}

/// Removes a share; the recipient may remove it too (H25).
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
    app.beams.unshare(session.account.id, share_id(&share)?).await?;
    Ok(Json(Done::OK))
}

/// Parses a share id. A malformed one is answered like an unknown share.
fn share_id(text: &str) -> Result<ShareId, Error> {
    Uuid::try_parse(text).map(ShareId::from_uuid).map_err(|_| Error::NotFound)
}
