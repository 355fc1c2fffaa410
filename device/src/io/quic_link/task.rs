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
use crate::io::link_contract::{Command, LinkEnds, PeerLinkEvent, PeerPath};
use crate::io::outbox::Outgoing;

/// Runs until the connection ends.
pub(in crate::io) async fn run(ends: LinkEnds) {
    let mut closing = ends.closing.clone();
    let opening = Sockets::open(&ends.options.addresses, &ends.options.ice_servers);
    let mut sockets = tokio::select! {
        sockets = opening => sockets,
        _ = closing.wait_for(|is_closing| *is_closing) => return,
    };
    tokio::select! {
        _ = live(ends, &mut sockets) => {}
        // Also when the link was dropped.
        _ = closing.wait_for(|is_closing| *is_closing) => {}
    }
    // The other end is told meanwhile.
    tokio::spawn(sockets.close());
}

async fn live(ends: LinkEnds, sockets: &mut Sockets) -> Option<()> {
    let LinkEnds { options, mut commands, bulk, control, events, .. } = ends;
    let teller = Teller { link: options.link, events };
    let own = Identity::fresh()?;
    let described = Description { fingerprint: own.fingerprint(), addresses: sockets.addresses() };
    let met = if options.is_initiator {
        teller.tell(PeerLinkEvent::Signal(description::offer(&described))).await?;
        let theirs = description::read(&signal(&mut commands).await?, false)?;
        meeting::dial(sockets, own, &theirs).await?
    } else {
        let theirs = description::read(&signal(&mut commands).await?, true)?;
        teller.tell(PeerLinkEvent::Signal(description::answer(&described))).await?;
        meeting::accept(sockets, own, &theirs).await?
    };
    sockets.keep(met.connection.remote_address());
    let opened = PeerLinkEvent::Opened { path: PeerPath::Direct, max_frame: MOST_FRAME_BYTES };
    teller.tell(opened).await?;
    tokio::select! {
        ended = carry(met, bulk, control, teller) => ended,
        // Nothing that is still said is of use. It must not wait here, where a device could send more and more of it.
        () = drain(commands) => None,
    }
}

async fn drain(mut commands: mpsc::Receiver<Command>) {
    while commands.recv().await.is_some() {}
}

/// The next signal. Servers are of no use here.
async fn signal(commands: &mut mpsc::Receiver<Command>) -> Option<Value> {
    loop {
        if let Command::Signal(signal) = commands.recv().await? {
            return Some(signal);
        }
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
