//! Writes the frames that wait to one data channel.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::timeout;
use webrtc::data_channel::DataChannel;

use crate::io::outbox::Outgoing;

/// While anything is on its way, what of it has arrived is asked so often.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Writes until the channel or the outbox ends. `has_room` is called each time that little enough waits again.
pub(super) async fn write<F: Future<Output = ()>>(
    mut frames: Outgoing,
    channel: Arc<dyn DataChannel>,
    has_room: impl Fn() -> F,
) {
    loop {
        let next = if frames.outstanding() == 0 {
            frames.next().await
        } else if let Ok(next) = timeout(LOOK_AGAIN, frames.next()).await {
            next
        } else {
            look(&frames, &channel).await;
            continue;
        };
        let Some(frame) = next else { return };
        let bytes = frame.len() as u64;
        // Waits while the library holds as much as it may.
        if channel.send(BytesMut::from(Bytes::from(frame))).await.is_err() {
            return;
        }
        let is_room = frames.wrote(bytes);
        look(&frames, &channel).await;
        if is_room {
            has_room().await;
        }
    }
}

async fn look(frames: &Outgoing, channel: &Arc<dyn DataChannel>) {
    frames.is_outstanding(channel.outstanding_bytes().await.unwrap_or(0) as u64);
}
