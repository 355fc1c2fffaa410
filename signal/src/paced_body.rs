//! The body of a request, from a sender that is waited for as long as bytes come.

use std::error::Error as _;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http_body_util::LengthLimitError;
use tokio::time::{Instant, sleep, timeout};

use crate::error::Error;
use crate::limit::{Bucket, Rate};
use crate::pace::Pace;

/// A piece of a body below this many bytes is short.
const SHORT: usize = 512;
/// Rate of short pieces, such as chunks of one byte, which each cost as much as a long one. Beyond it the body is read
/// more slowly.
const SHORT_PIECES: Rate = Rate { burst: 4_096, every: Duration::from_micros(500) };
/// The error for a body that breaks off or is malformed.
pub(crate) const UNREADABLE: Error = Error::BadRequest("The form cannot be read.");

/// A body that is being received.
#[derive(Debug)]
pub struct PacedBody {
    body: BodyDataStream,
    pace: Pace,
    short_pieces: Option<Bucket>,
}

impl PacedBody {
    /// Reads this body.
    #[must_use]
    pub fn new(body: Body) -> Self {
        Self { body: body.into_data_stream(), pace: Pace::default(), short_pieces: None }
    }

    /// The next piece, perhaps an empty one; `None` at the end. Waits first when there were too many short ones.
    ///
    /// # Errors
    /// [`Error::Timeout`] when the sender stalls, [`Error::TooLarge`], [`Error::BadRequest`] when the body breaks off.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let asked = Instant::now();
        let piece = timeout(self.pace.patience(), self.body.next()).await;
        let Some(piece) = piece.map_err(|_| Error::Timeout)? else {
            return Ok(None);
        };
        let piece = piece.map_err(|error| unreadable(&error))?;
        if piece.len() < SHORT {
            let bucket = self.short_pieces.get_or_insert_with(|| Bucket::full(Instant::now()));
            while let Err(wait) = bucket.take(SHORT_PIECES, Instant::now()) {
                sleep(wait).await;
            }
        }
        self.pace.came(piece.len(), Instant::now().saturating_duration_since(asked));
        if self.pace.patience().is_zero() { Err(Error::Timeout) } else { Ok(Some(piece)) }
    }
}

/// The error for a body that breaks off or is too large.
pub(crate) fn unreadable(error: &axum::Error) -> Error {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return Error::TooLarge;
        }
        cause = error.source();
    }
    UNREADABLE
}
