//! The end of a connection. Closing it while bytes of the other side are unread resets it, and a reset can overtake what
//! the server said last: a refusal of an upload, or the close frame of a websocket. So the server stops writing, and
//! reads and forgets what still comes, for a short time (RFC 9112, section 9.6).

use std::future::Future;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::connections::Connected;

/// Time for the other side to read the end and to close.
const LINGER: Duration = Duration::from_secs(2);
/// Bytes that are read and forgotten, enough for a refused picture and most files. After them nothing is read, but the
/// other side still has the rest of the time.
const FORGOTTEN: usize = 16 * 1024 * 1024;
/// Bytes of one read.
const READ_BYTES: usize = 16 * 1024;

/// A connection of which the writing side is closed. As a future, it reads and forgets, and is ready when the other side
/// has closed, or when it is time.
pub struct Linger<S> {
    io: S,
    /// The permit, since the connection is still open.
    _connected: Option<Connected>,
    ends: Pin<Box<Sleep>>,
    left: usize,
}

impl<S> Linger<S> {
    /// Lingers from now on.
    pub fn new(io: S, connected: Option<Connected>) -> Self {
        Self { io, _connected: connected, ends: Box::pin(sleep(LINGER)), left: FORGOTTEN }
    }
}

impl<S: AsyncRead + Unpin> Future for Linger<S> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // After a pause of the machine it may be time while bytes are there: they are read first.
        while self.left > 0 {
            let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut space);
            let Poll::Ready(read) = Pin::new(&mut self.io).poll_read(context, &mut buffer) else {
                break;
            };
            let count = buffer.filled().len();
            if read.is_err() || count == 0 {
                return Poll::Ready(());
            }
            self.left = self.left.saturating_sub(count);
        }
        self.ends.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;

    use super::*;

    async fn lingers(io: impl AsyncRead + Unpin) -> Duration {
        let start = Instant::now();
        Linger::new(io, None).await;
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_when_the_other_side_has_closed() {
        let (ours, mut theirs) = duplex(64);
        let sending = tokio::spawn(async move { theirs.write_all(&vec![0; 100_000]).await });
        assert_eq!(lingers(ours).await, Duration::ZERO);
        sending.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_while_the_machine_stood_still_is_read_before_the_end() {
        let (ours, mut theirs) = duplex(64);
        let mut linger = Linger::new(ours, None);
        theirs.write_all(&[0; 64]).await.unwrap();
        tokio::time::advance(LINGER).await;
        (&mut linger).await;
        assert!(linger.io.read(&mut [0]).now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_at_its_time_whether_much_comes_or_nothing() {
        let (ours, _silent) = duplex(64);
        assert_eq!(lingers(ours).await, LINGER);
        let (ours, mut theirs) = duplex(1 << 20);
        let flood = tokio::spawn(async move {
            let (mut sent, bytes) = (0, vec![0; 1 << 20]);
            while let Ok(count) = theirs.write(&bytes).await {
                sent += count;
            }
            sent
        });
        assert_eq!(lingers(ours).await, LINGER);
        let sent = flood.await.unwrap();
        assert!((FORGOTTEN..FORGOTTEN + (2 << 20)).contains(&sent), "{sent}");
    }
}
