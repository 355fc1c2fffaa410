//! The frames that wait for one data channel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use webrtc::data_channel::DataChannel;

use super::LOW_WATER_BYTES;

/// While anything is on its way, what of it has arrived is asked so often.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct Load {
    /// Bytes of the frames that the library has not taken.
    queued: AtomicU64,
    /// Bytes that the library has taken and the other device has not acknowledged.
    outstanding: AtomicU64,
}

/// Where frames are handed over.
#[derive(Debug)]
pub(super) struct Outbox {
    frames: UnboundedSender<Vec<u8>>,
    load: Arc<Load>,
    /// Bytes that may wait.
    most: u64,
}

/// The other end: what is to be written.
#[derive(Debug)]
pub(super) struct Writer {
    frames: UnboundedReceiver<Vec<u8>>,
    load: Arc<Load>,
}

impl Outbox {
    pub(super) fn new(most: u64) -> (Self, Writer) {
        let (sender, frames) = unbounded_channel();
        let load = Arc::new(Load::default());
        (Self { frames: sender, load: load.clone(), most }, Writer { frames, load })
    }

    /// Hands a frame over. `false` where too much waits already. What is given to a channel that has ended is lost with it (F6).
    pub(super) fn push(&self, frame: Vec<u8>) -> bool {
        if self.queued() > self.most {
            return false;
        }
        let bytes = frame.len() as u64;
        self.load.queued.fetch_add(bytes, Ordering::Relaxed);
        if self.frames.send(frame).is_err() {
            self.load.queued.fetch_sub(bytes, Ordering::Relaxed);
        }
        true
    }

    pub(super) fn queued(&self) -> u64 {
        self.load.queued.load(Ordering::Relaxed)
    }

    pub(super) fn waiting(&self) -> u64 {
        self.queued() + self.load.outstanding.load(Ordering::Relaxed)
    }
}

impl Writer {
    /// Writes until the channel or the outbox ends. `has_room` is called each time that little enough waits again.
    pub(super) async fn write<F: Future<Output = ()>>(
        mut self,
        channel: Arc<dyn DataChannel>,
        has_room: impl Fn() -> F,
    ) {
        loop {
            let next = if self.load.outstanding.load(Ordering::Relaxed) == 0 {
                self.frames.recv().await
            } else if let Ok(next) = timeout(LOOK_AGAIN, self.frames.recv()).await {
                next
            } else {
                self.look(&channel).await;
                continue;
            };
            let Some(frame) = next else { return };
            let bytes = frame.len() as u64;
            // Waits while the library holds as much as it may.
            if channel.send(BytesMut::from(Bytes::from(frame))).await.is_err() {
                return;
            }
            let before = self.load.queued.fetch_sub(bytes, Ordering::Relaxed);
            self.look(&channel).await;
            if before > LOW_WATER_BYTES && before - bytes <= LOW_WATER_BYTES {
                has_room().await;
            }
        }
    }

    async fn look(&self, channel: &Arc<dyn DataChannel>) {
        let outstanding = channel.outstanding_bytes().await.unwrap_or(0);
        self.load.outstanding.store(outstanding as u64, Ordering::Relaxed);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.frames.close();
        self.load.queued.store(0, Ordering::Relaxed);
        self.load.outstanding.store(0, Ordering::Relaxed);
    }
}
