//! Errors of the blob store.

use std::error::Error as StdError;
use std::fmt;
use std::io;

/// Why a blob cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The blob does not exist.
    Missing,
    /// The bucket does not exist.
    NoBucket,
    /// The store rejects the credentials or denies access. Contains its answer.
    Refused(String),
    /// The store does not answer, or answers wrongly. Contains the details.
    Unreachable(String),
    /// The store is full.
    NoRoom,
    /// The location is invalid. Contains the reason.
    Misconfigured(String),
}

impl Error {
    /// The error of a write. A write needs no existing blob, so what is missing must be the bucket.
    pub(super) fn of_writing(error: object_store::Error) -> Self {
        match Self::from(error) {
            Self::Missing => Self::NoBucket,
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the blob does not exist"),
            Self::NoBucket => f.write_str("the bucket does not exist"),
            Self::Refused(why) => write!(f, "the blob store denies access: {why}"),
            Self::Unreachable(why) => write!(f, "the blob store does not answer: {why}"),
            Self::NoRoom => f.write_str("the blob store is full"),
            Self::Misconfigured(why) => write!(f, "the location of the blobs is invalid: {why}"),
        }
    }
}

impl StdError for Error {}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        use object_store::Error as Store;
        if is_full(&error) {
            return Self::NoRoom;
        }
        match error {
            // Only the response's text tells the two apart.
            Store::NotFound { source, .. } if source.to_string().contains("NoSuchBucket") => {
                Self::NoBucket
            }
            Store::NotFound { .. } => Self::Missing,
            Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => {
                Self::Refused(error.to_string())
            }
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Refused(error.to_string()),
            kind if is_about_room(kind) => Self::NoRoom,
            _ => Self::Unreachable(error.to_string()),
        }
    }
}

/// Whether the error's cause is a full disk.
fn is_full(error: &(dyn StdError + 'static)) -> bool {
    let is_here =
        error.downcast_ref::<io::Error>().is_some_and(|error| is_about_room(error.kind()));
    is_here || error.source().is_some_and(is_full)
}

const fn is_about_room(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
