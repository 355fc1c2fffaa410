//! Forms with files in them (`multipart/form-data`, RFC 7578), part by part and piece by piece.
//!
//! Of our own: the library that axum brings holds whatever a sender sends, headers and preambles without an end and parts
//! as fast as they come, and looks through all of it again for each byte. This one holds a [`BUFFER`] whatever comes.

mod headers;
mod parser;

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::BodyDataStream;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use bytes::{Buf as _, Bytes};
use futures_util::{FutureExt as _, StreamExt as _};
use http_body_util::LengthLimitError;
use tokio::time::{Instant, sleep, timeout};

pub use headers::Headers;
use parser::{Event, Malformed, Parser};

use crate::budget::{Budget, Kind, Share};
use crate::error::Error;
use crate::limit::{Bucket, Rate};
use crate::pace::Pace;

/// Bytes that a form's reader holds at most: what it reads at a time, and what is left of the time before.
pub const BUFFER: usize = 2 * READ_BYTES;
/// Bytes that are read at a time, if as many are there.
const READ_BYTES: usize = 64 * 1024;
/// Longest boundary (RFC 2046, section 5.1.1).
const LONGEST_BOUNDARY: usize = 70;
/// A piece of a body that is shorter than this is a short one.
const SHORT: usize = 512;
/// Short pieces of a body, such as chunks of one byte: each costs as much as a long one. After so many the sender is read
/// more slowly.
const SHORT_PIECES: Rate = Rate { burst: 4_096, every: Duration::from_micros(500) };
const UNREADABLE: Error = Error::BadRequest("The form cannot be read.");

/// A form on its way in.
#[derive(Debug)]
pub struct Multipart {
    body: BodyDataStream,
    /// What came of the body and was not looked at yet.
    ahead: Bytes,
    parser: Parser,
    in_part: bool,
    pace: Pace,
    short_pieces: Option<Bucket>,
    held: Share,
}

impl Multipart {
    /// The form in the body of a request.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when it is no form, [`Error::Busy`] when too many bytes of requests wait already.
    pub fn of(request: Request, budget: &Arc<Budget>) -> Result<Self, Error> {
        let boundary = boundary(request.headers());
        let boundary = boundary.ok_or(Error::BadRequest("A multipart form was expected here."))?;
        let parser = Parser::new(&boundary);
        let held = budget.take(Kind::Requests, BUFFER)?;
        let body = request.into_body().into_data_stream();
        let (ahead, pace) = (Bytes::new(), Pace::default());
        Ok(Self { body, ahead, parser, in_part: false, pace, short_pieces: None, held })
    }

    /// The next part; what is left of the one before is passed over.
    ///
    /// # Errors
    /// [`Error`] when the form cannot be read, its sender stands still, or it is too large.
    pub async fn next_part(&mut self) -> Result<Option<Headers>, Error> {
        loop {
            match self.next().await? {
                Event::Part(headers) => {
                    self.in_part = true;
                    return Ok(Some(headers));
                }
                Event::End => return Ok(None),
                _ => {}
            }
        }
    }

    /// The next piece of the part's content; none at its end.
    ///
    /// # Errors
    /// As [`Self::next_part`].
    pub async fn content(&mut self) -> Result<Option<Bytes>, Error> {
        while self.in_part {
            match self.next().await? {
                Event::Content(bytes) => return Ok(Some(bytes)),
                _ => self.in_part = false,
            }
        }
        Ok(None)
    }

    /// Holds so many bytes more of the budget for requests, until the form is dropped.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many bytes of requests wait already.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        Ok(self.held.grow(bytes)?)
    }

    /// The share of the budget that it holds, which outlives it.
    #[must_use]
    pub fn into_share(self) -> Share {
        self.held
    }

    async fn next(&mut self) -> Result<Event, Error> {
        loop {
            match self.parser.next().map_err(refusal)? {
                Event::Hungry => self.fill().await?,
                event => return Ok(event),
            }
        }
    }

    /// Waits for more, and takes what else is there.
    async fn fill(&mut self) -> Result<(), Error> {
        let asked = Instant::now();
        while self.ahead.is_empty() {
            let piece = timeout(self.pace.patience(), self.body.next());
            let piece = piece.await.map_err(|_| Error::Timeout)?.ok_or(UNREADABLE)?;
            self.take(piece).await?;
        }
        let mut read = self.push(READ_BYTES);
        while read < READ_BYTES
            && let Some(Some(piece)) = self.body.next().now_or_never()
        {
            self.take(piece).await?;
            read += self.push(READ_BYTES - read);
        }
        self.pace.came(read, Instant::now().saturating_duration_since(asked));
        if self.pace.patience().is_zero() { Err(Error::Timeout) } else { Ok(()) }
    }

    /// Takes a piece, later when it is one of many short ones.
    async fn take(&mut self, piece: Result<Bytes, axum::Error>) -> Result<(), Error> {
        self.ahead = piece.map_err(|error| unreadable(&error))?;
        if self.ahead.len() < SHORT {
            let bucket = self.short_pieces.get_or_insert_with(|| Bucket::full(Instant::now()));
            while let Err(wait) = bucket.take(SHORT_PIECES, Instant::now()) {
                sleep(wait).await;
            }
        }
        Ok(())
    }

    /// Gives the parser some of what is there, and says how much.
    fn push(&mut self, most: usize) -> usize {
        let count = self.ahead.len().min(most);
        self.parser.push(&self.ahead[..count]);
        self.ahead.advance(count);
        count
    }
}

/// The boundary that the content type names.
fn boundary(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (kind, parameters) = value.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    (1..=LONGEST_BOUNDARY).contains(&boundary.len()).then(|| boundary.to_owned())
}

fn refusal(malformed: Malformed) -> Error {
    match malformed {
        Malformed::Syntax => UNREADABLE,
        Malformed::TooLong => Error::BadRequest("The headers of the form are too long."),
        Malformed::TooManyParts => Error::BadRequest("The form has too many fields."),
    }
}

/// What is answered to a body that breaks off or is too large.
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
