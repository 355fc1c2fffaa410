//! Authentication: the session that a request's cookies prove.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
pub use heliograph_storage::sessions::Session;

use crate::app::App;
use crate::edge::cookies::Cookie;
use crate::edge::scheme::Scheme;
use crate::error::Error;

/// Extractor for the caller's session. Rejects with 401 without one.
#[derive(Clone, Debug)]
pub struct LoggedIn(pub Arc<Session>);

/// Extractor for the caller's session, if there is one.
#[derive(Clone, Debug)]
pub struct MaybeLoggedIn(pub Option<Arc<Session>>);

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
