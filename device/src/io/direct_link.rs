//! A direct link: frames to another device and back, however they travel.

use std::pin::Pin;

use heliograph_shared::socket::IceServer;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::link_contract::{Command, LinkEnds, LinkEvent, PeerLinkEvent, PeerLinkOptions};
use super::outbox::Outboxes;
use super::{peer_link, quic_link};
use crate::engine::contract::Buffer;

/// Signals that wait for the connection, at most. A device that sends more is not one that wants to connect.
const MOST_SIGNALS: usize = 256;

/// What a direct link is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Data channels, which browsers have too (L5).
    WebRtc,
    /// Streams of QUIC, between native devices (L7).
    Quic,
}

/// A direct link. It ends when this is dropped.
#[derive(Debug)]
pub struct DirectLink {
    commands: mpsc::Sender<Command>,
    closing: watch::Sender<bool>,
    outboxes: Outboxes,
}

impl DirectLink {
    /// Begins to connect. What comes of it, a failure too, is told by `events`.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn open(kind: LinkKind, options: PeerLinkOptions, events: mpsc::Sender<LinkEvent>) -> Self {
        let (commands, received) = mpsc::channel(MOST_SIGNALS);
        let (close, closing) = watch::channel(false);
        let (outboxes, bulk, control) = Outboxes::new();
        let (link, told) = (options.link, events.clone());
        let ends = LinkEnds { options, commands: received, closing, bulk, control, events };
        let task: Pin<Box<dyn Future<Output = ()> + Send>> = match kind {
            LinkKind::WebRtc => Box::pin(peer_link::run(ends)),
            LinkKind::Quic => Box::pin(quic_link::run(ends)),
        };
        // Whatever a hostile device makes of it, what follows is an end.
        let running = tokio::spawn(task);
        tokio::spawn(async move {
            let _ = running.await;
            let _ = told.send(LinkEvent { link, event: PeerLinkEvent::Closed }).await;
        });
        Self { commands, closing: close, outboxes }
    }

    /// Takes a signal of the other device. One that makes no sense where one is waited for ends the connection.
    pub fn signal(&self, signal: Value) {
        if self.commands.try_send(Command::Signal(signal)).is_err() {
            self.close();
        }
    }

    /// Takes servers with new credentials. Only a connection over TURN needs them at once (L4).
    pub fn renew(&self, ice_servers: Vec<IceServer>) {
        let _ = self.commands.try_send(Command::Renew(ice_servers));
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

    /// What waits, and how much room there is for chunks. What is on its way and has not arrived counts as waiting.
    #[must_use]
    pub fn buffer(&self) -> Buffer {
        self.outboxes.buffer()
    }

    /// Ends the connection. [`PeerLinkEvent::Closed`] follows.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }
}
