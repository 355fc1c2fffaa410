//! Who is asking: the login that a request's cookies stand for.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::api::accounts::{PublicUser, User};
use heliograph_storage::accounts::Account;
pub use heliograph_storage::sessions::Session;
use heliograph_storage::sessions::TokenHash;
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::error::Error;

/// Names of the access cookie: on https with the prefix that ties it to this host (H7).
const ACCESS: [&str; 2] = ["__Host-access", "access"];

/// A request that somebody must be logged in for; without that it is a 401.
#[derive(Clone, Debug)]
pub struct LoggedIn(pub Session);

/// A request that may come with a login or without.
#[derive(Clone, Debug)]
pub struct MaybeLoggedIn(pub Option<Session>);

impl FromRequestParts<Arc<App>> for LoggedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        find_session(app, &parts.headers).await?.map(Self).ok_or(Error::Unauthorized)
    }
}

impl FromRequestParts<Arc<App>> for MaybeLoggedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        find_session(app, &parts.headers).await.map(Self)
    }
}

/// The login of these headers, if they carry a good access token.
///
/// # Errors
/// [`Error::Storage`] when the tables cannot be asked.
pub async fn find_session(app: &App, headers: &HeaderMap) -> Result<Option<Session>, Error> {
    let Some(token) = ACCESS.iter().find_map(|name| cookie(headers, name)).and_then(hash) else {
        return Ok(None);
    };
    Ok(app.storage.find_session(token, app.clock.now()).await?)
}

/// The value of a cookie (RFC 6265, section 4.2).
#[must_use]
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values =
        headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// What the tables know of a token; none when it is none of ours.
#[must_use]
pub fn hash(token: &str) -> Option<TokenHash> {
    let bytes: [u8; 32] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    Some(Sha256::digest(bytes).into())
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
