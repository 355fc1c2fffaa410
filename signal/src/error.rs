//! What can go wrong, what is answered, and the one body that every refusal has.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use heliograph_shared::api::{ErrorBody, FieldErrors};
use heliograph_shared::error::ErrorCode;
use heliograph_storage::Unshareable;
use heliograph_storage::passwords;

use crate::budget;

/// Why a request is not answered as it was meant.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read; the text says why.
    #[error("{0}")]
    BadRequest(&'static str),
    /// A form is refused: what is wrong, by field, in sentences for a person (H6).
    #[error("the form is refused")]
    Fields(Vec<(&'static str, String)>),
    /// Username and password do not belong together (H11).
    #[error("Invalid credentials")]
    WrongCredentials,
    /// Nobody is logged in, and somebody must be.
    #[error("nobody is logged in")]
    Unauthorized,
    /// Seen, and not allowed; the text says why.
    #[error("{0}")]
    Forbidden(&'static str),
    /// It is for a name, and perhaps a port, that is not this server's (H9).
    #[error(
        "This server does not answer as {0}. If that is its address, start it with --public-url https://{0}."
    )]
    UnknownHost(String),
    /// It comes from another site's page.
    #[error("This request comes from another site.")]
    ForeignOrigin,
    /// More bytes than this call takes.
    #[error("the body is too large")]
    TooLarge,
    /// There is no such thing.
    #[error("there is no such thing")]
    NotFound,
    /// Not with this method.
    #[error("the method is not one of this path")]
    MethodNotAllowed,
    /// A range of bytes behind the end of a file of this size.
    #[error("the range is not in a file of {0} bytes")]
    OutOfRange(u64),
    /// The sender has fallen silent.
    #[error("the sender has fallen silent")]
    Timeout,
    /// The disk or the quota is full.
    #[error("there is no room")]
    NoRoom,
    /// Too many; come back after this time.
    #[error("Too many requests. Try again in {} s.", seconds(*.0))]
    TooFast(Duration),
    /// The tables failed.
    #[error(transparent)]
    Storage(heliograph_storage::Error),
    /// The place of the blobs failed.
    #[error(transparent)]
    Blobs(heliograph_storage::blobs::Error),
    /// More is under way than can be served soon.
    #[error("too much is under way")]
    Busy,
    /// The machine has no randomness to give.
    #[error("no randomness")]
    Random(#[source] getrandom::Error),
    /// What cannot be.
    #[error("what cannot be")]
    Internal,
}

impl Error {
    const fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::Fields(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized | Self::WrongCredentials => StatusCode::UNAUTHORIZED,
            Self::ForeignOrigin | Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::UnknownHost(_) => StatusCode::MISDIRECTED_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::OutOfRange(_) => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::NoRoom => StatusCode::INSUFFICIENT_STORAGE,
            Self::TooFast(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Blobs(_) => StatusCode::BAD_GATEWAY,
            Self::Busy
            | Self::Storage(
                heliograph_storage::Error::Database(_) | heliograph_storage::Error::Uncertain(_),
            ) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Storage(_) | Self::Random(_) | Self::Internal => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// The sentence for a person: the error's own where it has one, else what its status means.
    fn detail(&self) -> String {
        match self {
            Self::BadRequest(_)
            | Self::Forbidden(_)
            | Self::WrongCredentials
            | Self::UnknownHost(_)
            | Self::ForeignOrigin
            | Self::TooFast(_) => self.to_string(),
            other => sentence(other.status()).1.to_owned(),
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooFast(wait) => Some(seconds(*wait)),
            Self::Storage(_) | Self::Busy => Some(BUSY_SECONDS),
            _ => None,
        }
    }
}

/// Pause after which a server that was busy may be asked again.
const BUSY_SECONDS: u64 = 5;

/// Whole seconds, rounded up, so that who waits them is not refused again.
fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// An error with everything that caused it, for the log and the operator.
#[must_use]
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += ": ";
        text += &error.to_string();
        cause = error.source();
    }
    text
}

impl From<heliograph_storage::Error> for Error {
    fn from(error: heliograph_storage::Error) -> Self {
        use heliograph_storage::Error as Stored;
        match error {
            Stored::Invisible => Self::NotFound,
            Stored::LevelTooLow => Self::Forbidden("Your access to this beam does not allow that."),
            Stored::Unshareable(why) => Self::Fields(vec![("username", unshareable(why))]),
            error => Self::Storage(error),
        }
    }
}

fn unshareable(why: Unshareable) -> String {
    let sentence = match why {
        Unshareable::Nobody => "There is nobody with this username",
        Unshareable::Owner => "This beam belongs to that person",
        Unshareable::Shared => "This beam is shared with that person already",
    };
    sentence.to_owned()
}

impl From<budget::Spent> for Error {
    fn from(_: budget::Spent) -> Self {
        Self::Busy
    }
}

impl From<passwords::Error> for Error {
    fn from(error: passwords::Error) -> Self {
        match error {
            passwords::Error::Busy => Self::Busy,
            passwords::Error::Failed => Self::Internal,
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.status();
        if status.is_server_error() {
            tracing::error!(error = causes(&self), "a request failed");
        }
        let mut response = match self {
            Self::Fields(ref fields) => (status, Json(by_field(fields))).into_response(),
            _ => refusal(status, self.detail()),
        };
        if let Some(wait) = self.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
        }
        if let Self::OutOfRange(size) = self
            && let Ok(range) = HeaderValue::from_str(&format!("bytes */{size}"))
        {
            response.headers_mut().insert(header::CONTENT_RANGE, range);
        }
        response
    }
}

fn by_field(fields: &[(&'static str, String)]) -> FieldErrors {
    let mut errors = BTreeMap::<_, Vec<_>>::new();
    for (field, sentence) in fields {
        errors.entry((*field).to_owned()).or_default().push(sentence.clone());
    }
    FieldErrors(errors)
}

fn refusal(status: StatusCode, detail: String) -> Response {
    (status, Json(ErrorBody { detail, code: sentence(status).0 })).into_response()
}

/// What a status means: for a program, and for a person who gets no better sentence.
fn sentence(status: StatusCode) -> (ErrorCode, &'static str) {
    match status {
        StatusCode::UNAUTHORIZED => (ErrorCode::Unauthorized, "Log in first."),
        StatusCode::FORBIDDEN => (ErrorCode::Forbidden, "This is not allowed."),
        StatusCode::NOT_FOUND => (ErrorCode::NotFound, "There is nothing here."),
        StatusCode::METHOD_NOT_ALLOWED => {
            (ErrorCode::MethodNotAllowed, "This path does not know that method.")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::TooLarge, "The request is too large."),
        StatusCode::TOO_MANY_REQUESTS => (ErrorCode::TooFast, "Too many requests."),
        StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => {
            (ErrorCode::Timeout, "The request took too long.")
        }
        StatusCode::RANGE_NOT_SATISFIABLE => {
            (ErrorCode::BadRequest, "The file does not have these bytes.")
        }
        StatusCode::INSUFFICIENT_STORAGE => (ErrorCode::NoRoom, "There is no room for this."),
        StatusCode::BAD_GATEWAY => {
            (ErrorCode::BadGateway, "The store of the files does not answer. Try again.")
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            (ErrorCode::Unavailable, "The server cannot do this now. Try again.")
        }
        status if status.is_client_error() => {
            (ErrorCode::BadRequest, "The request cannot be read.")
        }
        _ => (ErrorCode::Internal, "Something went wrong on the server."),
    }
}

/// Gives the refusals of the libraries under us (body limit, timeout, CSRF, panic) the body that ours have.
pub async fn give_every_refusal_a_body(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let ours =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|t| t == "application/json");
    if ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let mut answer = refusal(status, sentence(status).1.to_owned());
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    // A call that took too long may be tried again like one that found no room.
    if status == StatusCode::SERVICE_UNAVAILABLE {
        answer.headers_mut().entry(header::RETRY_AFTER).or_insert(BUSY_SECONDS.into());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_caused_it() {
        let random = Error::Random(getrandom::Error::UNSUPPORTED);
        let text = causes(&random);
        assert!(text.starts_with("no randomness: ") && text.len() > 20, "{text}");
        assert_eq!(causes(&Error::Busy), "too much is under way");
    }
}
