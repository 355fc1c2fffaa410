//! The errors of requests, their statuses, and the body that every refusal has.

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

/// Why a request fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 400: the request cannot be read. The text says why.
    #[error("{0}")]
    BadRequest(&'static str),
    /// 400: a form is refused. For each field, sentences for a person (H6).
    #[error("the form is refused")]
    Fields(Vec<(&'static str, String)>),
    /// 401: username and password do not match (H11).
    #[error("Invalid credentials")]
    WrongCredentials,
    /// 401: the call needs a login.
    #[error("nobody is logged in")]
    Unauthorized,
    /// 403: the caller may see it but not do this. The text says why.
    #[error("{0}")]
    Forbidden(&'static str),
    /// 421: the `Host` header, name and perhaps port, is not one of this server's (H9).
    #[error(
        "This server does not answer as {0}. If that is its address, start it with --public-url https://{0}."
    )]
    UnknownHost(String),
    /// 403: the request comes from another site's page.
    #[error("This request comes from another site.")]
    ForeignOrigin,
    /// 413: the body is larger than this call takes.
    #[error("the body is too large")]
    TooLarge,
    /// 404: it does not exist, or the caller may not see it.
    #[error("not found")]
    NotFound,
    /// 405: the path does not support the method.
    #[error("the path does not support the method")]
    MethodNotAllowed,
    /// 416: the range starts after the end of a file of this many bytes.
    #[error("the range is not in a file of {0} bytes")]
    OutOfRange(u64),
    /// 408: the sender stopped sending.
    #[error("the sender has fallen silent")]
    Timeout,
    /// 409: the piece of an upload does not begin where the upload ends (H46).
    #[error("The upload goes on at another offset. A HEAD request tells which.")]
    WrongOffset,
    /// 409: it was changed since the caller has read it.
    #[error("it was changed meanwhile")]
    Outdated,
    /// 412: the request does not speak the version of tus that the server does (H45).
    #[error("The server speaks tus 1.0.0: send Tus-Resumable: 1.0.0.")]
    WrongVersion,
    /// 415: the body is not a piece of an upload (H46).
    #[error("The body must be application/offset+octet-stream.")]
    WrongType,
    /// 423: another request sends a piece of the upload now (H46).
    #[error("Another request sends a piece of this upload now. Try again.")]
    Held,
    /// 460: the piece of an upload has another checksum (H46).
    #[error("The bytes do not have this checksum. Send them again.")]
    WrongChecksum,
    /// 507: the disk or a quota is full.
    #[error("the disk or a quota is full")]
    NoRoom,
    /// 429: too many requests. Retry after this time.
    #[error("Too many requests. Try again in {} s.", seconds(*.0))]
    TooFast(Duration),
    /// The database failed, or refused the change.
    #[error(transparent)]
    Storage(heliograph_storage::Error),
    /// 502: the store of files and pictures failed.
    #[error(transparent)]
    Blobs(heliograph_storage::blobs::Error),
    /// 503: the server has no capacity for the request now.
    #[error("too much is under way")]
    Busy,
    /// 503: the database takes no writes (H3).
    #[error("The server cannot write to its database.")]
    Unwritable,
    /// 500: the operating system gives no random bytes.
    #[error("no randomness")]
    Random(#[source] getrandom::Error),
    /// 500: a bug in the server.
    #[error("internal error")]
    Internal,
}

impl Error {
    fn status(&self) -> StatusCode {
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
            Self::WrongOffset | Self::Outdated => StatusCode::CONFLICT,
            Self::WrongVersion => StatusCode::PRECONDITION_FAILED,
            Self::WrongType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Held => StatusCode::LOCKED,
            // Of tus, section "Checksum".
            Self::WrongChecksum => StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST),
            Self::NoRoom | Self::Storage(heliograph_storage::Error::DiskFull(_)) => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            Self::TooFast(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Blobs(_) => StatusCode::BAD_GATEWAY,
            Self::Busy
            | Self::Unwritable
            | Self::Storage(
                heliograph_storage::Error::Database(_) | heliograph_storage::Error::Uncertain(_),
            ) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Storage(_) | Self::Random(_) | Self::Internal => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// The sentence for a person: the error's own, else the general one of its status.
    fn detail(&self) -> String {
        match self {
            Self::BadRequest(_)
            | Self::Forbidden(_)
            | Self::WrongCredentials
            | Self::UnknownHost(_)
            | Self::ForeignOrigin
            | Self::Unwritable
            | Self::WrongOffset
            | Self::WrongVersion
            | Self::WrongType
            | Self::Held
            | Self::WrongChecksum
            | Self::TooFast(_) => self.to_string(),
            other => sentence(other.status()).1.to_owned(),
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooFast(wait) => Some(seconds(*wait)),
            Self::Storage(heliograph_storage::Error::DiskFull(_)) => None,
            Self::Storage(_) | Self::Busy | Self::Unwritable | Self::Held => Some(BUSY_SECONDS),
            _ => None,
        }
    }
}

/// `Retry-After` of a 503, in seconds.
const BUSY_SECONDS: u64 = 5;

/// Whole seconds, rounded up, so that a client which waits that long is not refused again.
fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// Formats an error with its chain of causes, for the log and the operator.
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
            Stored::Outdated => Self::Outdated,
            Stored::Full => Self::NoRoom,
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
        Unshareable::TooMany => {
            "This beam is shared with 100 people already. Remove somebody first."
        }
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

/// The code of a status, for programs, and its general sentence, for people.
fn sentence(status: StatusCode) -> (ErrorCode, &'static str) {
    match status {
        StatusCode::UNAUTHORIZED => (ErrorCode::Unauthorized, "Log in first."),
        StatusCode::FORBIDDEN => (ErrorCode::Forbidden, "This is not allowed."),
        StatusCode::NOT_FOUND => (ErrorCode::NotFound, "There is nothing here."),
        StatusCode::METHOD_NOT_ALLOWED => {
            (ErrorCode::MethodNotAllowed, "This path does not know that method.")
        }
        StatusCode::CONFLICT => {
            (ErrorCode::BadRequest, "This was changed elsewhere meanwhile. Try again.")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::TooLarge, "The request is too large."),
        StatusCode::TOO_MANY_REQUESTS => (ErrorCode::TooFast, "Too many requests."),
        StatusCode::REQUEST_TIMEOUT => {
            (ErrorCode::Timeout, "The request came too slowly. Check the connection and try again.")
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

/// Gives refusals of the layers below (body limit, CSRF, panic) the same JSON body as ours.
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
