//! The task of one connection, from its first signal to its end.

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::carrying::{
    Counts, Heard, MOST_FRAME_BYTES, Teller, read_chunks, read_others, watch_silence, write_chunks,
    write_others,
};
use super::description::{self, Description};
use super::identity::Identity;
use super::meeting::{self, Met};
use super::sockets::Sockets;
use crate::io::outbox::Outgoing;
use crate::io::peer_link::{LinkEvent, PeerLinkEvent, PeerLinkOptions, PeerPath};

pub(super) struct Task {
    options: PeerLinkOptions,
    signals: mpsc::Receiver<Value>,
    bulk: Outgoing,
    control: Outgoing,
    teller: Teller,
}

impl Task {
    pub(super) fn new(
        options: PeerLinkOptions,
        signals: mpsc::Receiver<Value>,
        bulk: Outgoing,
        control: Outgoing,
        events: mpsc::Sender<LinkEvent>,
    ) -> Self {
        let teller = Teller { link: options.link, events };
        Self { options, signals, bulk, control, teller }
    }

    /// Runs until the connection ends.
    pub(super) async fn run(self, mut closing: watch::Receiver<bool>) {
        let opening = Sockets::open(&self.options.addresses, &self.options.ice_servers);
        let sockets = tokio::select! {
            sockets = opening => sockets,
            _ = closing.wait_for(|is_closing| *is_closing) => return,
        };
        tokio::select! {
            _ = self.live(&sockets) => {}
            // Also when the link was dropped.
            _ = closing.wait_for(|is_closing| *is_closing) => {}
        }
        // The other end is told meanwhile.
        tokio::spawn(sockets.close());
    }

    async fn live(self, sockets: &Sockets) -> Option<()> {
        let Self { options, mut signals, bulk, control, teller } = self;
        let own = Identity::fresh()?;
        let described =
            Description { fingerprint: own.fingerprint(), addresses: sockets.addresses() };
        let met = if options.is_initiator {
            teller.tell(PeerLinkEvent::Signal(description::offer(&described))).await?;
            let theirs = description::read(&signals.recv().await?, false)?;
            meeting::dial(sockets, own, &theirs).await?
        } else {
            let theirs = description::read(&signals.recv().await?, true)?;
            teller.tell(PeerLinkEvent::Signal(description::answer(&described))).await?;
            meeting::accept(sockets, own, &theirs).await?
        };
        let opened = PeerLinkEvent::Opened { path: PeerPath::Direct, max_frame: MOST_FRAME_BYTES };
        teller.tell(opened).await?;
        carry(met, bulk, control, teller).await
    }
}

/// Moves frames until the connection ends, which it does with any of its streams.
async fn carry(met: Met, bulk: Outgoing, control: Outgoing, teller: Teller) -> Option<()> {
    let Met { connection, bulk: (to_bulk, from_bulk), control: (to_control, from_control) } = met;
    let (counts, counted) = watch::channel(Counts::default());
    let (read, was_read) = watch::channel(0);
    let heard = Heard { chunks: bulk.arrivals(), others: control.arrivals(), read };
    let mut streams = JoinSet::new();
    streams.spawn(write_chunks(bulk, to_bulk, was_read, teller.clone()));
    streams.spawn(write_others(control, to_control, counted));
    streams.spawn(read_chunks(from_bulk, counts.clone(), teller.clone()));
    streams.spawn(read_others(from_control, counts, heard, teller.clone()));
    streams.spawn(watch_silence(connection, teller));
    streams.join_next().await?.ok().flatten()
}
