//! Authentication: the session that a request's cookies prove.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
pub use heliograph_storage::sessions::Session;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::edge::cookies::Cookie;
use crate::edge::json::Body;
use crate::edge::scheme::Scheme;
use crate::error::Error;

/// Extractor for the caller's session. Rejects with 401 without one.
#[derive(Clone, Debug)]
pub struct LoggedIn(pub Arc<Session>);

/// Extractor for the caller's session, if there is one.
#[derive(Clone, Debug)]
pub struct MaybeLoggedIn(pub Option<Arc<Session>>);

/// Extractor for a JSON body as `T`, and the session of who sent it. A body may come as slowly as its sender likes, so the session
/// must be there both before it, or it is not read, and after it.
#[derive(Clone, Debug)]
pub struct Sent<T>(pub Arc<Session>, pub T);

impl<T: DeserializeOwned + Send> FromRequest<Arc<App>> for Sent<T> {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        let (mut parts, body) = request.into_parts();
        LoggedIn::from_request_parts(&mut parts, app).await?;
        let mut head = parts.clone();
        let Body(body) = Body::from_request(Request::from_parts(parts, body), app).await?;
        let LoggedIn(session) = LoggedIn::from_request_parts(&mut head, app).await?;
        Ok(Self(session, body))
    }
}

impl FromRequestParts<Arc<App>> for LoggedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        find_session(app, parts).await?.map(Self).ok_or(Error::Unauthorized)
    }
}

impl FromRequestParts<Arc<App>> for MaybeLoggedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        find_session(app, parts).await.map(Self)
    }
}

async fn find_session(app: &App, parts: &Parts) -> Result<Option<Arc<Session>>, Error> {
    let scheme = parts.extensions.get().copied().unwrap_or(Scheme::Http);
    match Cookie::Access.token(&parts.headers, scheme) {
        Some(token) => app.logins.find(&token).await,
        None => Ok(None),
    }
}
