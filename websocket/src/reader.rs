//! Reads whole messages. Large payloads are read directly into the buffer in which they are forwarded.

use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BufMut as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tungstenite::Utf8Bytes;

use super::head::{self, Head, Kind};
use super::{Broken, Closing, Event, Memory, Pool, Unbounded};

/// Bytes that are read ahead: many small messages in one system call, or the start of a large one, which costs an
/// additional copy. They are read to the stack, so that an idle socket holds no buffer.
const READ_AHEAD: usize = 4 * 1024;

/// Bytes of an incomplete message that are not counted. Almost all messages are shorter, and most arrive at once.
const UNCOUNTED: usize = 16 * 1024;

/// The reading half of a websocket.
#[derive(Debug)]
pub struct Reader<R, M = Unbounded> {
    io: R,
    /// Bytes that were read and are not parsed yet.
    ahead: BytesMut,
    /// Bytes of the frame under way that were not read yet.
    unread: usize,
    /// Whether the other side's close frame has come.
    is_closed: bool,
    /// A fragmented message of which some frames have arrived.
    partial: Option<Partial>,
    most: usize,
    pool: Arc<Pool>,
    /// Counts the message that is being received, and after that until the next one is asked for.
    memory: M,
}

/// An incomplete fragmented message.
#[derive(Debug)]
struct Partial {
    kind: Kind,
    bytes: BytesMut,
    /// Bytes of a text that are valid UTF-8. Up to three more may be the start of a character.
    checked: usize,
}

impl<R> Reader<R> {
    /// A reader of messages with at most `most` bytes. Large ones are read into buffers of the pool.
    #[must_use]
    pub fn new(io: R, most: usize, pool: Arc<Pool>) -> Self {
        let (ahead, memory) = (BytesMut::new(), Unbounded);
        Self { io, ahead, unread: 0, is_closed: false, partial: None, most, pool, memory }
    }

    /// The reader, with its incomplete messages counted.
    #[must_use]
    pub fn within<M: Memory>(self, memory: M) -> Reader<R, M> {
        let Self { io, ahead, unread, is_closed, partial, most, pool, memory: _ } = self;
        Reader { io, ahead, unread, is_closed, partial, most, pool, memory }
    }
}

impl<R, M> Reader<R, M> {
    /// Gives up what has come of a message, to wait for the other side's close frame. Allowed at any time, also after an
    /// error, or after the future of [`Reader::next`] was dropped early.
    #[must_use]
    pub fn closing(self) -> Closing<R> {
        let Self { io, ahead, unread, is_closed, .. } = self;
        Closing { io, ahead, unread, is_closed }
    }
}

impl<R: AsyncRead + Unpin, M: Memory> Reader<R, M> {
    /// Reads the next message. Not cancel safe: after an error, or after its future was dropped early, it must not be
    /// called again. [`Reader::closing`] may.
    ///
    /// # Errors
    /// [`Broken`] when nothing more can be read.
    pub async fn next(&mut self) -> Result<Event, Broken> {
        // A ping between the parts of a message leaves their count as it is.
        if self.partial.is_none() {
            self.memory.free();
        }
        loop {
            let head = self.head().await?;
            if head.kind.is_control() {
                return self.control(head).await;
            }
            if let Some(event) = self.data(head).await? {
                return Ok(event);
            }
        }
    }

    /// The next header, after checking that its frame is allowed now and not too long.
    async fn head(&mut self) -> Result<Head, Broken> {
        let head = loop {
            if let Some(head) = Head::parse(&self.ahead)? {
                break head;
            }
            self.read_ahead().await?;
        };
        self.ahead.advance(head.size);
        self.unread = head.payload;
        if head.kind.is_control() {
            return Ok(head);
        }
        // A continuation without a message, or a message inside another.
        if self.partial.is_some() != (head.kind == Kind::Continuation) {
            return Err(Broken::Protocol);
        }
        let so_far = self.partial.as_ref().map_or(0, |partial| partial.bytes.len());
        let fits = head.payload <= self.most.saturating_sub(so_far);
        fits.then_some(head).ok_or(Broken::TooLarge)
    }

