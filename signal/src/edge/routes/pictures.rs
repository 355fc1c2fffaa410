//! Profile pictures. Everybody who knows the address may read one (A9).

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use heliograph_shared::api::ErrorBody;
use heliograph_storage::blobs::{BlobId, BlobKey};

use crate::app::App;
use crate::edge::headers;
use crate::error::Error;

/// A new picture has a new address, so a response stays right; browsers forget a deleted picture within the hour.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=3600");

/// Returns a profile picture (H14).
#[utoipa::path(
    get,
    path = "/api/pictures/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 200, content_type = "image/jpeg"),
        (status = 404, body = ErrorBody, description = "The picture does not exist or was deleted."),
        (status = 502, body = ErrorBody, description = "The store of files and pictures fails."),
    )
)]
pub async fn read(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Error> {
    let id = BlobId::parse(&id).map_err(|_| Error::NotFound)?;
    let bytes = app.blobs.get(BlobKey::Picture(id)).await?;
    let mut answer = HeaderMap::new();
    headers::inert(&mut answer);
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    answer.insert(header::CACHE_CONTROL, CACHING);
    Ok((answer, bytes).into_response())
}
