//! The grammar of multipart (RFC 2046, section 5.1), free of I/O: takes bytes, returns events. Its memory is bounded,
//! and so is the number of times that it examines each byte.

use std::mem;

use bytes::{Buf as _, Bytes, BytesMut};
use memchr::memmem::{self, Finder};

use super::headers::{self, Headers};

/// Most bytes before the first boundary. No known browser or library sends any.
const PREAMBLE_BYTES: usize = 1024;
/// Most bytes in the headers of a part, all lines together.
const HEADER_BYTES: usize = 8 * 1024;
/// Most blanks after a boundary, which mail servers may add.
const BLANKS: usize = 64;
/// Most parts in a form; ours have at most six.
const PARTS: usize = 32;
/// Least bytes of a piece of content, except the last. It bounds the work per piece, however small the pieces in which
/// the form arrives.
pub const PIECE: usize = 64 * 1024;
/// Most bytes to push at a time.
pub const PUSH: usize = 16 * 1024;
/// Capacity of the buffer while a part's content comes: what may be the start of a delimiter, a piece that is one byte
/// short of its least size, and a push. A buffer that grows as it fills would have up to twice the capacity.
pub const PIECE_CAPACITY: usize = LONGEST_DELIMITER + PIECE + PUSH;
/// CRLF, two dashes, and the longest boundary (RFC 2046, section 5.1.1).
const LONGEST_DELIMITER: usize = 4 + LONGEST_BOUNDARY;
/// Longest boundary in bytes.
pub const LONGEST_BOUNDARY: usize = 70;

/// The parser's result for the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A part begins.
    Part(Headers),
    /// More of the part's content.
    Content(Bytes),
    /// The part ends.
    PartEnd,
    /// The form ends. Bytes after it are ignored.
    End,
    /// The parser needs more bytes.
    Hungry,
}

/// Why a form is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It violates the grammar or breaks off.
    Syntax,
    /// The preamble, or the headers of a part, are too long.
    TooLong,
    /// It has too many parts.
    TooManyParts,
}

/// The position of the buffer's first byte in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Preamble,
    /// Right after a boundary.
    Boundary,
    Headers,
    Content,
    End,
}

/// The parser of one form.
#[derive(Debug)]
pub struct Parser {
    /// CRLF, two dashes and the boundary.
    delimiter: Finder<'static>,
    at: At,
    buffer: BytesMut,
    /// Bytes at the front of the buffer in which the delimiter does not begin.
    searched: usize,
    /// Dropped bytes of the preamble.
    skipped: usize,
    parts: usize,
}

impl Parser {
    /// A parser for a form with this boundary.
    #[must_use]
    pub fn new(boundary: &str) -> Self {
        let delimiter = Finder::new(&format!("\r\n--{boundary}")).into_owned();
        // The first boundary may come without CRLF before it.
        let buffer = BytesMut::from(&b"\r\n"[..]);
        Self { delimiter, at: At::Preamble, buffer, searched: 0, skipped: 0, parts: 0 }
    }

    /// Adds bytes to the buffer, at most [`PUSH`] after each [`Event::Hungry`].
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next event in the buffer.
    ///
    /// # Errors
    /// [`Malformed`]. Do not call it again afterwards.
    pub fn next(&mut self) -> Result<Event, Malformed> {
        loop {
            let event = match self.at {
                At::Preamble => self.preamble()?,
                At::Boundary => self.boundary()?,
                At::Headers => self.headers()?,
                At::Content => Some(self.content()),
                At::End => Some(Event::End),
            };
            if let Some(event) = event {
                return Ok(event);
            }
        }
    }

    fn preamble(&mut self) -> Result<Option<Event>, Malformed> {
        let found = self.find_delimiter();
        self.skipped += self.searched;
        if self.skipped > PREAMBLE_BYTES {
            return Err(Malformed::TooLong);
        }
        self.pass(self.searched, At::Preamble);
        if found.is_none() {
            return Ok(Some(Event::Hungry));
        }
        self.pass(self.delimiter.needle().len(), At::Boundary);
        Ok(None)
    }

    /// After the boundary, two dashes end the form, and CRLF, perhaps after blanks, begins a part.
    fn boundary(&mut self) -> Result<Option<Event>, Malformed> {
        if self.buffer.starts_with(b"--") {
            self.at = At::End;
            self.buffer = BytesMut::new();
            return Ok(None);
        }
        let blanks = self.buffer.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if blanks > BLANKS {
            return Err(Malformed::TooLong);
        }
        match &self.buffer[blanks..] {
            [b'\r', b'\n', ..] if self.parts == PARTS => Err(Malformed::TooManyParts),
            [b'\r', b'\n', ..] => {
                self.parts += 1;
                // CRLF stays in the buffer: in a part without headers it is the first half of their end.
                self.pass(blanks, At::Headers);
                Ok(None)
            }
            [] | [b'\r'] => Ok(Some(Event::Hungry)),
            [b'-'] if blanks == 0 => Ok(Some(Event::Hungry)),
            _ => Err(Malformed::Syntax),
        }
    }