    /// Reads the rest of a control frame, which may come between the fragments of a message.
    async fn control(&mut self, head: Head) -> Result<Event, Broken> {
        let mut payload = BytesMut::with_capacity(head.payload);
        self.payload(head, &mut payload).await?;
        match head.kind {
            Kind::Close => {
                self.is_closed = true;
                closed(&payload)
            }
            Kind::Ping => Ok(Event::Ping(payload.freeze())),
            _ => Ok(Event::Pong),
        }
    }

    /// Reads the rest of a data frame. Returns the message if this was its last frame.
    async fn data(&mut self, head: Head) -> Result<Option<Event>, Broken> {
        let mut partial = self.partial.take().unwrap_or_else(|| Partial {
            kind: head.kind,
            bytes: self.pool.take(head.payload),
            checked: 0,
        });
        partial.bytes.reserve(head.payload);
        self.payload(head, &mut partial.bytes).await?;
        if head.is_final {
            return partial.finish().map(Some);
        }
        partial.check()?;
        self.partial = Some(partial);
        Ok(None)
    }

    /// Appends the frame's payload.
    async fn payload(&mut self, head: Head, to: &mut BytesMut) -> Result<(), Broken> {
        let start = to.len();
        let end = start + head.payload;
        let ready = self.ahead.len().min(head.payload);
        to.extend_from_slice(&self.ahead[..ready]);
        self.ahead.advance(ready);
        self.unread -= ready;
        self.count(to.len())?;
        while to.len() < end {
            let rest = end - to.len();
            match self.io.read_buf(&mut (&mut *to).limit(rest)).await {
                Ok(count) if count > 0 => {
                    self.unread -= count;
                    self.count(to.len())?;
                }
                _ => return Err(Broken::Lost),
            }
        }
        head::unmask(&mut to[start..], head.mask);
        Ok(())
    }

    /// Counts what a message has so far. What was only announced is not counted: it costs nothing until it comes, and
    /// whoever announces much could take all memory with a few bytes.
    fn count(&mut self, bytes: usize) -> Result<(), Broken> {
        let fits = bytes <= UNCOUNTED || self.memory.hold(bytes.next_multiple_of(UNCOUNTED));
        fits.then_some(()).ok_or(Broken::Spent)
    }

    async fn read_ahead(&mut self) -> Result<(), Broken> {
        poll_fn(|context| self.poll_read_ahead(context)).await
    }

    fn poll_read_ahead(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let mut space = [const { MaybeUninit::uninit() }; READ_AHEAD];
        let mut buffer = ReadBuf::uninit(&mut space);
        let read = Pin::new(&mut self.io).poll_read(context, &mut buffer);
        if read.is_pending() && self.ahead.is_empty() {
            self.ahead = BytesMut::new();
        }
        let read = ready!(read);
        self.ahead.extend_from_slice(buffer.filled());
        Poll::Ready(match read {
            Ok(()) if !buffer.filled().is_empty() => Ok(()),
            _ => Err(Broken::Lost),
        })
    }
}

impl Partial {
    /// Fails as soon as a text cannot become valid UTF-8 any more.
    fn check(&mut self) -> Result<(), Broken> {
        if self.kind == Kind::Binary {
            return Ok(());
        }
        let unchecked = &self.bytes[self.checked..];
        self.checked += match std::str::from_utf8(unchecked) {
            Ok(text) => text.len(),
            // The next frame may contain the rest of the last character.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(Broken::NotUtf8),
        };
        Ok(())
    }

    fn finish(self) -> Result<Event, Broken> {
        if self.kind == Kind::Binary {
            return Ok(Event::Binary(self.bytes));
        }
        Utf8Bytes::try_from(self.bytes).map(Event::Text).map_err(|_| Broken::NotUtf8)
    }
}

/// Parses the payload of a close frame (section 5.5.1).
fn closed(payload: &[u8]) -> Result<Event, Broken> {
    let Some((code, reason)) = payload.split_first_chunk() else {
        // One byte is not a code.
        return if payload.is_empty() { Ok(Event::Close(None)) } else { Err(Broken::Protocol) };
    };
    std::str::from_utf8(reason).map_err(|_| Broken::NotUtf8)?;
    let code = u16::from_be_bytes(*code);
    if may_be_sent(code) { Ok(Event::Close(Some(code))) } else { Err(Broken::Protocol) }
}

/// Whether a close frame may have this code: the codes of section 7.4.1 and IANA's registry that are not reserved, and
/// those for libraries and applications.
const fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests;
