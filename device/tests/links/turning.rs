//! Two ends that meet over TURN by a stream, where UDP does not lead to the server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heliograph_device::io::link_contract::PeerPath;
use heliograph_shared::socket::IceServer;
use heliograph_turn::credentials::mint;
use heliograph_turn::{Config, Handle, RelayHost, TurnServer};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::stage::{self, V4, V6};

const RELAYS: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3));
const SECRET: &[u8] = b"a-secret-of-the-tests";
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that listens on TCP alone.
fn server(address: IpAddr) -> Handle {
    let mut config = Config::new("heliograph", SECRET);
    config.tcp = vec![SocketAddr::new(address, 0)];
    // A relay that met the sockets of the ends would tell them of each other's addresses here, where those lead to each other.
    config.relay_hosts = vec![RelayHost { bind: RELAYS, advertised: RELAYS }];
    config.allowed_peers = vec!["127.0.0.3/32".parse().unwrap()];
    TurnServer::start(&config).unwrap()
}

/// What a device is told of it, with credentials that are good for so many seconds.
fn told(server: &Handle, seconds: u64) -> Vec<IceServer> {
    told_at(server.addresses().tcp[0], seconds)
}

#[expect(clippy::disallowed_methods, reason = "the server reads the machine's clock too")]
fn told_at(address: SocketAddr, seconds: u64) -> Vec<IceServer> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let minted = mint(SECRET, "a-device", now + seconds);
    vec![IceServer {
        urls: vec![format!("turn:{address}?transport=tcp")],
        username: Some(minted.username),
        credential: Some(minted.password),
    }]
}

/// Passes streams on to a server, until it is told to end all that there are.
async fn passing(server: SocketAddr) -> (SocketAddr, Arc<Notify>) {
    let listener = TcpListener::bind((V4, 0)).await.unwrap();
    let (address, broken) = (listener.local_addr().unwrap(), Arc::new(Notify::new()));
    let breaking = Arc::clone(&broken);
    tokio::spawn(async move {
        let mut streams = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (mut near, _) = accepted.unwrap();
                    streams.spawn(async move {
                        let mut far = TcpStream::connect(server).await.unwrap();
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    });
                }
                () = breaking.notified() => streams.shutdown().await,
            }
        }
    });
    (address, broken)
}

/// Waits for something that nobody tells.
async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("it happens");
}

#[tokio::test]
async fn two_ends_meet_over_turn_by_tcp() {
    let server = server(V4);
    let (mut first, mut second) = stage::turn_pair(&[V4], &told(&server, 600));
    assert_eq!(first.opened().await, (PeerPath::Turn, 256 * 1024));
    assert_eq!(second.opened().await, (PeerPath::Turn, 256 * 1024));
    for (from, to) in [(0, 1), (1, 0)] {
        let ends = [&mut first, &mut second];
        let frame: Vec<u8> = (0..200_000_u32).map(|byte| byte as u8).collect();
        ends[from].link.send(frame.clone());
        assert_eq!(ends[to].frame().await, frame);
    }
    drop((first, second));
    until(|| server.counts().allocations == 0).await;
}

#[tokio::test]
async fn ends_that_have_ipv6_alone_meet_over_turn_by_tcp() {
    let server = server(V6);
    let (mut first, mut second) = stage::turn_pair(&[V6], &told(&server, 600));
    assert_eq!(first.opened().await.0, PeerPath::Turn);
    assert_eq!(second.opened().await.0, PeerPath::Turn);
}

#[tokio::test]
async fn l4_credentials_are_renewed_and_frames_go_on_over_turn_by_tcp() {
    let server = server(V4);
    // The library asks from each address, and has a stream from the first.
    let addresses = [V4, IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2))];
    let (mut first, mut second) = stage::turn_pair(&addresses, &told(&server, 600));
    first.opened().await;
    second.opened().await;
    let descriptions = Arc::clone(&second.descriptions);
    for end in [&first, &second] {
        end.link.renew(told(&server, 900));
    }
    until(|| descriptions.load(Ordering::SeqCst) >= 2).await;
    first.link.say(b"after".to_vec());
    assert_eq!(second.frame().await, b"after");
    second.link.say(b"and back".to_vec());
    assert_eq!(first.frame().await, b"and back");
}

#[tokio::test]
async fn l4_a_stream_that_breaks_is_replaced_and_frames_go_on() {
    let server = server(V4);
    let (address, broken) = passing(server.addresses().tcp[0]).await;
    let (mut first, mut second) = stage::turn_pair(&[V4], &told_at(address, 600));
    first.opened().await;
    second.opened().await;
    broken.notify_one();
    until(|| server.counts().allocations == 0).await;
    first.link.say(b"after".to_vec());
    assert_eq!(second.frame().await, b"after");
    second.link.say(b"and back".to_vec());
    assert_eq!(first.frame().await, b"and back");
    assert_eq!(server.counts().allocations, 2);
}

#[tokio::test]
async fn answers_over_turn_come_as_soon_as_the_network_carries_them() {
    let server = server(V4);
    let (mut first, mut second) = stage::turn_pair(&[V4], &told(&server, 600));
    first.opened().await;
    second.opened().await;
    let asking = async {
        // The library by itself takes 400 ms for each, which is 80 s in all.
        for question in 0..100_u8 {
            first.link.say(vec![question]);
            assert_eq!(second.frame().await, [question]);
            second.link.say(vec![question]);
            assert_eq!(first.frame().await, [question]);
        }
    };
    timeout(Duration::from_mins(1), asking).await.expect("all answers");
}
