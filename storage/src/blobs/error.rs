//! What can go wrong with a blob.

use std::error::Error as StdError;
use std::fmt;
use std::io;

/// Why a blob is not read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no such blob.
    Missing,
    /// There is no such bucket.
    NoBucket,
    /// The place does not take our credentials, or does not let us.
    Refused(String),
    /// The place does not answer, or not as it should.
    Unreachable(String),
    /// The place is full.
    NoRoom,
    /// What was said about the place cannot be.
    Misconfigured(String),
}

impl Error {
    /// The same failure of a write: nothing that is written is missing, so the bucket must be.
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
            Self::Missing => f.write_str("there is no such blob"),
            Self::NoBucket => f.write_str("the bucket of the blobs is not there"),
            Self::Refused(why) => write!(f, "the place of the blobs refuses us: {why}"),
            Self::Unreachable(why) => write!(f, "the place of the blobs does not answer: {why}"),
            Self::NoRoom => f.write_str("the place of the blobs is full"),
            Self::Misconfigured(why) => write!(f, "the place of the blobs: {why}"),
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
            // The answer's text is all there is to tell the two apart.
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

/// Whether a disk without room is at the bottom of it.
fn is_full(error: &(dyn StdError + 'static)) -> bool {
    let is_here =
        error.downcast_ref::<io::Error>().is_some_and(|error| is_about_room(error.kind()));
    is_here || error.source().is_some_and(is_full)
}

const fn is_about_room(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
