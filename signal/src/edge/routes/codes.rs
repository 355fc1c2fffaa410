//! Short codes, which stand for a beam's id for a while (P25). They are no more than that: who joins by one is a guest.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use heliograph_shared::api::{BeamCode, CodeBeam, ErrorBody};
use heliograph_shared::ids::BeamId;
use heliograph_shared::short_code::ShortCode;

use super::notes::is_there;
use crate::address::Client;
use crate::app::App;
use crate::bus::Bus;
use crate::edge::auth::MaybeLoggedIn;
use crate::error::Error;
use crate::random;

/// Returns the short code of a beam (H33): a new one, or the one that it has.
#[utoipa::path(
    post,
    path = "/api/beams/{beam_id}/code/",
    params(("beam_id" = BeamId, Path)),
    responses(
        (status = 200, body = BeamCode),
        (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."),
        (status = 429, body = ErrorBody, description = "Too many requests for unknown beams."),
        (status = 503, body = ErrorBody, description = "Too many codes are in use."),
    )
)]
pub async fn create(
    State(app): State<Arc<App>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Extension(client): Extension<Option<Client>>,
    Path(beam): Path<String>,
) -> Result<Json<BeamCode>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    let account = session.map(|session| session.account.id);
    let may_see = match app.storage.access_to(beam).await? {
        Some(access) => access.role(account).is_some(),
        None => is_there(&app, beam).await?,
    };
    if !may_see {
        app.limits.guess(client, app.clock.steady())?;
        return Err(Error::NotFound);
    }
    let (code, left) = match &app.bus {
        Bus::Alone => app.codes.code_of(beam, app.clock.steady(), random::bytes)?,
        Bus::Shared(member) => member.code_of(beam, random::bytes).await?,
    };
    let expires_in = u64::try_from(left.as_millis()).map_err(|_| Error::Internal)?;
    Ok(Json(BeamCode { code, expires_in }))
}

/// Returns the beam that a short code stands for (H34).
#[utoipa::path(
    get,
    path = "/api/codes/{code}/",
    params(("code" = String, Path)),
    responses(
        (status = 200, body = CodeBeam),
        (status = 404, body = ErrorBody, description = "The code is wrong, or its time is over."),
        (status = 429, body = ErrorBody, description = "Too many codes were tried."),
    )
)]
pub async fn find(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Path(code): Path<String>,
) -> Result<Json<CodeBeam>, Error> {
    let code = ShortCode::parse(&code).map_err(|_| Error::NotFound)?;
    let now = app.clock.steady();
    // Counted whether it is right or wrong: otherwise a guesser beyond the limit would still learn of a right one.
    app.limits.guess(client, now)?;
    let known = match &app.bus {
        Bus::Alone => app.codes.find(code, now),
        Bus::Shared(member) => member.beam_of_code(code).await?,
    };
    let beam_id = known.ok_or(Error::NotFound)?;
    // The beam may have ended, or its link may have been renewed.
    if app.storage.access_to(beam_id).await?.is_none() && !is_there(&app, beam_id).await? {
        app.codes.forget(beam_id);
        return Err(Error::NotFound);
    }
    Ok(Json(CodeBeam { beam_id }))
}
