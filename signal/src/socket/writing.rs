//! The writing side: batches from the outbox, one flush each.

use std::sync::Arc;

use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::WebSocket;
use crate::outbox::{Batch, Outbox};

/// Writes what the outbox holds until the connection breaks.
pub(super) async fn write(outbox: &Arc<Outbox>, sink: &mut SplitSink<WebSocket, Message>) {
    loop {
        let mut batch = outbox.take().await;
        if send(sink, &mut batch).await.is_err() {
            return;
        }
        outbox.written(&batch);
    }
}

async fn send(sink: &mut SplitSink<WebSocket, Message>, batch: &mut Batch) -> Result<(), Error> {
    for message in batch.messages.drain(..) {
        sink.feed(message).await?;
    }
    sink.flush().await
}
