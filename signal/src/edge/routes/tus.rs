//! Uploads in pieces by tus 1.0.0 (H45 to H48): for items of saved and kept beams, with the limits and quotas of H44.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::ids::BeamId;
use heliograph_storage::blobs::BlobId;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::uploads::for_item;
use crate::address::Client;
use crate::app::App;
use crate::edge::auth::MaybeLoggedIn;
use crate::edge::tus_headers::{
    CHECKSUM, LENGTH, METADATA, METHOD, Metadata, OFFSET, RESUMABLE, expires, number,
};
use crate::error::Error;
use crate::files::uploads::checksum::{ALGORITHMS, Checksum};
use crate::files::uploads::holds::Held;
use crate::files::uploads::resumable::{NewResumable, Piece};
use crate::paced_body::PacedBody;

/// The version of tus that the server speaks.
const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const EXTENSIONS: HeaderValue =
    HeaderValue::from_static("creation,checksum,expiration,termination");
const PIECE_TYPE: &str = "application/offset+octet-stream";
/// A finished file is stored meanwhile, or later: its sender asks again. A store that does not answer may take longer to say so.
const STORED_WITHIN: Duration = Duration::from_secs(10);
/// After so many seconds it asks again.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("1");

/// Adds the version to every answer, and refuses requests of another one. `OPTIONS` asks for it, and a `GET` is not of tus.
pub async fn speak(request: Request, next: Next) -> Response {
    let tus = [Method::POST, Method::HEAD, Method::PATCH, Method::DELETE];
    let needs_version = tus.contains(request.method());
    let is_spoken = request.headers().get(RESUMABLE) == Some(&VERSION);
    let mut answer = if needs_version && !is_spoken {
        Error::WrongVersion.into_response()
    } else {
        next.run(request).await
    };
    answer.headers_mut().insert(RESUMABLE, VERSION);
    answer.headers_mut().insert("tus-version", VERSION);
    answer
}

/// Tells what of tus the server does (H45).
#[utoipa::path(
    options,
    path = "/api/beams/{beam_id}/tus/",
    params(("beam_id" = BeamId, Path)),
    responses(
        (status = 204, description = "The headers tell the version, the extensions and the checksums."),
        (status = 404, body = ErrorBody, description = "This is not the id of a beam."),
    )
)]
pub async fn describe(Path(beam): Path<String>) -> Result<Response, Error> {
    BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    Ok(description())
}

/// Tells the same at the address of an upload, whether or not there is one.
#[utoipa::path(
    options,
    path = "/api/tus/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "The headers tell the version, the extensions and the checksums."),
        (status = 404, body = ErrorBody, description = "This is not the id of an upload."),
    )
)]
pub async fn describe_upload(Path(id): Path<String>) -> Result<Response, Error> {
    parse(&id)?;
    Ok(description())
}

fn description() -> Response {
    let algorithms = HeaderValue::from_static(ALGORITHMS);
    let headers = [
        (HeaderName::from_static("tus-extension"), EXTENSIONS),
        (HeaderName::from_static("tus-checksum-algorithm"), algorithms),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Begins an upload in pieces for an item of a saved or kept beam (H45).
#[utoipa::path(
    post,
    path = "/api/beams/{beam_id}/tus/",
    params(
        ("beam_id" = BeamId, Path),
        ("tus-resumable" = String, Header, description = "1.0.0"),
        ("upload-length" = u64, Header, description = "The length of the file in bytes."),
        ("upload-metadata" = Option<String>, Header, description = "`filename` and `filetype`, each in base64."),
    ),
    responses(
        (status = 201, description = "Location names the upload."),
        (status = 401, body = ErrorBody, description = "The link gives no access, and the caller is not logged in."),
        (status = 403, body = ErrorBody, description = "The caller may only read."),
        (status = 404, body = ErrorBody, description = "There is no such saved or kept beam, or the caller has no access."),
        (status = 412, body = ErrorBody, description = "The request is of another version of tus."),
        (status = 429, body = ErrorBody, description = "Too many uploads, or too many unknown beams, from this address."),
        (status = 502, body = ErrorBody, description = "The storage does not answer."),
        (status = 507, body = ErrorBody, description = "The disk is full, or the quota of the beam's owner or of guests."),
    )
)]
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    Path(beam): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    let length = number(&headers, &LENGTH)?
        .ok_or(Error::BadRequest("Upload-Length must be the length of the file in bytes."))?;
    let Metadata { name, media_type, said } = Metadata::read(&headers)?;
    let place = app.uploads.enter_for_item(client)?;
    let uploader = for_item(&app, client, session, beam).await?;
    let new = NewResumable {
        uploader,
        beam: Some(beam),
        name,
        media_type,
        metadata: said,
        length,
        place,
    };
    let (tell, told) = oneshot::channel();
    let uploads = app.uploads.clone();
    // In a task of its own: an upload whose creation was cut short, or whose Location nobody learns, would hold room.
    app.tasks.spawn(async move {
        let created = uploads.create_resumable(new).await;
        if let Err(Ok((id, _))) = tell.send(created)
            && let Err(error) = uploads.end_resumable(id).await
        {
            tracing::warn!(%error, "an upload that nobody waits for ends by its time");
        }
    });
    let (id, ends_at) = told.await.map_err(|_| Error::Internal)??;
    let mut answer = (StatusCode::CREATED, [(header::LOCATION, location(id)?)]).into_response();
    expires(answer.headers_mut(), Some(ends_at))?;
    Ok(answer)
}

