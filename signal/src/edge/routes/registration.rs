//! Registration (H12).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use heliograph_shared::api::ErrorBody;
use heliograph_shared::api::accounts::CurrentUser;
use heliograph_shared::names::{Email, Password, PersonName, Username};
use heliograph_storage as storage;
use heliograph_storage::accounts::{Account, AccountId, NewAccount};
use utoipa::ToSchema;

use super::accounts::{PICTURE, current, keep_picture, username_taken};
use crate::address::Client;
use crate::app::App;
use crate::edge::cookies::{self, SetCookies};
use crate::edge::deadline::in_time;
use crate::edge::form::{Form, Mistakes};
use crate::edge::scheme::Scheme;
use crate::error::Error;
use crate::multipart::Multipart;
use crate::people::pictures::SentPicture;
use crate::random;

const TEXTS: [&str; 5] = ["first_name", "last_name", "username", "email", "password"];

/// The registration form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "says what the form looks like")]
struct Registration {
    #[schema(min_length = 1, max_length = 80)]
    first_name: String,
    #[schema(min_length = 1, max_length = 80)]
    last_name: String,
    #[schema(pattern = "^[A-Za-z0-9_.-]{3,30}$")]
    username: String,
    #[schema(format = "email", max_length = 254)]
    email: String,
    #[schema(min_length = 6, max_length = 1024)]
    password: String,
    #[schema(value_type = Option<String>, format = Binary)]
    profile_picture: Option<Vec<u8>>,
}

/// The fields of a valid form.
struct Person {
    first_name: PersonName,
    last_name: PersonName,
    username: Username,
    email: Email,
    password: Password,
}

/// Creates an account and logs in (H12).
#[utoipa::path(
    post,
    path = "/api/auth/register/",
    request_body(content = Registration, content_type = "multipart/form-data"),
    responses(
        (status = 201, body = CurrentUser),
        (status = 429, body = ErrorBody, description = "Too many registrations from this address."),
    )
)]
pub async fn register(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
    Extension(scheme): Extension<Scheme>,
    form: Multipart,
) -> Result<(StatusCode, SetCookies, Json<CurrentUser>), Error> {
    app.limits.send_form(client, app.clock.steady())?;
    let form = Form::read(form, &TEXTS, PICTURE).await?;
    let person = Person::read(&form)?;
    app.limits.register(client, app.clock.steady())?;
    in_time(create(&app, scheme, person, form.picture)).await
}

async fn create(
    app: &App,
    scheme: Scheme,
    person: Person,
    picture: Option<SentPicture>,
) -> Result<(StatusCode, SetCookies, Json<CurrentUser>), Error> {
    let password_hash = app.logins.hash(person.password).await?;
    let picture = match picture {
        Some(picture) => Some(keep_picture(app, picture).await?),
        None => None,
    };
    let account = NewAccount {
        id: AccountId::from_random(random::bytes()?),
        username: person.username,
        first_name: person.first_name,
        last_name: person.last_name,
        email: person.email,
        password_hash,
        picture: picture.map(|picture| picture.to_string()),
        created_at: app.clock.now(),
    };
    match app.logins.register(&account).await {
        Ok(tokens) => {
            let account = Account::from(account);
            let device = app.logins.known_device(account.id, None)?;
            let cookies = cookies::log_in(scheme, &tokens, &device);
            Ok((StatusCode::CREATED, cookies, current(&account)))
        }
        Err(Error::Storage(storage::Error::Conflict)) => Err(username_taken()),
        Err(error) => Err(error),
    }
}

impl Person {
    fn read(form: &Form) -> Result<Self, Error> {
        let mut mistakes = Mistakes::default();
        let person = (
            mistakes.check("first_name", PersonName::first(form.text("first_name"))),
            mistakes.check("last_name", PersonName::last(form.text("last_name"))),
            mistakes.check("username", Username::parse(form.text("username"))),
            mistakes.check("email", Email::parse(form.text("email"))),
            mistakes.check("password", Password::parse(form.text("password").to_owned())),
        );
        let (Some(first_name), Some(last_name), Some(username), Some(email), Some(password)) =
            person
        else {
            return Err(mistakes.refusal());
        };
        Ok(Self { first_name, last_name, username, email, password })
    }
}
