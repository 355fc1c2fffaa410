//! The notes of a saved beam (H30).

use std::collections::HashSet;
use std::mem;
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
use heliograph_storage::Storage;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::beams::Life;
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
    let mut list = List::new(app.storage.clone(), beam_id, account).await?;
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
    storage: Storage,
    beam: BeamId,
    account: Option<AccountId>,
    /// What is read now.
    step: Step,
    /// Sequence number of the last note to read. Without it the list would grow for as long as its reader likes.
    until: u64,
    /// Sequence number of the last note that was read.
    after: u64,
    /// The notes written so far. A note that is edited meanwhile comes up again with a later number and is skipped.
    told: HashSet<ItemId>,
    /// What stands before the next note: the list's bracket, then a comma.
    before: u8,
}

/// The steps of a list, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The notes that were there at its start.
    Notes,
    /// The notes that were edited since: an edit gives a note a later number.
    Edited,
    Over,
}

impl List {
    async fn new(
        storage: Storage,
        beam: BeamId,
        account: Option<AccountId>,
    ) -> Result<Self, Error> {
        let until = last_seq(&storage, beam).await?;
        let (step, told) = (Step::Notes, HashSet::new());
        Ok(Self { storage, beam, account, step, until, after: 0, told, before: b'[' })
    }

    /// The next piece of the list; `None` after its end. Fails when the caller has no access any more, which breaks the
    /// answer off.
    async fn next_page(&mut self) -> Result<Option<Bytes>, Error> {
        if self.step == Step::Over {
            return Ok(None);
        }
        let access = self.storage.access_to(self.beam).await?;
        access.and_then(|access| access.role(self.account)).ok_or(Error::NotFound)?;
        let mut page = Vec::new();
        let Self { beam, after, until, .. } = *self;
        let stored = self.storage.page_of_notes(beam, after, until, PAGE_BYTES).await?;
        if stored.is_empty() {
            self.step = if self.step == Step::Notes { Step::Edited } else { Step::Over };
            self.after = self.until;
            self.until = last_seq(&self.storage, self.beam).await?;
        }
        for stored in stored {
            self.after = stored.seq;
            if !self.told.insert(stored.id) {
                continue;
            }
            let Some(note) = note(stored, self.account) else { continue };
            page.push(mem::replace(&mut self.before, b','));
            serde_json::to_writer(&mut page, &note).map_err(|_| Error::Internal)?;
        }
        if self.step == Step::Over {
            page.extend((self.before == b'[').then_some(b'['));
            page.push(b']');
        }
        Ok(Some(page.into()))
    }
}

/// Sequence number of the newest note of a saved beam.
async fn last_seq(storage: &Storage, beam: BeamId) -> Result<u64, Error> {
    let record = storage.find_beam(beam).await?;
    let saved = record.filter(|record| matches!(record.life, Life::Saved(_)));
    Ok(saved.map_or(0, |record| record.last_seq))
}

/// Whether the beam exists unsaved, so that the request is not a guess.
pub(super) async fn is_there(app: &App, beam: BeamId) -> Result<bool, Error> {
    let record = app.storage.find_beam(beam).await?;
    match record {
        Some(record) => Ok(!record.has_ended(app.clock.now())),
        None => Ok(app.live.hub.is_live_anywhere(beam).await),
    }
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
    use heliograph_shared::api::beams::LinkAccess;
    use heliograph_shared::ids::DeviceId;
    use heliograph_shared::names::{BeamName, Email, PersonName, Username};
    use heliograph_shared::time::Millis;
    use heliograph_storage::accounts::NewAccount;
    use heliograph_storage::notes::Quota;
    use heliograph_storage::quota::Quotas;
    use heliograph_storage::saved_beams::Contents;
    use heliograph_storage::sessions::{NewSession, NewToken, NewTokens, SessionId};
    use heliograph_storage::{BeamWriter, Location};
    use tempfile::TempDir;

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

    const QUOTA: Quota = Quota { quotas: Quotas::UNLIMITED, now: Millis::new(0) };

    fn beam() -> BeamId {
        BeamId::from_random([7; 16])
    }

    fn stored(number: u8, seq: u64) -> NewNote {
        NewNote {
            id: ItemId::from_random([number; 16]),
            seq,
            content: number.to_string(),
            upload: None,
            kind: "text".to_owned(),
            device: DeviceId::from_bytes([1; 16]),
            author: None,
            created_at: Millis::new(0),
        }
    }

    /// A saved beam with two pages of notes, whose link may be read.
    async fn stage(folder: &TempDir) -> (Storage, BeamWriter, AccountId) {
        let location = Location::Folder(folder.path().to_owned());
        let (storage, writer) = Storage::open(&location).await.unwrap();
        let (account, token) = (AccountId::from_random([1; 16]), |n| NewToken {
            hash: [n; 32],
            expires_at: Millis::new(1_000),
        });
        let owner = NewAccount {
            id: account,
            username: Username::parse("ada").unwrap(),
            first_name: PersonName::first("Ada").unwrap(),
            last_name: PersonName::last("Byron").unwrap(),
            email: Email::parse("ada@example.org").unwrap(),
            password_hash: String::new(),
            picture: None,
            created_at: Millis::new(0),
        };
        let tokens = NewTokens { access: token(1), refresh: token(2) };
        let id = SessionId::from_random([1; 16]);
        let session = NewSession { id, account, tokens, created_at: Millis::new(0) };
        storage.create_account(&owner, &session).await.unwrap();
        storage.record_shared_beam(beam(), Millis::new(0), Millis::new(1_000)).await.unwrap();
        let notes: Vec<_> = (1..=150).map(|number| stored(number, number.into())).collect();
        let name = BeamName::parse("Beam").unwrap();
        writer
            .save_beam(
                beam(),
                account,
                &name,
                Contents { notes: &notes, ..Contents::default() },
                QUOTA,
            )
            .await
            .unwrap();
        (storage, writer, account)
    }

    #[tokio::test]
    async fn h30_a_list_breaks_off_when_its_reader_may_not_read_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, writer, ada) = stage(&folder).await;
        let mut list = List::new(storage, beam(), None).await.unwrap();
        list.next_page().await.unwrap().unwrap();

        writer.change_beam(ada, beam(), None, Some(LinkAccess::None)).await.unwrap();

        assert!(matches!(list.next_page().await, Err(Error::NotFound)));
    }

    #[tokio::test]
    async fn h30_a_list_ends_however_much_is_shared_while_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, writer, _) = stage(&folder).await;
        let mut list = List::new(storage, beam(), None).await.unwrap();
        let (mut json, mut seq) = (Vec::new(), 150);
        // One that was not read yet is edited, and then another one as often as the reader comes back.
        for edited in [140, 200, 201, 202, 203, 204, 205, 206] {
            match list.next_page().await.unwrap() {
                Some(page) => json.extend(page),
                None => break,
            }
            seq += 1;
            writer.put_note(beam(), &stored(edited, seq), QUOTA).await.unwrap();
        }
        assert_eq!(list.next_page().await.unwrap(), None);
        let notes: Vec<serde_json::Value> = serde_json::from_slice(&json).unwrap();
        let contents = notes.iter().map(|note| note["content"].as_u64().unwrap());
        assert_eq!(contents.filter(|number| *number <= 150).count(), 150);
    }
}