/// Tells how much of an upload is here (H46).
#[utoipa::path(
    head,
    path = "/api/tus/{id}",
    params(("id" = String, Path), ("tus-resumable" = String, Header, description = "1.0.0")),
    responses(
        (status = 200, description = "Upload-Offset tells it. Upload-Metadata are those that began it."),
        (status = 404, description = "There is no such upload, or it has ended."),
        (status = 412, description = "The request is of another version of tus."),
    )
)]
pub async fn look(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Error> {
    let progress = app.uploads.progress(parse(&id)?).await?;
    let headers = [
        (OFFSET, progress.offset.into()),
        (LENGTH, progress.length.into()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let mut answer = (headers, Body::empty()).into_response();
    expires(answer.headers_mut(), progress.ends_at)?;
    if let Some(said) = progress.metadata {
        let said = HeaderValue::try_from(said).map_err(|_| Error::Internal)?;
        answer.headers_mut().insert(METADATA, said);
    }
    Ok(answer)
}

/// Appends a piece to an upload (H46). With the last one, the file is stored.
#[utoipa::path(
    patch,
    path = "/api/tus/{id}",
    params(
        ("id" = String, Path),
        ("tus-resumable" = String, Header, description = "1.0.0"),
        ("upload-offset" = u64, Header, description = "Where the piece begins: at the end of what is here."),
        ("upload-checksum" = Option<String>, Header, description = "`sha1` or `sha256`, a space, and the checksum in base64."),
    ),
    request_body(content = Vec<u8>, content_type = "application/offset+octet-stream"),
    responses(
        (status = 204, description = "Upload-Offset tells how much is here."),
        (status = 404, body = ErrorBody, description = "There is no such upload, or it has ended."),
        (status = 409, body = ErrorBody, description = "The upload goes on at another offset."),
        (status = 412, body = ErrorBody, description = "The request is of another version of tus."),
        (status = 415, body = ErrorBody, description = "The body is of another type."),
        (status = 423, body = ErrorBody, description = "Another request sends a piece of it."),
        (status = 429, body = ErrorBody, description = "Too many pieces from this address."),
        (status = 460, body = ErrorBody, description = "The bytes do not have the checksum."),
        (status = 502, body = ErrorBody, description = "The storage does not answer."),
        (status = 507, body = ErrorBody, description = "The disk is full."),
    )
)]
pub async fn append(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Error> {
    let id = parse(&id)?;
    if headers.get(header::CONTENT_TYPE).is_none_or(|said| said.as_bytes() != PIECE_TYPE.as_bytes())
    {
        return Err(Error::WrongType);
    }
    let offset = number(&headers, &OFFSET)?
        .ok_or(Error::BadRequest("Upload-Offset must be the number of bytes that are here."))?;
    let checksum = match headers.get(CHECKSUM) {
        Some(said) => {
            Some(said.to_str().ok().and_then(Checksum::parse).ok_or(Error::BadRequest(
                "Upload-Checksum must be sha1 or sha256, a space, and the checksum in base64.",
            ))?)
        }
        None => None,
    };
    let length = number(&headers, &header::CONTENT_LENGTH)?;
    let place = app.uploads.enter_with_piece(client)?;
    let piece = Piece { offset, checksum, length, body: PacedBody::new(body), place };
    let tasks = app.tasks.clone();
    // In a task of its own: when the client disconnects, what came is made safe, and a whole file is stored.
    let appending = tasks.spawn(async move {
        let mut progress = app.uploads.append(id, piece).await?;
        if let Some(held) = progress.complete.take() {
            app.tasks.clone().spawn(store(app, id, held));
        }
        Ok::<_, Error>(progress)
    });
    let progress = appending.await.map_err(|_| Error::Internal)??;
    let mut answer = (StatusCode::NO_CONTENT, [(OFFSET, progress.offset)]).into_response();
    expires(answer.headers_mut(), progress.ends_at)?;
    Ok(answer)
}

async fn store(app: Arc<App>, id: BlobId, held: Held) {
    match app.uploads.store(id, held).await {
        Ok(file) => app.counts.uploaded(file.size),
        // Its sender hears of it when it asks for the file, which also tries again.
        Err(error) => tracing::warn!(%error, "an upload in pieces is not stored yet"),
    }
}

/// Does what another method does, for a client that cannot send it (H46).
#[utoipa::path(
    post,
    path = "/api/tus/{id}",
    params(
        ("id" = String, Path),
        ("tus-resumable" = String, Header, description = "1.0.0"),
        ("x-http-method-override" = String, Header, description = "PATCH, HEAD or DELETE."),
    ),
    responses(
        (status = 200, description = "As HEAD answers."),
        (status = 204, description = "As PATCH or DELETE answers."),
        (status = 404, body = ErrorBody, description = "There is no such upload, or it has ended."),
        (status = 405, body = ErrorBody, description = "The header names no such method."),
        (status = 412, body = ErrorBody, description = "The request is of another version of tus."),
    )
)]
pub async fn overridden(
    State(app): State<Arc<App>>,
    client: Extension<Option<Client>>,
    id: Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Error> {
    match headers.get(METHOD).map(HeaderValue::as_bytes) {
        Some(b"PATCH") => append(State(app), client, id, headers, body).await,
        Some(b"HEAD") => look(State(app), id).await,
        Some(b"DELETE") => Ok(end(State(app), id).await?.into_response()),
        _ => Err(Error::MethodNotAllowed),
    }
}

/// Ends an unfinished upload (H47).
#[utoipa::path(
    delete,
    path = "/api/tus/{id}",
    params(("id" = String, Path), ("tus-resumable" = String, Header, description = "1.0.0")),
    responses(
        (status = 204, description = "It has ended."),
        (status = 404, body = ErrorBody, description = "There is no such upload, or it has ended."),
        (status = 412, body = ErrorBody, description = "The request is of another version of tus."),
    )
)]
pub async fn end(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<StatusCode, Error> {
    app.uploads.end_resumable(parse(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the stored file of an upload of which all pieces came (H48). Stores it if that failed or was cut short.
#[utoipa::path(
    get,
    path = "/api/tus/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = UploadedFile),
        (status = 202, description = "It is being stored. Retry-After tells when to ask again."),
        (status = 404, body = ErrorBody, description = "There is no such upload, or it has ended."),
        (status = 409, body = ErrorBody, description = "More of it has to come first."),
        (status = 502, body = ErrorBody, description = "The storage does not answer."),
        (status = 507, body = ErrorBody, description = "The disk is full."),
    )
)]
pub async fn read(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Error> {
    let id = parse(&id)?;
    if let Some(why) = app.uploads.failures.take(id) {
        return Err(why);
    }
    let (uploads, (says, said)) = (app.uploads.clone(), oneshot::channel());
    app.tasks.spawn(async move {
        let finished = uploads.finish(id).await;
        if let Err(Err(why)) = says.send(finished) {
            // Nobody waits for it any more. It is told to who asks next.
            uploads.failures.keep(id, why);
        }
    });
    let finished = match timeout(STORED_WITHIN, said).await {
        Ok(finished) => finished.map_err(|_| Error::Internal)??,
        Err(_) => None,
    };
    Ok(match finished {
        Some(file) => Json(file).into_response(),
        None => (StatusCode::ACCEPTED, [(header::RETRY_AFTER, ASK_AGAIN)]).into_response(),
    })
}

fn parse(id: &str) -> Result<BlobId, Error> {
    BlobId::parse(id).map_err(|_| Error::NotFound)
}

fn location(id: BlobId) -> Result<HeaderValue, Error> {
    HeaderValue::try_from(format!("/api/tus/{id}")).map_err(|_| Error::Internal)
}
