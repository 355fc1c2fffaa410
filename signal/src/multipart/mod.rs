//! A streaming reader for `multipart/form-data` (RFC 7578).
//!
//! The library that axum uses buffers headers and preambles without a bound, accepts parts at any rate, and searches
//! the whole buffer again for each byte. This reader holds at most [`BUFFER`] bytes.

mod headers;
mod parser;

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use bytes::{Buf as _, Bytes};

pub use headers::Headers;
use parser::{Event, LONGEST_BOUNDARY, Malformed, PUSH, Parser};
pub use parser::{PIECE, PIECE_CAPACITY};

use crate::budget::{Budget, CALL_BYTES, Kind, Share};
use crate::error::Error;
use crate::paced_body::PacedBody;
pub(crate) use crate::paced_body::UNREADABLE;

/// Most bytes that a reader holds: what it parses, and a read of the connection.
pub const BUFFER: usize = PIECE_CAPACITY + PUSH;

/// A form that is being received.
#[derive(Debug)]
pub struct Multipart {
    body: PacedBody,
    /// Upper bound of the body's length, if there is one.
    most: Option<u64>,
    /// Received bytes that the parser has not taken yet.
    ahead: Bytes,
    parser: Parser,
    in_part: bool,
    held: Share,
}

impl Multipart {
    /// Reads the form in a request's body.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when the request is not a form, [`Error::Busy`] when the memory for requests is spent.
    pub fn of(request: Request, budget: &Arc<Budget>) -> Result<Self, Error> {
        let boundary = boundary(request.headers());
        let boundary = boundary.ok_or(Error::BadRequest("The body must be a multipart form."))?;
        let parser = Parser::new(&boundary);
        let held = budget.take(Kind::Requests, CALL_BYTES + BUFFER)?;
        let most = request.body().size_hint().upper();
        let (body, ahead) = (PacedBody::new(request.into_body()), Bytes::new());
        Ok(Self { body, most, ahead, parser, in_part: false, held })
    }

    /// Upper bound of the form's length, and thus of each part's, if its sender declared one or a limit applies.
    #[must_use]
    pub const fn most(&self) -> Option<u64> {
        self.most
    }

    /// The next part; `None` at the end. Skips what is left of the part before.
    ///
    /// # Errors
    /// [`Error`] when the form is malformed or too large, or its sender stalls.
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

    /// The next piece of the part's content; `None` at its end.
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

    /// Reserves more memory, until the form is dropped.
    ///
    /// # Errors
    /// [`Error::Busy`] when the memory for requests is spent.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        Ok(self.held.grow(bytes)?)
    }

    /// The reserved memory, to keep it longer than the form.
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

    /// Waits for more bytes and gives them to the parser.
    async fn fill(&mut self) -> Result<(), Error> {
        while self.ahead.is_empty() {
            self.ahead = self.body.next().await?.ok_or(UNREADABLE)?;
        }
        self.push();
        Ok(())
    }

    /// Moves bytes to the parser.
    fn push(&mut self) {
        let count = self.ahead.len().min(PUSH);
        self.parser.push(&self.ahead[..count]);
        self.ahead.advance(count);
    }
}

/// The boundary in the content type.
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