    fn headers(&mut self) -> Result<Option<Event>, Malformed> {
        const END: &[u8] = b"\r\n\r\n";
        let found = memmem::find(&self.buffer[self.searched..], END).map(|at| self.searched + at);
        if found.unwrap_or(self.buffer.len()) > HEADER_BYTES {
            return Err(Malformed::TooLong);
        }
        let Some(end) = found else {
            self.searched = self.buffer.len().saturating_sub(END.len() - 1);
            return Ok(Some(Event::Hungry));
        };
        let end = end + END.len();
        // Without the CRLF that belongs to the boundary.
        let headers = headers::parse(&self.buffer[2..end]).ok_or(Malformed::Syntax)?;
        self.cut(end);
        self.at = At::Content;
        Ok(Some(Event::Part(headers)))
    }

    fn content(&mut self) -> Event {
        let end = self.find_delimiter();
        match end {
            Some(0) => {
                self.pass(self.delimiter.needle().len(), At::Boundary);
                Event::PartEnd
            }
            None if self.searched < PIECE => Event::Hungry,
            _ => Event::Content(self.cut(self.searched).freeze()),
        }
    }

    /// Finds the next delimiter. Remembers how far it searched if there is none.
    fn find_delimiter(&mut self) -> Option<usize> {
        let found = self.delimiter.find(&self.buffer[self.searched..]);
        let found = found.map(|at| self.searched + at);
        let tail = self.delimiter.needle().len() - 1;
        self.searched = found.unwrap_or(self.buffer.len().saturating_sub(tail).max(self.searched));
        found
    }

    /// Cuts this many bytes off the front. The rest goes to a buffer of its own, with room for the next piece.
    fn cut(&mut self, bytes: usize) -> BytesMut {
        let mut rest = BytesMut::with_capacity(PIECE_CAPACITY);
        rest.extend_from_slice(&self.buffer[bytes..]);
        self.buffer.truncate(bytes);
        self.searched = 0;
        mem::replace(&mut self.buffer, rest)
    }

    fn pass(&mut self, bytes: usize, at: At) {
        self.buffer.advance(bytes);
        self.searched = 0;
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a form in pieces of this size into names and contents.
    fn read(form: &[u8], piece: usize) -> Result<Vec<(String, Vec<u8>)>, Malformed> {
        let mut parser = Parser::new("x");
        let mut pieces = form.chunks(piece);
        let mut parts = Vec::new();
        loop {
            match parser.next()? {
                Event::Part(headers) => parts.push((headers.name.unwrap_or_default(), Vec::new())),
                Event::Content(bytes) => parts.last_mut().unwrap().1.extend_from_slice(&bytes),
                Event::PartEnd => {}
                Event::End => return Ok(parts),
                Event::Hungry => match pieces.next() {
                    Some(piece) => parser.push(piece),
                    None => return Err(Malformed::Syntax),
                },
            }
            assert!(piece > PUSH || parser.buffer.capacity() <= PIECE_CAPACITY + HEADER_BYTES);
        }
    }

    fn part(name: &str, content: &[u8]) -> Vec<u8> {
        let head = format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), content, b"\r\n"].concat()
    }

    #[test]
    fn parts_are_read_byte_for_byte_however_they_arrive() {
        let large: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[n as usize % 2]).collect();
        let lines = b"\r\n--\r\n--y\r\n\r\n--";
        let form = [
            &b"a preamble\r\n"[..],
            &part("empty", b""),
            &part("lines", lines),
            &part("large", &large),
            b"--x \t\r\n\r\nwithout headers\r\n",
            b"--x--\r\nan epilogue",
        ]
        .concat();
        let expected = [
            ("empty".to_owned(), Vec::new()),
            ("lines".to_owned(), lines.to_vec()),
            ("large".to_owned(), large),
            (String::new(), b"without headers".to_vec()),
        ];
        for piece in [1, 2, 3, 7, 64, 1_000, 16_384, 1 << 20] {
            assert!(read(&form, piece).unwrap() == expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn s23_what_has_no_end_is_refused_before_it_is_held() {
        let endless = |start: &str, more: &str| [start, &more.repeat(200_000)].concat();
        for (form, refusal) in [
            (endless("", "preamble"), Malformed::TooLong),
            (endless("--x\r\n", "header: value\r\n"), Malformed::TooLong),
            (endless("--x\r\nheader: ", "value"), Malformed::TooLong),
            (endless("--x", "  "), Malformed::TooLong),
            (endless("", "--x\r\n\r\n\r\n"), Malformed::TooManyParts),
            (endless("--x\r\n", "a: b\r\n\r\n"), Malformed::Syntax),
        ] {
            for piece in [1, 57, 16_384] {
                assert_eq!(read(form.as_bytes(), piece), Err(refusal), "{}", &form[..30]);
            }
        }
    }

    #[test]
    fn what_is_not_in_the_grammar_is_refused() {
        for form in [
            "",
            "--x",
            "--x-",
            "--xy\r\n\r\n\r\n--x--",
            "--x\r\nno colon\r\n\r\n\r\n--x--",
            "--x\n\n\n--x--",
        ] {
            assert_eq!(read(form.as_bytes(), 3), Err(Malformed::Syntax), "{form:?}");
        }
    }
}
