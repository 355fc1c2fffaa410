//! The wait for the other side's close frame. Only after it does the server end the connection (RFC 6455, section
//! 7.1.1): a library that sees the end while it still sends reports a broken connection instead of the close code.

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::head::{Head, Kind};

/// Bytes of one read.
const READ_BYTES: usize = 4 * 1024;
/// Bytes that are read and forgotten before the other side's close frame, more than a relay's window (R6).
const FORGOTTEN: usize = 16 * 1024 * 1024;

/// The reading half of a websocket whose close frame is sent. It keeps nothing of what still comes.
#[derive(Debug)]
pub struct Closing<R> {
    pub(super) io: R,
    /// Bytes that were read and are not parsed yet.
    pub(super) ahead: BytesMut,
    /// Bytes of a frame that are still to come.
    pub(super) unread: usize,
    /// Whether the other side's close frame has come.
    pub(super) is_closed: bool,
}

impl<R: AsyncRead + Unpin> Closing<R> {
    /// Reads and forgets until the other side's close frame has come, the stream ends, or what comes is no frame or too
    /// much.
    pub async fn answered(mut self) {
        let mut read = 0;
        while !self.is_closed && read < FORGOTTEN {
            let forgotten = self.unread.min(self.ahead.len());
            self.ahead.advance(forgotten);
            self.unread -= forgotten;
            if self.unread == 0 {
                match Head::parse(&self.ahead) {
                    Ok(Some(head)) => {
                        self.is_closed = head.kind == Kind::Close;
                        self.ahead.advance(head.size);
                        self.unread = head.payload;
                        continue;
                    }
                    Ok(None) => {}
                    Err(_) => return,
                }
            }
            self.ahead.reserve(READ_BYTES);
            let Ok(count @ 1..) = self.io.read_buf(&mut self.ahead).await else { return };
            read += count;
        }
    }
}
