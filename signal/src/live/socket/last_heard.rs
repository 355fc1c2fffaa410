//! When a connection last received bytes. Every byte counts, so that a long message on a slow line is not silence.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Instant;

use crate::clock::Clock;

/// When bytes last came.
#[derive(Debug)]
pub(super) struct LastHeard {
    clock: Clock,
    opened: Instant,
    /// Milliseconds after `opened`.
    last: AtomicU64,
}

impl LastHeard {
    /// A connection starts as heard.
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, opened: clock.steady(), last: AtomicU64::new(0) }
    }

    /// The moment at which bytes last came.
    pub(super) fn at(&self) -> Instant {
        self.opened + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    fn is_now(&self) {
        let millis = self.clock.steady().duration_since(self.opened).as_millis();
        self.last.store(u64::try_from(millis).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// A reader that records when bytes come.
#[derive(Debug)]
pub(super) struct Listening<'a, R> {
    pub(super) io: R,
    pub(super) heard: &'a LastHeard,
}

impl<R: AsyncRead + Unpin> AsyncRead for Listening<'_, R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.heard.is_now();
        }
        read
    }
}
