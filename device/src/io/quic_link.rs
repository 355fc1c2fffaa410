//! One QUIC connection to one native device (L7), beside the WebRTC connections of `peer_link` and with the same door.
//!
//! The library is `quinn`. Nothing but this module names it, so that it can be replaced.

mod carrying;
mod description;
mod identity;
mod meeting;
mod sockets;
mod stun;
mod task;
#[cfg(test)]
mod tests;

use serde_json::Value;
use tokio::sync::{mpsc, watch};

use self::task::Task;
use super::outbox::Outboxes;
use super::peer_link::{LinkEvent, PeerLinkEvent, PeerLinkOptions};
use crate::engine::contract::Buffer;

/// Signals that wait for the connection, at most. It takes one.
const MOST_SIGNALS: usize = 16;

/// A connection. It ends when this is dropped.
#[derive(Debug)]
pub struct QuicLink {
    signals: mpsc::Sender<Value>,
    closing: watch::Sender<bool>,
    outboxes: Outboxes,
}

impl QuicLink {
    /// Begins to connect. What comes of it, a failure too, is told by `events`.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn open(options: PeerLinkOptions, events: mpsc::Sender<LinkEvent>) -> Self {
        let (signals, received) = mpsc::channel(MOST_SIGNALS);
        let (closing, is_closing) = watch::channel(false);
        let (outboxes, chunks, frames) = Outboxes::new();
        let link = options.link;
        let task = Task::new(options, received, chunks, frames, events.clone());
        // Whatever a hostile device makes of it, what follows is an end.
        let running = tokio::spawn(task.run(is_closing));
        tokio::spawn(async move {
            let _ = running.await;
            let _ = events.send(LinkEvent { link, event: PeerLinkEvent::Closed }).await;
        });
        Self { signals, closing, outboxes }
    }

    /// Takes a signal of the other device. One that makes no sense where one is waited for ends the connection.
    pub fn signal(&self, signal: Value) {
        if self.signals.try_send(signal).is_err() {
            self.close();
        }
    }

    /// Sends a frame of chunks. A link on which more than 8 MiB wait closes.
    pub fn send(&self, frame: Vec<u8>) {
        if !self.outboxes.send(frame) {
            self.close();
        }
    }

    /// Sends any other frame, before the chunks that wait. A link on which more than 256 KiB of them wait closes.
    pub fn say(&self, frame: Vec<u8>) {
        if !self.outboxes.say(frame) {
            self.close();
        }
    }

    /// What waits, and how much room there is for chunks. What the other device has not said to have counts as waiting.
    #[must_use]
    pub fn buffer(&self) -> Buffer {
        self.outboxes.buffer()
    }

    /// Ends the connection. [`PeerLinkEvent::Closed`] follows.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }
}
