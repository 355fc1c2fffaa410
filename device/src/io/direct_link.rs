//! A direct link of either kind, behind one door.

use heliograph_shared::socket::IceServer;
use serde_json::Value;
use tokio::sync::mpsc;

use super::peer_link::{LinkEvent, PeerLink, PeerLinkOptions};
use super::quic_link::QuicLink;
use crate::engine::contract::Buffer;

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
pub enum DirectLink {
    /// By WebRTC.
    WebRtc(PeerLink),
    /// By QUIC.
    Quic(QuicLink),
}

impl DirectLink {
    /// Begins to connect. What comes of it, a failure too, is told by `events`.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn open(kind: LinkKind, options: PeerLinkOptions, events: mpsc::Sender<LinkEvent>) -> Self {
        match kind {
            LinkKind::WebRtc => Self::WebRtc(PeerLink::open(options, events)),
            LinkKind::Quic => Self::Quic(QuicLink::open(options, events)),
        }
    }

    /// Takes a signal of the other device.
    pub fn signal(&self, signal: Value) {
        match self {
            Self::WebRtc(link) => link.signal(signal),
            Self::Quic(link) => link.signal(signal),
        }
    }

    /// Takes servers with new credentials. QUIC goes over none.
    pub fn renew(&self, ice_servers: Vec<IceServer>) {
        if let Self::WebRtc(link) = self {
            link.renew(ice_servers);
        }
    }

    /// Sends a frame of chunks.
    pub fn send(&self, frame: Vec<u8>) {
        match self {
            Self::WebRtc(link) => link.send(frame),
            Self::Quic(link) => link.send(frame),
        }
    }

    /// Sends any other frame, before the chunks that wait.
    pub fn say(&self, frame: Vec<u8>) {
        match self {
            Self::WebRtc(link) => link.say(frame),
            Self::Quic(link) => link.say(frame),
        }
    }

    /// What waits, and how much room there is for chunks.
    #[must_use]
    pub fn buffer(&self) -> Buffer {
        match self {
            Self::WebRtc(link) => link.buffer(),
            Self::Quic(link) => link.buffer(),
        }
    }

    /// Ends the connection. `PeerLinkEvent::Closed` follows.
    pub fn close(&self) {
        match self {
            Self::WebRtc(link) => link.close(),
            Self::Quic(link) => link.close(),
        }
    }
}
