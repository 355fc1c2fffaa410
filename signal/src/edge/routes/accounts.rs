//! Accounts over HTTP: the current user, login and logout, the profile.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::accounts::{
    AccountDeletion, CurrentUser, Done, Login, Me, ProfileChange,
};
use heliograph_shared::names::{Email, Invalid, Password, PersonName, Username};
use heliograph_storage::accounts::Account;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::{self as storage, accounts};
use utoipa::ToSchema;

use crate::address::Client;
use crate::app::App;
use crate::edge::auth::{LoggedIn, MaybeLoggedIn, Sent};
use crate::edge::cookies::{self, Cookie, SetCookies};
use crate::edge::deadline::in_time;
use crate::edge::form::{Form, Mistakes};
use crate::edge::json::Body;
use crate::edge::scheme::Scheme;
use crate::error::Error;
use crate::multipart::Multipart;
use crate::people::logins::{Attempt, Proof};
use crate::people::own;
use crate::people::pictures::SentPicture;

/// Name of the form field with the picture.
pub(super) const PICTURE: &str = "profile_picture";

/// Returns the current user (H10). Cookies of a login that is over, or that must be renewed, are answered 401; a visitor
/// without any is nobody, which is no error.
#[utoipa::path(
    get,
    path = "/api/auth/me",
    responses(
        (status = 200, body = Me),
        (status = 401, body = ErrorBody, description = "The login is over, or must be renewed."),
    )
)]
pub async fn me(
    MaybeLoggedIn(session): MaybeLoggedIn,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
) -> Result<Json<Me>, Error> {
    if session.is_none() && cookies::has_login(&headers, scheme) {
        return Err(Error::Unauthorized);
    }
    Ok(Json(Me { user: session.map(|session| own(&session.account)) }))
}

/// Logs in (H11). A wrong username takes as long and reads the same as a wrong password.
#[utoipa::path(
    post,
    path = "/api/auth/login/",
    request_body = Login,
    responses(
        (status = 200, body = CurrentUser),
        (status = 401, body = ErrorBody, description = "Username and password do not match."),
        (status = 429, body = ErrorBody, description = "Too many attempts."),
    )
)]
pub async fn log_in(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<(SetCookies, Json<CurrentUser>), Error> {
    let mut mistakes = Mistakes::default();
    for (field, text, sentence) in [
        ("username", &login.username, "Username is required"),
        ("password", &login.password, "Password is required"),
    ] {
        mistakes.check(field, if text.is_empty() { Err(Invalid(sentence)) } else { Ok(()) });
    }
    mistakes.none()?;
    let shown = cookies::known_device(&headers, scheme);
    // A name or password that no account can have is answered like a wrong one. The rules of names are no secret.
    let (Ok(username), Ok(password)) =
        (Username::parse(&login.username), Password::parse(login.password))
    else {
        app.limits.try_password(client, app.clock.steady())?;
        return Err(Error::WrongCredentials);
    };
    let attempt = app.logins.attempt_login(&username, shown).await?;
    count(&app, &attempt, client)?;
    let proof = app.logins.check(attempt, password).await?;
    let proof = proof.ok_or(Error::WrongCredentials)?;
    let device = app.logins.known_device(proof.account.id, shown)?;
    let tokens = app.logins.begin(&proof).await?;
    Ok((cookies::log_in(scheme, &tokens, &device), current(&proof.account)))
}

/// Counts an attempt by its address, or by its account on a known device, so that strangers at the same address do not
/// keep that device out.
fn count(app: &App, attempt: &Attempt, client: Option<Client>) -> Result<(), Error> {
    let now = app.clock.steady();
    match attempt.account_on_known_device() {
        Some(account) => app.limits.try_known_password(account, now),
        None => app.limits.try_password(client, now),
    }
}

/// Ends the session, identified by either of its cookies (H17). Succeeds without a session too.
#[utoipa::path(post, path = "/api/auth/logout/", responses((status = 200, body = Done)))]
pub async fn log_out(
    State(app): State<Arc<App>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
) -> Result<(SetCookies, Json<Done>), Error> {
    let mut session = None;
    if let Some(access) = Cookie::Access.token(&headers, scheme) {
        session = app.logins.find(&access).await?.map(|session| session.id);
    }
    if let (None, Some(refresh)) = (session, Cookie::Refresh.token(&headers, scheme)) {
        session = app.logins.find_by_refresh(&refresh).await?;
    }
    if let Some(session) = session {
        app.logins.end(session).await?;
    }
    Ok((cookies::log_out(scheme), Json(Done::OK)))
}

/// Exchanges a refresh token for new tokens (H16).
#[utoipa::path(
    post,
    path = "/api/auth/refresh/",
    responses(
        (status = 200, body = Done),
        (status = 401, body = ErrorBody, description = "The refresh token is missing, unknown, used long ago, or not of the same session as the access token."),
    )
)]
pub async fn refresh(
    State(app): State<Arc<App>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
) -> Result<(SetCookies, Json<Done>), Error> {
    let old = Cookie::Refresh.token(&headers, scheme).ok_or(Error::Unauthorized)?;
    let access = Cookie::Access.token(&headers, scheme);
    let tokens = app.logins.refresh(old, access).await?.ok_or(Error::Unauthorized)?;
    Ok((cookies::set(scheme, &tokens), Json(Done::OK)))
}

