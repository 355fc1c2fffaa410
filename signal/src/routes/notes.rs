//! The notes of a saved beam, for those who may read it (H30).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::beams::Note;
use heliograph_shared::ids::BeamId;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::NewNote;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::IntoParams;

use crate::app::App;
use crate::auth::MaybeLoggedIn;
use crate::error::Error;

/// Whose notes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Of {
    /// The beam.
    beam_id: BeamId,
}

/// The notes, oldest first; an unsaved or unknown beam has none.
#[utoipa::path(
    get,
    path = "/api/notes/beam_notes/",
    params(Of),
    responses(
        (status = 200, body = Vec<Note>),
        (status = 401, body = ErrorBody, description = "Its link allows nothing, and nobody is logged in."),
        (status = 404, body = ErrorBody, description = "Not yours to see."),
    )
)]
pub async fn list(
    State(app): State<Arc<App>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    query: Result<Query<Of>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Vec<Note>>, Error> {
    let Query(Of { beam_id }) =
        query.map_err(|_| Error::BadRequest("beam_id must be the id of a beam."))?;
    let account = session.map(|session| session.account.id);
    let Some(access) = app.storage.access_to(beam_id).await? else {
        return Ok(Json(Vec::new()));
    };
    if access.role(account).is_none() {
        return Err(if account.is_some() { Error::NotFound } else { Error::Unauthorized });
    }
    let notes = app.storage.notes_of(beam_id).await?;
    Ok(Json(notes.into_iter().filter_map(|stored| note(stored, account)).collect()))
}

/// What is told of a note; none if it holds what nobody here would have stored.
pub(super) fn note(stored: NewNote, caller: Option<AccountId>) -> Option<Note> {
    let NewNote { id, seq, content, kind, device, author, created_at } = stored;
    // What was stored was JSON.
    let content = RawValue::from_string(content).ok()?;
    let Parts { title, json_content } = serde_json::from_str(content.get()).unwrap_or_default();
    let json_content = json_content.map(ToOwned::to_owned);
    let mine = caller.is_some() && author == caller;
    Some(Note {
        id,
        title,
        json_content,
        content,
        note_type: kind,
        seq,
        from: device,
        created_at,
        mine,
    })
}

/// What a content has beside other things, if it is an object of a note.
#[derive(Default, Deserialize)]
struct Parts<'a> {
    #[serde(default)]
    title: Option<String>,
    #[serde(default, borrow, alias = "content")]
    json_content: Option<&'a RawValue>,
}
