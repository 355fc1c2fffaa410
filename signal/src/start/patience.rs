//! Drops connections whose other side stops reading, since data that waits for it would wait forever. One that is shut
//! down lingers, so that the last word arrives.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::task::TaskTracker;

use super::linger::Linger;
use crate::connections::Connected;
use crate::tcp;

/// Time in which the other side must read enough for the next write (H19): half of what the kernel keeps unsent
/// ([`tcp::prepare`]).
const PATIENCE: Duration = Duration::from_mins(1);

/// A stream that fails when its other side does not read.
pub struct Patient<S> {
    /// `None` after the shutdown.
    open: Option<Open<S>>,
    tasks: TaskTracker,
    /// Runs while a write waits. Created on first use, which most connections never reach.
    waiting: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
}

struct Open<S> {
    io: S,
    /// The permit belongs to the stream, because a websocket outlives the HTTP of its connection.
    connected: Option<Connected>,
}

impl Patient<TcpStream> {
    /// Wraps the stream and bounds its unsent bytes in the kernel. After its shutdown it lingers as one of the tasks.
    ///
    /// # Errors
    /// When the connection is already closed.
    pub fn of(stream: TcpStream, connected: Connected, tasks: TaskTracker) -> io::Result<Self> {
        tcp::prepare(&stream)?;
        Ok(Self::new(stream, Some(connected), tasks))
    }
}

impl<S> Patient<S> {
    fn new(io: S, connected: Option<Connected>, tasks: TaskTracker) -> Self {
        Self { open: Some(Open { io, connected }), tasks, waiting: None, is_waiting: false }
    }

    fn io(&mut self) -> io::Result<&mut S> {
        let open = self.open.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        Ok(&mut open.io)
    }

    /// Passes on the result of a write, or fails when it has waited too long.
    fn judge<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_waiting = false;
            return written;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        if !self.is_waiting {
            self.is_waiting = true;
            waiting.as_mut().reset(Instant::now() + PATIENCE);
        }
        waiting.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(self.io()?).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(self.io()?).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(self.io()?).poll_write_vectored(context, bytes);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.io.is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.io()?).poll_flush(context)
    }

    /// Shuts the writing side down. The rest of the connection's end is a task of its own, so that what served the
    /// connection, with its buffers, ends now.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(open) = &mut self.open {
            ready!(Pin::new(&mut open.io).poll_shutdown(context))?;
        }
        if let Some(Open { io, connected }) = self.open.take() {
            self.tasks.spawn(Linger::new(io, connected));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;

    fn patient(io: DuplexStream) -> Patient<DuplexStream> {
        Patient::new(io, None, TaskTracker::new())
    }

    #[tokio::test(start_paused = true)]
    async fn h19_who_reads_nothing_for_a_minute_is_let_go() {
        let (ours, _theirs) = duplex(64);
        let (start, mut stream) = (Instant::now(), patient(ours));
        let writing = timeout(2 * PATIENCE, stream.write_all(&[0; 65]));
        let error = writing.await.expect("it is let go").unwrap_err();
        let waited = start.elapsed();
        assert_eq!((error.kind(), waited), (io::ErrorKind::TimedOut, Duration::from_mins(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn h19_who_reads_a_little_now_and_then_gets_everything() {
        let (ours, mut theirs) = duplex(64);
        let writing = tokio::spawn(async move { patient(ours).write_all(&[0; 640]).await });
        for _ in 0..10 {
            sleep(PATIENCE.saturating_sub(Duration::from_secs(1))).await;
            theirs.read_exact(&mut [0; 64]).await.unwrap();
        }
        writing.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_was_shut_down_lingers_without_what_served_it() {
        let (ours, mut theirs) = duplex(64);
        let tasks = TaskTracker::new();
        let mut stream = Patient::new(ours, None, tasks.clone());
        stream.write_all(b"the end").await.unwrap();
        stream.shutdown().await.unwrap();
        assert_eq!(stream.write(b"more").await.unwrap_err().kind(), io::ErrorKind::NotConnected);
        drop(stream);

        // What still comes is no error for the other side, which reads the end.
        theirs.write_all(&[0; 640]).await.unwrap();
        let mut said = String::new();
        theirs.read_to_string(&mut said).await.unwrap();
        assert_eq!((&*said, tasks.len()), ("the end", 1));

        drop(theirs);
        tasks.close();
        tasks.wait().await;
    }
}
