//! Two ends of one connection, and what carries their signals.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use heliograph_device::io::direct_link::{DirectLink, LinkKind};
use heliograph_device::io::link_contract::{LinkEvent, PeerLinkEvent, PeerLinkOptions, PeerPath};
use heliograph_shared::socket::IceServer;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long a test waits for what it expects. It fails after that.
const PATIENCE: Duration = Duration::from_secs(40);
/// Events that wait for the test before the link feels it.
const EVENTS: usize = 16;

pub const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

/// What a link may be made of. All carry frames alike.
pub const KINDS: [LinkKind; 2] = [LinkKind::WebRtc, LinkKind::Quic];

/// One end of a connection.
pub struct End {
    pub link: Arc<DirectLink>,
    events: mpsc::Receiver<PeerLinkEvent>,
    /// How many offers and answers it has made.
    pub descriptions: Arc<AtomicUsize>,
}

pub fn options(link: u64, is_initiator: bool, address: IpAddr) -> PeerLinkOptions {
    let addresses = vec![SocketAddr::new(address, 0)];
    PeerLinkOptions { link, is_initiator, ice_servers: Vec::new(), addresses }
}

/// Two ends that tell each other their signals. The first one initiates.
pub fn pair(kind: LinkKind, address: IpAddr) -> (End, End) {
    pair_of(kind, |link, is_initiator| options(link, is_initiator, address), Some)
}

/// Two ends that tell each other no addresses but those at TURN servers.
pub fn turn_pair(addresses: &[IpAddr], servers: &[IceServer]) -> (End, End) {
    let options = |link, is_initiator| PeerLinkOptions {
        link,
        is_initiator,
        ice_servers: servers.to_vec(),
        addresses: addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect(),
    };
    pair_of(LinkKind::WebRtc, options, of_relays)
}

/// A signal without addresses that are not at TURN servers; `None` where that was all.
fn of_relays(mut signal: Value) -> Option<Value> {
    let is_relay = |line: &str| line.contains(" typ relay");
    if let Some(candidate) = signal.pointer("/candidate/candidate") {
        return is_relay(candidate.as_str().unwrap()).then_some(signal);
    }
    if let Some(sdp) = signal.get_mut("sdp") {
        let lines = sdp.as_str().unwrap().split_inclusive('\n');
        let told: String =
            lines.filter(|line| !line.starts_with("a=candidate") || is_relay(line)).collect();
        *sdp = told.into();
    }
    Some(signal)
}

fn pair_of(
    kind: LinkKind,
    options: impl Fn(u64, bool) -> PeerLinkOptions,
    told_of: fn(Value) -> Option<Value>,
) -> (End, End) {
    let (first_events, from_first) = mpsc::channel(EVENTS);
    let (second_events, from_second) = mpsc::channel(EVENTS);
    let first = Arc::new(DirectLink::open(kind, options(1, true), first_events));
    let second = Arc::new(DirectLink::open(kind, options(2, false), second_events));
    let (weak_first, weak_second) = (Arc::downgrade(&first), Arc::downgrade(&second));
    (end(first, from_first, weak_second, told_of), end(second, from_second, weak_first, told_of))
}

/// Two ends that are connected.
pub async fn connected(kind: LinkKind) -> (End, End) {
    let (mut first, mut second) = pair(kind, V4);
    first.opened().await;
    second.opened().await;
    (first, second)
}

fn end(
    link: Arc<DirectLink>,
    mut told: mpsc::Receiver<LinkEvent>,
    other: Weak<DirectLink>,
    told_of: fn(Value) -> Option<Value>,
) -> End {
    let (events, received) = mpsc::channel(EVENTS);
    let descriptions = Arc::new(AtomicUsize::new(0));
    let counted = descriptions.clone();
    tokio::spawn(async move {
        while let Some(LinkEvent { event, .. }) = told.recv().await {
            if let PeerLinkEvent::Signal(signal) = event {
                counted.fetch_add(usize::from(signal.get("sdp").is_some()), Ordering::SeqCst);
                if let Some(signal) = told_of(signal) {
                    pass(&other, signal);
                }
            } else if events.send(event).await.is_err() {
                return;
            }
        }
    });
    End { link, events: received, descriptions }
}

fn pass(to: &Weak<DirectLink>, signal: Value) {
    if let Some(link) = to.upgrade() {
        link.signal(signal);
    }
}

impl End {
    pub async fn next(&mut self) -> PeerLinkEvent {
        let next = timeout(PATIENCE, self.events.recv()).await.expect("something happens");
        next.expect("the connection has not ended")
    }

    /// The next event, or `None` where nothing happens for a second.
    pub async fn next_soon(&mut self) -> Option<PeerLinkEvent> {
        timeout(Duration::from_secs(1), self.events.recv()).await.ok().flatten()
    }

    pub async fn opened(&mut self) -> (PeerPath, usize) {
        loop {
            match self.next().await {
                PeerLinkEvent::Opened { path, max_frame } => return (path, max_frame),
                PeerLinkEvent::Closed => panic!("it closed before it opened"),
                _ => {}
            }
        }
    }

    pub async fn frame(&mut self) -> Vec<u8> {
        loop {
            match self.next().await {
                PeerLinkEvent::Frame(frame) => return frame,
                PeerLinkEvent::Closed => panic!("it closed before a frame came"),
                _ => {}
            }
        }
    }

    pub async fn room(&mut self) {
        while self.link.buffer().room == 0 {
            let event = self.next().await;
            assert!(!matches!(event, PeerLinkEvent::Closed), "it closed before there was room");
        }
    }

    pub async fn closed(&mut self) {
        while !matches!(self.next().await, PeerLinkEvent::Closed) {}
    }
}
