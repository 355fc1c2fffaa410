//! The notes of a saved beam (H30).

use std::collections::HashSet;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::beams::Note;
use heliograph_shared::ids::{BeamId, ItemId};
use heliograph_shared::limits::SYNC_PAGE_BYTES;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::beams::BeamRecord;
use heliograph_storage::notes::NewNote;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::IntoParams;

use crate::address::Client;
use crate::app::App;
use crate::edge::answers::Waiting;
use crate::edge::auth::MaybeLoggedIn;
use crate::error::Error;

/// Bytes of notes per page.
pub(super) const PAGE_BYTES: u64 = SYNC_PAGE_BYTES as u64;
/// Bytes that a list holds at a time: a page as it was read, twice each content as it is sent (`content` and
/// `json_content`), and the page before it, which is being sent.
pub(super) const LIST_BYTES: usize = 5 * SYNC_PAGE_BYTES;

/// The query.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Of {
    /// The beam.
    beam_id: BeamId,
}

/// Lists the notes, oldest first. An unsaved or unknown beam has none.
#[utoipa::path(
    get,
    path = "/api/notes/beam_notes/",
    params(Of),
    responses(
        (status = 200, body = Vec<Note>),
        (status = 401, body = ErrorBody, description = "The link gives no access, and the caller is not logged in."),
        (status = 404, body = ErrorBody, description = "The caller has no access."),
        (status = 429, body = ErrorBody, description = "Too many requests for unknown beams."),
    )
)]
pub async fn list(
    State(app): State<Arc<App>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Extension(client): Extension<Option<Client>>,
    query: Result<Query<Of>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Error> {
    let Query(Of { beam_id }) =
        query.map_err(|_| Error::BadRequest("beam_id must be the id of a beam."))?;
    let account = session.map(|session| session.account.id);
    let Some(access) = app.storage.access_to(beam_id).await? else {
        if !is_there(&app, beam_id).await? {
            app.limits.guess(client, app.clock.steady())?;
        }
        return Ok(axum::Json(Vec::<Note>::new()).into_response());
    };
    if access.role(account).is_none() {
        app.limits.guess(client, app.clock.steady())?;
        return Err(if account.is_some() { Error::NotFound } else { Error::Unauthorized });
    }
    let mut list = List::new(app, beam_id, account);
    // Before the response begins, so that an error can still be reported.
    let first = list.next_page().await?;
    let pages = stream::try_unfold((list, first), async |(mut list, page)| {
        let Some(page) = page else { return Ok::<_, Error>(None) };
        let next = list.next_page().await?;
        Ok(Some((page, (list, next))))
    });
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((Extension(Waiting(LIST_BYTES)), json, Body::from_stream(pages)).into_response())
}

/// A JSON list of notes, written page by page: it may have 16 MiB, and its reader may be slow.
struct List {
    app: Arc<App>,
    beam: BeamId,
    account: Option<AccountId>,
    /// Sequence number of the last note that was read.
    after: u64,
    /// The notes written so far. A note that is edited meanwhile comes up again with a later number and is skipped.
    told: HashSet<ItemId>,
    has_begun: bool,
    is_over: bool,
}

impl List {
    fn new(app: Arc<App>, beam: BeamId, account: Option<AccountId>) -> Self {
        let told = HashSet::new();
        Self { app, beam, account, after: 0, told, has_begun: false, is_over: false }
    }

    /// The next piece of the list; `None` after its end.
    async fn next_page(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_over {
            return Ok(None);
        }
        let mut page = if self.after == 0 { b"[".to_vec() } else { Vec::new() };
        let stored = self.app.storage.page_of_notes(self.beam, self.after, PAGE_BYTES).await?;
        self.is_over = stored.is_empty();
        for stored in stored {
            self.after = stored.seq;
            if !self.told.insert(stored.id) {
                continue;
            }
            let Some(note) = note(stored, self.account) else { continue };
            if std::mem::replace(&mut self.has_begun, true) {
                page.push(b',');
            }
            serde_json::to_writer(&mut page, &note).map_err(|_| Error::Internal)?;
        }
        if self.is_over {
            page.push(b']');
        }
        Ok(Some(page.into()))
    }
}

/// Whether the beam exists unsaved, so that the request is not a guess.
async fn is_there(app: &App, beam: BeamId) -> Result<bool, Error> {
    let record = app.storage.find_beam(beam).await?;
    let has_ended = |record: BeamRecord| record.has_ended(app.clock.now());
    Ok(record.map_or_else(|| app.hub.is_live(beam), |record| !has_ended(record)))
}

/// The note as the API shows it; `None` if the stored content is not valid.
pub(super) fn note(stored: NewNote, caller: Option<AccountId>) -> Option<Note> {
    let NewNote { id, seq, content, kind, device, author, created_at, upload: _ } = stored;
    // Stored contents are JSON.
    let content = RawValue::from_string(content).ok()?;
    let Parts { title, json_content } = Parts::of(&content);
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

/// The fields of a content that is a note object.
#[derive(Default, Deserialize)]
struct Parts<'a> {
    #[serde(default)]
    title: Option<String>,
    #[serde(default, borrow, alias = "content")]
    json_content: Option<&'a RawValue>,
}

impl<'a> Parts<'a> {
    fn of(content: &'a RawValue) -> Self {
        // serde would also accept an array for the struct, by position.
        let object = Some(content.get()).filter(|text| text.trim_start().starts_with('{'));
        object.and_then(|object| serde_json::from_str(object).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h30_only_an_object_has_a_title_and_a_body() {
        let title_of = |content: &str| {
            let content: Box<RawValue> = serde_json::from_str(content).unwrap();
            let Parts { title, json_content } = Parts::of(&content);
            title.zip(json_content.map(ToString::to_string))
        };
        let both = Some(("Trip".to_owned(), "{}".to_owned()));
        assert_eq!(title_of(r#"{"title": "Trip", "content": {}}"#), both);
        for other in [r#"["Trip", {}]"#, r#""Trip""#, "7", "null", r#"{"content": {}}"#] {
            assert_eq!(title_of(other), None, "{other}");
        }
    }
}
