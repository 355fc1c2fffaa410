//! Who is asking: the login that a request's cookies stand for.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use heliograph_shared::api::accounts::{PublicUser, User};
use heliograph_storage::accounts::Account;
pub use heliograph_storage::sessions::Session;

use crate::app::App;
use crate::cookies::Cookie;
use crate::error::Error;
use crate::scheme::Scheme;

/// A request that somebody must be logged in for; without that it is a 401.
#[derive(Clone, Debug)]
pub struct LoggedIn(pub Arc<Session>);

/// A request that may come with a login or without.
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
    match Cookie::Access.read(&parts.headers, scheme) {
        Some(token) => app.logins.find(&token, app.clock.now()).await,
        None => Ok(None),
    }
}

/// A person as others see it (B7).
#[must_use]
pub fn public(account: &Account) -> PublicUser {
    let User { username, first_name, last_name, profile_picture, .. } = own(account);
    PublicUser { username, first_name, last_name, profile_picture }
}

/// A person as that person sees it.
#[must_use]
pub fn own(account: &Account) -> User {
    User {
        username: account.username.clone(),
        first_name: account.first_name.clone(),
        last_name: account.last_name.clone(),
        email: account.email.clone(),
        profile_picture: account.picture.as_ref().map(|name| format!("/api/pictures/{name}")),
    }
}
