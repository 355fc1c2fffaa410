//! The grammar of multipart (RFC 2046, section 5.1): told bytes, it says which parts they are. Whatever is sent, it holds
//! a bounded number of bytes and looks at each of them a bounded number of times.

use bytes::{Buf as _, Bytes, BytesMut};
use memchr::memmem::{self, Finder};

use super::headers::{self, Headers};

/// Bytes before the first boundary. No browser and no library that we know of sends any.
const PREAMBLE_BYTES: usize = 1024;
/// Bytes of the headers of a part, all lines together.
const HEADER_BYTES: usize = 8 * 1024;
/// Blanks behind a boundary, where a mail server may have left some.
const BLANKS: usize = 64;
/// Parts of a form; ours have six at most.
const PARTS: usize = 32;
/// Content is handed on in pieces of at least so many bytes, except the last: however small the pieces are in which it
/// comes, what is done for each piece is done rarely.
const PIECE: usize = 16 * 1024;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A part begins.
    Part(Headers),
    /// More of the part's content.
    Content(Bytes),
    /// The part ends.
    PartEnd,
    /// The form ends; what follows is nobody's.
    End,
    /// More bytes are needed.
    Hungry,
}

/// Why this is no form that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is not in the grammar, or it breaks off.
    Syntax,
    /// The preamble, or the headers of a part, are too long.
    TooLong,
    /// It has too many parts.
    TooManyParts,
}

/// Where in the form the first byte of the buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Preamble,
    /// Right behind a boundary.
    Boundary,
    Headers,
    Content,
    End,
}

/// Reads one form.
#[derive(Debug)]
pub struct Parser {
    /// A line break, two dashes and the boundary.
    delimiter: Finder<'static>,
    at: At,
    buffer: BytesMut,
    /// Bytes at the front of the buffer in which what is looked for does not begin.
    searched: usize,
    /// Bytes of the preamble that were dropped.
    skipped: usize,
    parts: usize,
}

impl Parser {
    /// The parser of a form with this boundary.
    #[must_use]
    pub fn new(boundary: &str) -> Self {
        let delimiter = Finder::new(&format!("\r\n--{boundary}")).into_owned();
        // The first boundary may stand without a line break before it.
        let buffer = BytesMut::from(&b"\r\n"[..]);
        Self { delimiter, at: At::Preamble, buffer, searched: 0, skipped: 0, parts: 0 }
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// What the bytes so far come to.
    ///
    /// # Errors
    /// [`Malformed`]; the rest cannot be read then.
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

    /// Two dashes end the form; a line break, perhaps behind blanks, begins a part.
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
                // The line break stays: with the one behind it, it ends headers that are none.
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
        // Without the line break that belongs to the boundary.
        let headers = headers::parse(&self.buffer[2..end]).ok_or(Malformed::Syntax)?;
        self.pass(end, At::Content);
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
            _ => {
                let content = self.buffer.split_to(self.searched).freeze();
                self.searched = 0;
                Event::Content(content)
            }
        }
    }

    /// Where the next delimiter begins; without one, remembers how far it has looked.
    fn find_delimiter(&mut self) -> Option<usize> {
        let found = self.delimiter.find(&self.buffer[self.searched..]);
        let found = found.map(|at| self.searched + at);
        let tail = self.delimiter.needle().len() - 1;
        self.searched = found.unwrap_or(self.buffer.len().saturating_sub(tail).max(self.searched));
        found
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

    /// What a form says, read in pieces of this size: name and content of each part.
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
            assert!(parser.buffer.len() <= piece + HEADER_BYTES + PIECE);
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
