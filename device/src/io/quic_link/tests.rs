//! An end of which the other one is hostile.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use quinn::ClientConfig;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::carrying::MOST_FRAME_BYTES;
use super::description::{self, Description};
use super::identity::{Identity, NAME};
use super::meeting::{self, BULK, Met, TRIED_BYTES};
use super::sockets::Sockets;
use crate::io::direct_link::{DirectLink, LinkKind};
use crate::io::link_contract::{LinkEvent, PeerLinkEvent, PeerLinkOptions};

/// A test fails after that.
const PATIENCE: Duration = Duration::from_secs(20);

struct Meeting {
    link: DirectLink,
    events: mpsc::Receiver<LinkEvent>,
    sockets: Sockets,
}

impl Meeting {
    async fn new() -> Self {
        let addresses = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0))];
        let sockets = Sockets::open(&addresses, &[]).await;
        let (told, events) = mpsc::channel(16);
        let (link, is_initiator, ice_servers) = (1, false, Vec::new());
        let options = PeerLinkOptions { link, is_initiator, ice_servers, addresses };
        Self { link: DirectLink::open(LinkKind::Quic, options, told), events, sockets }
    }

    async fn next(&mut self) -> PeerLinkEvent {
        let next = timeout(PATIENCE, self.events.recv()).await.expect("something happens");
        next.expect("it has not ended").event
    }

    /// Tells of an end. Returns what this one answers.
    async fn hears_of(&mut self, end: &Identity) -> Description {
        let addresses = self.sockets.addresses();
        let described = Description { fingerprint: end.fingerprint(), addresses };
        self.link.signal(description::offer(&described));
        let PeerLinkEvent::Signal(answer) = self.next().await else { panic!("no answer") };
        description::read(&answer, false).expect("an answer")
    }
}

async fn met() -> (Meeting, Met) {
    let mut meeting = Meeting::new().await;
    let own = Identity::fresh().unwrap();
    let theirs = meeting.hears_of(&own).await;
    let met = meeting::dial(&meeting.sockets, own, &theirs).await.expect("it lets this end in");
    assert!(matches!(meeting.next().await, PeerLinkEvent::Opened { .. }));
    (meeting, met)
}

#[tokio::test]
async fn l7_an_end_with_another_certificate_than_was_told_is_not_let_in() {
    let mut meeting = Meeting::new().await;
    let (told, other) = (Identity::fresh().unwrap(), Identity::fresh().unwrap());
    let theirs = meeting.hears_of(&told).await;
    assert!(meeting::dial(&meeting.sockets, other, &theirs).await.is_none());
    meeting.link.close();
    assert!(matches!(meeting.next().await, PeerLinkEvent::Closed), "it has never opened");
}

#[tokio::test]
async fn l7_an_end_that_shows_another_certificate_than_was_told_is_not_connected_to() {
    let mut meeting = Meeting::new().await;
    let own = Identity::fresh().unwrap();
    let mut theirs = meeting.hears_of(&own).await;
    theirs.fingerprint[0] ^= 1;
    assert!(meeting::dial(&meeting.sockets, own, &theirs).await.is_none());
}

#[tokio::test]
async fn f8_a_frame_that_is_too_large_or_empty_ends_the_link() {
    for length in [u32::try_from(MOST_FRAME_BYTES).unwrap() + 1, u32::MAX, 0] {
        let (mut meeting, mut met) = met().await;
        met.bulk.0.write_all(&length.to_be_bytes()).await.unwrap();
        assert!(matches!(meeting.next().await, PeerLinkEvent::Closed), "{length}");
    }
}

#[tokio::test]
async fn l7_an_end_that_says_to_have_read_what_was_not_sent_changes_nothing() {
    let (mut meeting, mut met) = met().await;
    met.control.0.write_all(&[0; 4]).await.unwrap();
    met.control.0.write_all(&[255; 16]).await.unwrap();
    met.control.0.write_all(&[0, 0, 0, 1, 7]).await.unwrap();
    assert!(matches!(meeting.next().await, PeerLinkEvent::Frame(frame) if frame == [7]));
    meeting.link.send(vec![2; 100]);
    assert_eq!(meeting.link.buffer().unsent, 100);
    let mut frame = [0; 104];
    let read = timeout(PATIENCE, met.bulk.1.read_exact(&mut frame)).await;
    read.expect("it sends on").expect("the link has not ended");
    assert_eq!(frame[..5], [0, 0, 0, 100, 2]);
}

#[tokio::test]
async fn l7_a_connection_that_is_not_kept_yet_takes_64_kib() {
    let mut meeting = Meeting::new().await;
    let own = Identity::fresh().unwrap();
    let theirs = meeting.hears_of(&own).await;
    let config = ClientConfig::new(Arc::new(own.client(theirs.fingerprint).unwrap()));
    let endpoint = &meeting.sockets.ends[0].endpoint;
    let connecting = endpoint.connect_with(config, theirs.addresses[0], NAME).unwrap();
    let connection = timeout(PATIENCE, connecting).await.unwrap().expect("it lets this end in");
    let (mut stream, _answers) = connection.open_bi().await.unwrap();
    stream.write_all(&[BULK]).await.unwrap();
    let written = stream.write(&vec![0; 1024 * 1024]).await.unwrap();
    assert!(written < TRIED_BYTES as usize, "{written}");
}

#[tokio::test]
async fn l7_neither_end_of_a_connection_takes_further_streams() {
    let addresses = [SocketAddr::from((Ipv4Addr::LOCALHOST, 0))];
    let client = Sockets::open(&addresses, &[]).await;
    let server = Sockets::open(&addresses, &[]).await;
    let (first, second) = (Identity::fresh().unwrap(), Identity::fresh().unwrap());
    let of_client = Description { fingerprint: first.fingerprint(), addresses: client.addresses() };
    let of_server =
        Description { fingerprint: second.fingerprint(), addresses: server.addresses() };
    let (dialled, accepted) = tokio::join!(
        meeting::dial(&client, first, &of_server),
        meeting::accept(&server, second, &of_client),
    );
    // Both live until the end: one that is dropped ends the other.
    for met in &[dialled.expect("it connects"), accepted.expect("it is connected to")] {
        assert!(met.connection.open_bi().now_or_never().is_none());
    }
}

#[tokio::test]
async fn l7_a_signal_that_makes_no_sense_ends_the_link() {
    let mut meeting = Meeting::new().await;
    meeting.link.signal(Value::Null);
    assert!(matches!(meeting.next().await, PeerLinkEvent::Closed));
}