/// Changes the profile (H13).
#[utoipa::path(
    put,
    path = "/api/auth/profile/",
    security(("login" = [])),
    request_body = ProfileChange,
    responses(
        (status = 200, body = CurrentUser),
        (status = 429, body = ErrorBody, description = "Too many usernames were tried."),
    )
)]
pub async fn change_profile(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Sent(session, change): Sent<ProfileChange>,
) -> Result<Json<CurrentUser>, Error> {
    let change = read_change(&change)?;
    let Account { id, username, .. } = &session.account;
    if change.username.as_ref().is_some_and(|new| !new.as_str().eq_ignore_ascii_case(username)) {
        app.limits.ask_for_username(*id, client, app.clock.steady())?;
    }
    match app.logins.change_profile(*id, change).await {
        Ok(account) => Ok(current(&account)),
        Err(Error::Storage(storage::Error::Conflict)) => Err(username_taken()),
        Err(error) => Err(error),
    }
}

/// The form with the picture.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what the form looks like")]
struct PictureForm {
    #[schema(value_type = String, format = Binary)]
    profile_picture: Vec<u8>,
}

/// Changes the profile picture (H14).
#[utoipa::path(
    post,
    path = "/api/auth/profile-picture/",
    security(("login" = [])),
    request_body(content = PictureForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, body = CurrentUser),
        (status = 429, body = ErrorBody, description = "Too many pictures from this account."),
    )
)]
pub async fn change_picture(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
    form: Multipart,
) -> Result<Json<CurrentUser>, Error> {
    app.limits.send_picture(session.account.id, app.clock.steady())?;
    let form = Form::read(form, &[], PICTURE).await?;
    let nothing = || Error::Fields(vec![(PICTURE, "Please select an image file".to_owned())]);
    let sent = form.picture.ok_or_else(nothing)?;
    in_time(async {
        // The form may have come slowly, and the session ended meanwhile.
        app.logins.account_of(session.id).await?.ok_or(Error::Unauthorized)?;
        let picture = keep_picture(&app, sent).await?;
        Ok(current(&app.logins.change_picture(session.account.id, picture).await?))
    })
    .await
}

/// Stores a picture in the form in which it is kept.
pub(super) async fn keep_picture(app: &App, sent: SentPicture) -> Result<BlobId, Error> {
    app.pictures.keep(sent, &app.blobs, &app.storage, app.clock.now()).await
}

/// Deletes the account (H15). Asks for the password again, in case a stranger found the page open.
#[utoipa::path(
    delete,
    path = "/api/auth/delete-account/",
    security(("login" = [])),
    request_body = AccountDeletion,
    responses(
        (status = 200, body = Done),
        (status = 429, body = ErrorBody, description = "Too many attempts."),
    )
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Extension(scheme): Extension<Scheme>,
    headers: HeaderMap,
    Sent(session, AccountDeletion { password }): Sent<AccountDeletion>,
) -> Result<(SetCookies, Json<Done>), Error> {
    if password.trim().is_empty() {
        return Err(wrong_password("Please enter your password to confirm account deletion"));
    }
    let account = &session.account;
    proves(&app, account, password, client, &headers, scheme).await?;
    app.logins.delete_account(account.id).await?;
    Ok((cookies::forget(scheme), Json(Done::OK)))
}

/// Checks the password that somebody who is logged in has typed again.
///
/// # Errors
/// [`Error::Fields`] for a wrong one, [`Error::TooFast`].
pub(super) async fn proves(
    app: &App,
    account: &Account,
    password: String,
    client: Option<Client>,
    headers: &HeaderMap,
    scheme: Scheme,
) -> Result<Proof, Error> {
    let shown = cookies::known_device(headers, scheme);
    let attempt = app.logins.attempt_again(account, shown).await?;
    count(app, &attempt, client)?;
    let proof = match Password::parse(password) {
        Ok(password) => app.logins.check(attempt, password).await?,
        // No account can have such a password.
        Err(_) => None,
    };
    proof.ok_or_else(|| wrong_password("The password is wrong"))
}

fn wrong_password(sentence: &str) -> Error {
    Error::Fields(vec![("password", sentence.to_owned())])
}

fn read_change(change: &ProfileChange) -> Result<accounts::ProfileChange, Error> {
    let ProfileChange { first_name, last_name, name, username, email } = change;
    let mut mistakes = Mistakes::default();
    let mut both = |text: &String| mistakes.check("name", PersonName::both(text));
    let (first, last) = name.as_ref().and_then(&mut both).unzip();
    let first_name = first_name.as_deref().map(PersonName::first);
    let last_name = last_name.as_deref().map(PersonName::last_if_any);
    let username = username.as_deref().map(Username::parse);
    let email = email.as_deref().map(Email::parse);
    let change = accounts::ProfileChange {
        first_name: first_name.and_then(|name| mistakes.check("first_name", name)).or(first),
        last_name: last_name.and_then(|name| mistakes.check("last_name", name)).or(last),
        username: username.and_then(|name| mistakes.check("username", name)),
        email: email.and_then(|email| mistakes.check("email", email)),
    };
    mistakes.none()?;
    Ok(change)
}

/// The refusal when the username is taken, perhaps since the last check.
pub(super) fn username_taken() -> Error {
    Error::Fields(vec![("username", "This username is already taken".to_owned())])
}

pub(super) fn current(account: &Account) -> Json<CurrentUser> {
    Json(CurrentUser { user: own(account) })
}
