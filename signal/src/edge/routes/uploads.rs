//! Uploads over HTTP: of guests and accounts (H40 to H42), and for items of saved and kept beams (H44, H32, F13).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::accounts::Done;
use heliograph_shared::api::uploads::{FileRoom, UploadedFile};
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::Kept;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::{BlobId, BlobKey, READING_BYTES};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::access::role_in;
use crate::address::Client;
use crate::app::App;
use crate::edge::answers::Waiting;
use crate::edge::auth::{LoggedIn, MaybeLoggedIn, Session};
use crate::edge::headers;
use crate::error::Error;
use crate::files::byte_range::{self, Asked};
use crate::files::dead_blobs;
use crate::files::file_name;
use crate::files::uploads::{self, Receiving, Uploader};
use crate::multipart::Multipart;

/// The query.
#[derive(Debug, Deserialize, IntoParams)]
pub struct Binding {
    /// The beam with which the file expires.
    beam_id: Option<BeamId>,
}

/// The form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what the form looks like")]
struct NewFile {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Stores an image, audio or video file, or for a beam a sealed one, checked by its declared type and by its first bytes
/// (H40).
#[utoipa::path(
    post,
    path = "/api/upload/",
    params(Binding),
    request_body(content = NewFile, content_type = "multipart/form-data"),
    responses(
        (status = 201, body = UploadedFile),
        (status = 404, body = ErrorBody, description = "The beam has ended."),
        (status = 429, body = ErrorBody, description = "Too many uploads, or too many unknown beams, from this address."),
        (status = 503, body = ErrorBody, description = "Too many uploads at a time. Retry after the time in Retry-After."),
        (status = 507, body = ErrorBody, description = "The disk or the quota has no room for it."),
    )
)]
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    query: Result<Query<Binding>, axum::extract::rejection::QueryRejection>,
    form: Multipart,
) -> Result<(StatusCode, Json<UploadedFile>), Error> {
    let Query(Binding { beam_id: beam }) =
        query.map_err(|_| Error::BadRequest("beam_id must be the id of a beam."))?;
    let place = app.uploads.enter(client)?;
    if let (Some(beam), Some(client)) = (beam, client) {
        count_unknown_beam(&app, beam, client).await?;
    }
    let uploader =
        session.map_or(Uploader::Guest(client), |session| Uploader::Account(session.account.id));
    receive(&app, Receiving { uploader, beam, place }, form).await
}

/// Stores a file of any type for an item: of a saved beam within the quota of the beam's owner (H44), of a kept one within
/// the quotas of guests (H32).
#[utoipa::path(
    post,
    path = "/api/beams/{beam_id}/files/",
    params(("beam_id" = BeamId, Path)),
    request_body(content = NewFile, content_type = "multipart/form-data"),
    responses(
        (status = 201, body = UploadedFile),
        (status = 401, body = ErrorBody, description = "The link gives no access, and the caller is not logged in."),
        (status = 403, body = ErrorBody, description = "The caller may only read."),
        (status = 404, body = ErrorBody, description = "There is no such saved or kept beam, or the caller has no access."),
        (status = 429, body = ErrorBody, description = "Too many uploads, or too many unknown beams, from this address."),
        (status = 503, body = ErrorBody, description = "Too many uploads at a time. Retry-After says when to try again."),
        (status = 502, body = ErrorBody, description = "The storage does not answer."),
        (status = 507, body = ErrorBody, description = "The disk is full, or the quota of the beam's owner or of guests."),
    )
)]
pub async fn create_in_beam(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Path(beam): Path<String>,
    form: Multipart,
) -> Result<(StatusCode, Json<UploadedFile>), Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    let place = app.uploads.enter_for_item(client)?;
    let uploader = for_item(&app, client, session, beam).await?;
    receive(&app, Receiving { uploader, beam: Some(beam), place }, form).await
}

/// Answers how much a saved or kept beam still stores, so that a device can say what does not fit before it shares (F13).
#[utoipa::path(
    get,
    path = "/api/beams/{beam_id}/files/",
    params(("beam_id" = BeamId, Path)),
    responses(
        (status = 200, body = FileRoom),
        (status = 401, body = ErrorBody, description = "The link gives no access, and the caller is not logged in."),
        (status = 403, body = ErrorBody, description = "The caller may only read."),
        (status = 404, body = ErrorBody, description = "There is no such saved or kept beam, or the caller has no access."),
        (status = 429, body = ErrorBody, description = "Too many unknown beams from this address."),
    )
)]
pub async fn room_in_beam(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Path(beam): Path<String>,
) -> Result<Json<FileRoom>, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    if kept(&app, beam).await?.is_some() {
        return Ok(Json(app.uploads.room_for_guest(client, beam).await?));
    }
    let account = session.map(|session| session.account.id);
    let owner = owner_for_writer(&app, client, account, beam).await?;
    Ok(Json(app.uploads.room_of(owner).await?))
}

/// Whose quota a file for an item of a saved or kept beam takes.
pub(super) async fn for_item(
    app: &App,
    client: Option<Client>,
    session: Option<Arc<Session>>,
    beam: BeamId,
) -> Result<Uploader, Error> {
    let account = session.map(|session| session.account.id);
    if let Some(kept) = kept(app, beam).await? {
        return Ok(Uploader::Kept(client, kept.until));
    }
    let owner = owner_for_writer(app, client, account, beam).await?;
    Ok(Uploader::Owner { owner, sender: account })
}

