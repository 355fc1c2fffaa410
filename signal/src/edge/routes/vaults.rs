//! Vaults of accounts (H53, H54, H56), and the keys of saved beams that are sealed to them (H55).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use futures_util::stream::{self, Stream, StreamExt as _, TryStreamExt as _};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::vaults::{
    AskedWay, BeamVault, BeamVaultChange, KeptBeams, LoginWay, OwnVault, VaultChange,
};
use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::MAX_SEALED_BYTES;
use heliograph_shared::names::{Password, Username};
use heliograph_storage::KEPT_KEYS_PAGE;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::Quota;

use super::access::role_in;
use super::accounts::proves;
use crate::address::Client;
use crate::app::App;
use crate::edge::answers::Waiting;
use crate::edge::auth::{LoggedIn, Sent};
use crate::edge::cookies;
use crate::edge::elements::elements;
use crate::edge::form::Mistakes;
use crate::edge::json::Body;
use crate::edge::scheme::Scheme;
use crate::error::Error;
use crate::people::public_keys::is_point;

/// Tells how a password is stretched before it is sent at login. Says nothing of whether anybody has the username.
#[utoipa::path(
    post,
    path = "/api/auth/way/",
    request_body = AskedWay,
    responses(
        (status = 200, body = LoginWay),
        (status = 429, body = ErrorBody, description = "Too many usernames were asked for."),
    )
)]
pub async fn way(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
    Body(AskedWay { username }): Body<AskedWay>,
) -> Result<Json<LoginWay>, Error> {
    let Ok(username) = Username::parse(&username) else {
        return Ok(Json(LoginWay { stretch: None }));
    };
    let shown = cookies::known_device(&headers, scheme);
    let attempt = app.logins.attempt_login(&username, shown).await?;
    // Strangers at the same address do not keep a known device out.
    if attempt.account_on_known_device().is_none() {
        app.limits.ask_for_way(client, app.clock.steady())?;
    }
    Ok(Json(app.logins.way(&username).await?))
}

/// Returns the vault of the caller's account.
#[utoipa::path(
    get,
    path = "/api/auth/vault/",
    security(("login" = [])),
    responses((status = 200, body = OwnVault))
)]
pub async fn read(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<Json<OwnVault>, Error> {
    Ok(Json(OwnVault { vault: app.storage.vault_of(session.account.id).await? }))
}

/// Writes the vault of the caller's account together with its password, and ends all other logins.
#[utoipa::path(
    put,
    path = "/api/auth/vault/",
    security(("login" = [])),
    request_body = VaultChange,
    responses(
        (status = 200, body = OwnVault),
        (status = 401, body = ErrorBody, description = "The login has ended meanwhile, or its password was replaced."),
        (status = 409, body = ErrorBody, description = "The vault was changed meanwhile."),
        (status = 429, body = ErrorBody, description = "Too many attempts."),
    )
)]
pub async fn change(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
    Sent(session, VaultChange { password, new_password, vault }): Sent<VaultChange>,
) -> Result<Json<OwnVault>, Error> {
    if !vault.is_whole() || !is_point(&vault.public_key) {
        return Err(Error::BadRequest("The request cannot be read."));
    }
    let mut mistakes = Mistakes::default();
    let new_password = mistakes.check("new_password", Password::parse(new_password));
    let Some(new_password) = new_password else { return Err(mistakes.refusal()) };
    let proof = proves(&app, &session.account, password, client, &headers, scheme).await?;
    app.logins.change_vault(session.id, proof, new_password, vault.clone()).await?;
    Ok(Json(OwnVault { vault: Some(vault) }))
}

/// Returns the keys of a saved beam as they are sealed to the caller, and to its owner the people who may have them.
#[utoipa::path(
    get,
    path = "/api/beams/{beam_id}/vault/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    responses(
        (status = 200, body = BeamVault),
        (status = 404, body = ErrorBody, description = "There is no such saved beam, or the caller has no access."),
        (status = 429, body = ErrorBody, description = "Too many unknown beams from this address."),
    )
)]
pub async fn read_keys(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    LoggedIn(session): LoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<BeamVault>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    let account = session.account.id;
    let (_, role) = role_in(&app, client, Some(account), beam).await?;
    Ok(Json(app.storage.sealed_keys(account, role, beam).await?))
}

/// Writes the keys of a saved beam, sealed to those who are to have them. A deposit of the same keys is deleted.
#[utoipa::path(
    put,
    path = "/api/beams/{beam_id}/vault/",
    security(("login" = [])),
    params(("beam_id" = BeamId, Path)),
    request_body = BeamVaultChange,
    responses(
        (status = 200, body = BeamVaultChange),
        (status = 403, body = ErrorBody, description = "The beam is somebody else's."),
        (status = 404, body = ErrorBody, description = "No such beam, or not yours to see."),
        (status = 409, body = ErrorBody, description = "The keys, the people or their vaults were changed meanwhile."),
        (status = 507, body = ErrorBody, description = "The owner's quota has no room for that many keys."),
    )
)]
pub async fn seal_keys(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Sent(session, change): Sent<BeamVaultChange>,
) -> Result<Json<BeamVaultChange>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    if !change.is_whole(&session.account.username) {
        return Err(Error::BadRequest("The request cannot be read."));
    }
    let quota = Quota { quotas: app.live.quotas.quotas(), now: app.clock.now() };
    app.beams.seal_keys(session.account.id, beam, change.clone(), quota).await?;
    Ok(Json(change))
}

/// Lists the caller's beams, and those shared with them, whose keys are kept here, with the keys that are sealed to the caller.
#[utoipa::path(
    get,
    path = "/api/auth/vault/beams/",
    security(("login" = [])),
    responses((status = 200, body = KeptBeams))
)]
pub async fn list_keys(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<Response, Error> {
    let mut beams = Box::pin(kept_keys(app, session.account.id));
    // Before the response begins, so that an error can still be reported.
    let first = beams.try_next().await?;
    let piece = |text: &'static str| stream::iter([Ok(Bytes::from_static(text.as_bytes()))]);
    let first = stream::iter(first.map(Ok::<_, Error>));
    let list = piece("{\"beams\":[").chain(first).chain(beams).chain(piece("]}"));
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((Extension(Waiting(KEYS_LIST_BYTES)), json, axum::body::Body::from_stream(list))
        .into_response())
}

/// Bytes that a list of kept keys holds at a time: a page as it was read, and as text, with the page before it, which is being sent.
pub(super) const KEYS_LIST_BYTES: usize = 4 * KEPT_KEYS_PAGE * MAX_SEALED_BYTES;

/// Streams how the keys of an account's beams are kept, as elements of an array.
pub(super) fn kept_keys(
    app: Arc<App>,
    account: AccountId,
) -> impl Stream<Item = Result<Bytes, Error>> {
    elements(move |last| {
        let app = app.clone();
        async move {
            let page = app.storage.page_of_kept_keys(account, last).await?;
            Ok(page.into_iter().map(|beam| (beam.beam_id, Some(beam))).collect())
        }
    })
}