/// The owner of a saved beam, for a caller who may write in it.
async fn owner_for_writer(
    app: &App,
    client: Option<Client>,
    account: Option<AccountId>,
    beam: BeamId,
) -> Result<AccountId, Error> {
    let (access, role) = role_in(app, client, account, beam).await?;
    if !role.may_write() {
        return Err(Error::Forbidden("You may only read in this beam."));
    }
    Ok(access.owner)
}

/// How an unsaved beam is kept now.
async fn kept(app: &App, beam: BeamId) -> Result<Option<Kept>, Error> {
    let record = app.storage.find_beam(beam).await?;
    Ok(record.and_then(|record| record.kept(app.clock.now())))
}

async fn receive(
    app: &App,
    receiving: Receiving,
    form: Multipart,
) -> Result<(StatusCode, Json<UploadedFile>), Error> {
    let (reader, file) = uploads::find_file(form).await?;
    let uploads = app.uploads.clone();
    // In a task of its own: when the client disconnects, the file breaks off and the task cleans up.
    let receiving = app.tasks.spawn(async move { uploads.receive(receiving, file).await });
    reader.read().await;
    let file = receiving.await.map_err(|_| Error::Internal)??;
    app.counts.uploaded(file.size);
    Ok((StatusCode::CREATED, Json(file)))
}

/// Counts an upload to an unknown beam, which creates it, or to an ended one, like a join (S2).
async fn count_unknown_beam(app: &App, beam: BeamId, client: Client) -> Result<(), Error> {
    let record = app.storage.find_beam(beam).await?;
    let is_there = record.is_some_and(|record| !record.has_ended(app.clock.now()));
    if app.live.hub.is_live_anywhere(beam).await || is_there {
        return Ok(());
    }
    app.limits.guess(Some(client), app.clock.steady())
}

/// Returns the bytes of a file, as a sandboxed attachment (H41).
#[utoipa::path(
    get,
    path = "/api/uploads/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 200, content_type = "application/octet-stream", description = "The whole file."),
        (status = 206, content_type = "application/octet-stream", description = "The range."),
        (status = 304, description = "The client's copy is current."),
        (status = 404, body = ErrorBody, description = "The file does not exist or has expired."),
        (status = 416, body = ErrorBody, description = "The range is not in the file."),
        (status = 502, body = ErrorBody, description = "The store of files and pictures fails."),
    )
)]
pub async fn read(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    method: Method,
    asked: HeaderMap,
) -> Result<Response, Error> {
    let id = BlobId::parse(&id).map_err(|_| Error::NotFound)?;
    let file = app.storage.find_upload(id, app.clock.now()).await?.ok_or(Error::NotFound)?;
    let tag = format!("\"{id}\"");
    let mut answer = HeaderMap::new();
    headers::inert(&mut answer);
    // Browsers must revalidate, so that a deleted file is not shown. With the entity tag that transfers no bytes.
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answer.insert(header::ETAG, value(&tag)?);
    if byte_range::is_known(&asked, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, answer).into_response());
    }
    answer.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    answer.insert(header::CONTENT_TYPE, value(&file.media_type)?);
    answer.insert(header::CONTENT_DISPOSITION, value(&file_name::attachment(&file.name))?);
    if method == Method::HEAD {
        answer.insert(header::CONTENT_LENGTH, file.size.into());
        return Ok((answer, Body::empty()).into_response());
    }
    let (status, range) = match byte_range::asked(&asked, file.size, &tag) {
        Asked::Whole => (StatusCode::OK, 0..file.size),
        Asked::Part(range) => {
            let said = format!("bytes {}-{}/{}", range.start, range.end - 1, file.size);
            answer.insert(header::CONTENT_RANGE, value(&said)?);
            (StatusCode::PARTIAL_CONTENT, range)
        }
        Asked::Nothing => return Err(Error::OutOfRange(file.size)),
    };
    answer.insert(header::CONTENT_LENGTH, (range.end - range.start).into());
    let bytes = app.blobs.read(BlobKey::Upload(id), range).await?;
    Ok((status, Extension(Waiting(READING_BYTES)), answer, Body::from_stream(bytes))
        .into_response())
}

/// Deletes one of the caller's uploads (H42).
#[utoipa::path(
    delete,
    path = "/api/uploads/{id}",
    params(("id" = String, Path)),
    security(("login" = [])),
    responses(
        (status = 200, body = Done),
        (status = 404, body = ErrorBody, description = "The caller has no such file."),
    )
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    Path(id): Path<String>,
) -> Result<Json<Done>, Error> {
    let id = BlobId::parse(&id).map_err(|_| Error::NotFound)?;
    if !app.storage.bury_upload(id, session.account.id, app.clock.now()).await? {
        return Err(Error::NotFound);
    }
    app.tasks.spawn(dead_blobs::remove(app.storage.clone(), app.blobs.clone(), app.clock));
    Ok(Json(Done::OK))
}

/// The text as a header value.
fn value(text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(text).map_err(|_| Error::Internal)
}
